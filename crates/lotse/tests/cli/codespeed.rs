//! `--to codespeed` and `--columns`: figures for other tools.

use std::process::Command;

use crate::session::{Session, list};

/// A result of temci's rusage runner, with a property for which Lotse has another name and unit.
const RESULT: &str = "\
- attributes: {description: one, tags: [x], machine: small}
  data: {utime: [0.25, 0.75], maxrss: [100, 104], __ov-time: [1.0, 1.5]}
- attributes: {description: two}
  data: {utime: [0.5, 0.5], maxrss: [200, 200], __ov-time: [1.0, 1.0]}
";

fn session() -> Session {
    let session = Session::new();
    session.write("result.yaml", RESULT);
    session
}

#[test]
fn codespeed_gets_temci_s_names_and_units() {
    let session = session();
    let about = ["--project", "p", "--environment", "e", "--branch", "b", "--commit", "c"];
    let answer =
        session.lotse(&[&["bench", "report", "result.yaml", "--to", "codespeed"], &about[..]].concat());
    let entries: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let expected = serde_json::json!({
        "project": "p", "executable": "p", "environment": "e", "branch": "b", "commitid": "c",
        "benchmark": "one: maxrss", "result_value": 102.0, "std_dev": 2.0, "min": 100.0, "max": 104.0,
    });
    assert_eq!(entries[0], expected);
    let names: Vec<&str> = list(&entries).iter().map(|entry| entry["benchmark"].as_str().unwrap()).collect();
    assert_eq!(names, ["one: maxrss", "one: utime", "two: maxrss", "two: utime"]);
    let file =
        ["bench", "report", "result.yaml", "--reporter", "codespeed", "-o", "out.json", "--include", "two"];
    session.lotse(&file);
    let written = session.read_json("out.json");
    assert_eq!(list(&written).len(), 2);
    assert_eq!(
        (&written[0]["branch"], &written[0]["commitid"]),
        (&"master".into(), &serde_json::Value::Null)
    );
}

#[test]
fn columns_are_chosen_as_temci_writes_them() {
    let session = session();
    let columns =
        "description,machine,tags,utime[mean],utime[stddev],utime[mean|o],maxrss[max],peak_memory[min]";
    let table =
        session.lotse(&["bench", "report", "result.yaml", "--to", "csv", "--columns", columns]).stdout;
    let expected =
        format!("{columns}\none,small,x,0.5,0.25,0.(50),104,102400\ntwo,,,0.5,0,0.5000,200,204800\n");
    assert_eq!(table.replace("\r\n", "\n"), expected);
    let latex = ["bench", "report", "result.yaml", "--to", "latex", "--columns", "description,utime[mean|o]"];
    assert!(session.lotse(&latex).stdout.contains("one & 0.(50)"));
    for (column, expected) in [
        ("utime[mode]", "write an attribute, or METRIC[FIGURE] with mean, stddev"),
        ("colour", "no program has the attribute 'colour'; there are description, command, tags, machine"),
        ("etime[mean]", "no program has the metric 'etime'"),
    ] {
        let refused = session.lotse(&["bench", "report", "result.yaml", "--columns", column]).exits(2);
        assert!(refused.stderr.contains(expected), "{column}: {}", refused.stderr);
    }
}

/// The same figures as temci itself writes, where it is installed.
#[test]
fn temci_writes_the_same_figures() {
    let session = session();
    let temci = Command::new("temci")
        .args(["report", "result.yaml", "--reporter", "codespeed", "--codespeed_project", "p"])
        .current_dir(session.file(""))
        .output();
    let Ok(output) = temci else {
        test_support::skip_here("there is no temci, which no Debian package has");
        return;
    };
    let theirs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ours =
        session.lotse(&["bench", "report", "result.yaml", "--to", "codespeed", "--project", "p"]).stdout;
    let ours: serde_json::Value = serde_json::from_str(&ours).unwrap();
    assert_eq!(list(&ours).len(), list(&theirs).len());
    for (ours, theirs) in list(&ours).iter().zip(list(&theirs)) {
        for key in ["project", "executable", "environment", "branch", "commitid", "benchmark"] {
            assert_eq!(ours[key], theirs[key], "{key}");
        }
        for key in ["result_value", "std_dev", "min", "max"] {
            assert_eq!(ours[key].as_f64(), theirs[key].as_f64(), "{key} of {}", ours["benchmark"]);
        }
    }
}
