//! Parts of a run by regions, and tables without some call paths.

use serde_json::Value;

use crate::session::Session;
use crate::trace::sample;

fn printed(line: &[&str]) -> String {
    let answer = Session::new().lotse(&[&["trace"], line].concat());
    assert_eq!(answer.status, 0, "{line:?}: {}", answer.stderr);
    answer.stdout
}

fn json(line: &[&str]) -> Value {
    serde_json::from_str(&printed(&[line, &["--json"]].concat())).unwrap()
}

#[track_caller]
fn assert_refused(line: &[&str], words: &str) {
    let answer = Session::new().lotse(&[&["trace"], line].concat());
    assert!(
        answer.status == 2 && answer.stderr.contains(words),
        "{line:?}: {} {}",
        answer.status,
        answer.stderr
    );
}

#[test]
fn a_region_is_cut_out_of_the_run_for_every_verb() {
    let heat = sample("heat-4");
    let whole = json(&["analyze", &heat]);
    let part = json(&["analyze", &heat, "--focus", "stencil"]);
    for key in ["runtime", "pop", "severities", "totals", "corrected", "visits"] {
        assert_eq!(part[key], whole[key], "{key} is about the whole run");
    }
    let length = part["focus"]["seconds"].as_f64().unwrap();
    assert!(length < whole["runtime"].as_f64().unwrap());
    assert_eq!((&part["focus"]["is_cut_out"], &whole["focus"]["is_cut_out"]), (&true.into(), &false.into()));
    assert_eq!(part["critical_path_length"].as_f64(), Some(length));
    let path = json(&["critical-path", &heat, "--focus", "main/step/sten*"]);
    assert_eq!(path["length"].as_f64(), Some(length));
    let changed = json(&["what-if", &heat, "--focus", "stencil", "--zero", "stencil"]);
    assert_eq!(changed["runtime"].as_f64(), Some(length));
    let run = &json(&["efficiency", &heat, "--focus", "stencil"])["runs"][0];
    assert_eq!(run["focus"]["efficiency"], part["focus"]["efficiency"]);
    assert_eq!(run["efficiency"], json(&["efficiency", &heat])["runs"][0]["efficiency"]);
    let even = sample("heat-even");
    let diff = json(&["diff", &heat, &even, "--focus", "stencil"]);
    assert_eq!(diff["before"]["focus"]["seconds"].as_f64(), Some(length));
    assert_eq!(diff["before"]["runtime"], whole["runtime"]);
    let all = json(&["analyze", &heat, "--focus", "all"]);
    assert_eq!((&all["losses"], &all["focus"]["what"]), (&whole["losses"], &"the whole run".into()));
}

#[test]
fn commands_that_verify_ask_about_the_same_part() {
    let findings = &json(&["analyze", &sample("heat-4"), "--focus", "stencil"])["findings"];
    let commands: Vec<&str> =
        findings.as_array().unwrap().iter().filter_map(|it| it["verification"].as_str()).collect();
    assert!(
        !commands.is_empty() && commands.iter().all(|it| it.contains(" --focus stencil")),
        "{commands:?}"
    );
}

#[test]
fn names_that_mean_nothing_are_refused() {
    let heat = sample("heat-4");
    for verb in ["analyze", "critical-path", "efficiency", "timeline"] {
        assert_refused(&[verb, &heat, "--focus", "stencl"], "near are stencil");
    }
    assert_refused(&["diff", &heat, &heat, "--focus", "stencl"], "near are stencil");
    assert_refused(&["analyze", &heat, "--focus", "stencil", "--phase", "1"], "cannot be used with");
    assert_refused(&["analyze", &heat, "--only", "stencil", "--json"], "--json always has all rows");
    assert_refused(
        &["analyze", &heat, "--only", "stencil", "--level", "region"],
        "--level has no call paths",
    );
}

#[test]
fn the_output_names_what_is_hidden() {
    let heat = sample("heat-4");
    let shown = printed(&["critical-path", &heat, "--exclude", "stencil"]);
    assert!(!shown.contains("main/step/stencil"), "{shown}");
    assert!(shown.contains("--exclude stencil hides"), "{shown}");
    let only = printed(&["analyze", &heat, "--csv", "--table", "path", "--only", "stencil"]);
    assert!(only.lines().skip(1).all(|line| line.contains("stencil")) && only.lines().count() > 1, "{only}");
    let svg = printed(&["timeline", &heat, "--exclude", "MPI_*"]);
    assert!(
        svg.contains("--exclude MPI_* hides") && !svg.contains(">MPI_Allreduce<"),
        "the regions are gone"
    );
}
