//! `lotse trace`: every verb on the repository's sample traces, whose answers are known.
//!
//! heat-4: rank 0 reads for 40 ms while others wait; in six steps ranks compute 20 ms, rank 3 40 ms; rank 0 writes for
//! 25 ms while others wait.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::{Session, list};

pub(crate) fn sample(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trace").join(name);
    path.display().to_string()
}

fn json(line: &[&str]) -> Value {
    let words = [&["trace"], line, &["--json"]].concat();
    let answer = Session::new().lotse(&words);
    assert_eq!(answer.status, 0, "{line:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn text(line: &[&str]) -> String {
    let answer = Session::new().lotse(&[&["trace"], line].concat());
    assert_eq!(answer.status, 0, "{line:?}: {}", answer.stderr);
    answer.stdout
}

/// Checks a number of seconds, with a tolerance for the time that calls take.
#[track_caller]
fn assert_near(value: &Value, seconds: f64) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!((found - seconds).abs() < 1e-3, "{found} instead of {seconds}");
}

#[test]
fn info_says_what_a_trace_holds() {
    let answer = json(&["info", &sample("heat-4")]);
    assert_eq!(answer["schema"], "lotse.trace.info/1");
    assert_eq!((&answer["format"], &answer["locations"]), (&"otf2".into(), &4.into()));
    assert_eq!((&answer["messages"], &answer["collectives"]), (&24.into(), &8.into()));
    assert_eq!(answer["location_names"][3], "rank 3");
    assert_eq!(answer["visits"]["stencil"], 24);
    let shown = text(&["info", &sample("heat-4/traces.otf2")]);
    assert!(shown.contains("24 messages, 8 collective operations"), "{shown}");
    assert!(shown.contains("MpiCollectiveEnd"), "{shown}");
}

#[test]
fn analyze_ranks_what_is_lost_and_says_why() {
    let answer = json(&["analyze", &sample("heat-4")]);
    assert_eq!(answer["schema"], "lotse.trace/1");
    let losses: Vec<(&str, &str)> = list(&answer["losses"])
        .iter()
        .map(|loss| (loss["metric"].as_str().unwrap(), loss["cause"]["callpath"].as_str().unwrap()))
        .collect();
    let expected = [
        ("wait_at_nxn", "main/step/stencil"),
        ("late_broadcast", "main/read_input"),
        ("late_sender", "main/step/stencil"),
        ("wait_at_barrier", "main/write_output"),
    ];
    assert_eq!(losses, expected);
    assert_near(&answer["losses"][1]["seconds"], 0.120);
    // The gain if the cause took no time. Without the stencil of rank 3, that of the other ranks determines the run time.
    for (number, gain) in [0.120, 0.040, 0.120, 0.025].into_iter().enumerate() {
        assert_near(&answer["losses"][number]["gain"], gain);
    }
    assert_eq!(
        (&answer["blame"][0]["who"], &answer["blame"][0]["callpath"]),
        (&"rank 3".into(), &"main/step/stencil".into())
    );
    assert_eq!(answer["focus"]["what"], "the whole run");
    assert_near(&answer["critical_path_length"], 0.305);
    assert_near(&answer["what_if_zero"][0]["gain"], 0.240);
    let finding = &answer["findings"][0];
    assert_eq!(finding["rule"]["id"], "trace-imbalance");
    assert_eq!((&finding["sites"][0]["file"], &finding["sites"][0]["line"]), (&"heat.c".into(), &20.into()));
}

#[test]
fn a_quick_analysis_leaves_out_changed_runs_and_phases() {
    let trace = sample("heat-4");
    let (whole, quick) = (json(&["analyze", &trace]), json(&["analyze", "--quick", &trace]));
    for key in ["severities", "critical_path", "delay_costs", "wait_propagation", "time_tree"] {
        assert_eq!(whole[key], quick[key], "{key}");
    }
    assert_eq!((&quick["what_if_zero"], &quick["phases"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    assert!(quick["losses"][0]["gain"].is_null() && whole["losses"][0]["gain"].is_number());
    assert!(quick["pop"]["transfer_efficiency"].is_null());
}

#[test]
fn analyze_for_people_begins_with_the_answer() {
    let shown = text(&["analyze", &sample("heat-4")]);
    let lost = shown.find("Time lost by waiting").unwrap();
    let path = shown.find("Critical path, 305.4 ms").unwrap();
    let tree = shown.find("Time of all locations").unwrap();
    let findings = shown.find("warning: main/step/stencil takes 240.0 ms on the critical path").unwrap();
    assert!(lost < path && path < tree && tree < findings, "{shown}");
    assert!(shown.starts_with("45.4 % of the time of all locations in the whole run is waiting;"), "{shown}");
    let whole = text(&["analyze", &sample("heat-4"), "-v", "--wide"]);
    assert!(whole.contains("warning[trace-imbalance]"), "{whole}");
    assert!(whole.contains("main/write_output  rank 0"), "{whole}");
    assert!(whole.contains("--> heat.c:20 (stencil)"), "{whole}");
}

#[test]
fn one_metric_one_level_and_tables_for_programs() {
    let rows = json(&["analyze", &sample("heat-4"), "--metric", "late_sender"]);
    assert_eq!(list(&rows["severities"]).len(), 1);
    assert_eq!(rows["severities"][0]["callpath"], "main/step/exchange/MPI_Recv");
    let csv = text(&["analyze", &sample("heat-4"), "--csv"]);
    assert!(csv.starts_with("metric,location,name,call path,time [s],bound\r\n"), "{csv}");
    assert!(csv.contains("late_broadcast,1,rank 1,main/MPI_Bcast,0.04,exact"), "{csv}");
    let level = json(&["analyze", &sample("heat-4"), "--level", "process", "--metric", "computation"]);
    assert_eq!(level["schema"], "lotse.trace.level/1");
    let seconds: Vec<f64> = list(&level["rows"]).iter().map(|row| row["seconds"].as_f64().unwrap()).collect();
    assert_eq!(seconds, [0.185, 0.12, 0.12, 0.24]);
}

/// `--metric` takes a metric, a rule with several metrics, and together with `--level` also a class of time.
#[test]
fn metrics_are_named_as_they_are_explained() {
    let rows = |rest: &[&str]| json(&[&["analyze", &sample("heat-4")], rest].concat());
    assert_eq!(list(&rows(&["--metric", "omp_wait_at_barrier"])["severities"]).len(), 0);
    let level = rows(&["--level", "program", "--metric", "wait_at_nxn"]);
    assert_eq!(list(&level["rows"]).len(), 1, "{level}");
    assert_eq!(list(&rows(&["--level", "program", "--metric", "mpi_collective"])["rows"]).len(), 1);
    let nothing = text(&["analyze", &sample("heat-4"), "--metric", "lock_contention"]);
    assert_eq!(nothing, "Nothing of this kind was found.\n");
    let cut =
        Session::new().lotse(&["trace", "analyze", &sample("heat-4"), "--metric", "wait_at_nxn", "-n", "2"]);
    assert!(cut.stderr.contains("shown: 2 of 3 rows"), "{}", cut.stderr);
}

/// CSV is one table, with shares as fractions.
#[test]
fn csv_is_one_table() {
    let heat = sample("heat-4");
    for (line, head, rows) in [
        (&["info"][..], "location,name,process,kind,events,begin [s],end [s]", 4),
        (&["info", "--table", "records"], "kind of record,records", 6),
        (&["analyze", "--table", "waits"], "metric,location,name,call path,time [s],bound", 16),
        (
            &["analyze", "--table", "losses"],
            "lost [s],share,cause,who,call path,mostly because of,on,reachable gain [s]",
            4,
        ),
        (&["analyze", "--table", "time"], "what,time [s],share,alone [s]", 11),
        (&["critical-path"], "time [s],share,call path,location", 8),
        (&["critical-path", "-n", "2"], "time [s],share,call path,location", 2),
        (&["critical-path", "--table", "processes"], "process,computing [s],communicating [s]", 2),
        (&["critical-path", "--table", "pairs"], "from,to,times,transfer [s]", 2),
        (&["what-if", "--zero", "stencil"], "time [s],share,call path,location", 7),
        (&["what-if", "--zero", "stencil", "--table", "changed"], "call path,on,was [s],becomes [s]", 1),
        (&["what-if", "--latency", "x2", "--table", "changed"], "call path,on,was [s],becomes [s]", 0),
    ] {
        let csv = text(&[line, &["--csv", &heat]].concat());
        assert_eq!(csv.lines().next(), Some(head), "{line:?}");
        assert_eq!(csv.lines().count() - 1, rows, "{line:?}: {csv}");
    }
    let phases = "phase,begin [s],end [s],share,mostly,call path,its share,begins because of,change\r\n1,";
    assert!(text(&["phases", "--csv", &heat]).starts_with(phases));
    assert!(text(&["analyze", "--table", "time", "--csv", &heat]).contains("\nlate_sender,0.119"));
    let path = text(&["critical-path", "--csv", &heat]);
    let share = path.lines().nth(1).and_then(|row| row.split(',').nth(1)).unwrap();
    assert!(share.parse::<f64>().is_ok_and(|share| share > 0.7 && share < 0.8), "{path}");
    let runs = text(&["efficiency", "--csv", &heat, &sample("heat-even")]);
    assert!(runs.starts_with("run,processes,threads,run time [s],"), "{runs}");
    assert_eq!(runs.lines().count(), 3);
}

#[test]
fn every_level_sums_to_the_same() {
    let sum = |level: &str| {
        let answer = json(&["analyze", &sample("heat-4"), "--level", level]);
        list(&answer["rows"]).iter().map(|row| row["ticks"].as_u64().unwrap()).sum::<u64>()
    };
    let whole = sum("program");
    for level in ["machine", "process", "thread", "region", "activity"] {
        assert_eq!(sum(level), whole, "{level}");
    }
}

#[test]
fn two_runs_are_compared_by_call_path_wait_and_process() {
    let (uneven, even) = (sample("heat-4"), sample("heat-even"));
    let answer = json(&["diff", &uneven, &even]);
    assert_eq!(answer["schema"], "lotse.trace.diff/1");
    let stencil =
        list(&answer["callpaths"]).iter().find(|row| row["callpath"] == "main/step/stencil").unwrap();
    let of = |rank: usize| stencil["processes"][rank]["change"].as_f64().unwrap();
    assert!(of(3) < -0.05 && of(3) < of(0), "{stencil}");
    let wait = list(&answer["waits"]).iter().find(|row| row["metric"] == "wait_at_nxn").unwrap();
    assert!(wait["seconds"]["change"].as_f64().unwrap() < -0.1, "{wait}");
    let shown = text(&["diff", &uneven, &even]);
    assert!(shown.contains("faster.") && shown.contains("main/step/stencil"), "{shown}");
    let same = text(&["diff", &even, &even]);
    let words: Vec<&str> = same.split_whitespace().collect();
    assert!(words.join(" ").contains("no difference that can be told"), "{same}");
}

#[test]
fn the_timeline_shows_regions_waits_messages_and_the_path() {
    let heat = sample("heat-4");
    let chart = json(&["timeline", &heat]);
    assert_eq!((&chart["schema"], &chart["columns"]), (&"lotse.trace.timeline/1".into(), &1000.into()));
    assert_near(&chart["end"], 0.305);
    assert_eq!((list(&chart["lanes"]).len(), &chart["message_count"]), (4, &24.into()));
    assert_eq!(chart["regions"][0]["name"], "stencil");
    // Rank 0 reads while the others wait for its broadcast; then the path is on rank 3, whose stencil takes longest.
    let first = |lane: usize| chart["lanes"][lane]["waits"][0]["from"].as_u64();
    assert!(first(1).is_some_and(|column| column < 10), "{}", chart["lanes"][1]["waits"]);
    let path: Vec<u64> =
        list(&chart["critical_path"]).iter().map(|it| it["lane"].as_u64().unwrap()).collect();
    assert_eq!((path.first(), path.last(), path.contains(&3)), (Some(&0), Some(&0), true), "{path:?}");
    let part = json(&["timeline", &heat, "--from", "40ms", "--to", "80ms"]);
    assert_near(&part["begin"], 0.04);
    assert_near(&part["end"], 0.08);
}

#[test]
fn the_timeline_is_written_as_a_picture() {
    let (session, heat) = (Session::new(), sample("heat-4"));
    session.lotse(&["trace", "timeline", &heat, "-o", "run.svg"]).exits(0);
    let picture = session.read("run.svg");
    for text in
        ["<svg ", ">stencil</text>", ">rank 3</text>", "critical path", "24 messages", "url(#lotse-wait)"]
    {
        assert!(picture.contains(text), "{text}");
    }
    session.lotse(&["trace", "timeline", &heat, "-o", "run.png"]).exits(2).complains(".svg");
    session.lotse(&["trace", "timeline", &heat, "--from", "9s"]).exits(2).complains("--from");
}

#[test]
fn the_critical_path_has_a_rival() {
    let answer = json(&["critical-path", &sample("heat-4")]);
    assert_eq!(answer["rows"][0]["callpath"], "main/step/stencil");
    assert_near(&answer["rows"][0]["seconds"], 0.240);
    assert!(answer["rival_length"].as_f64().unwrap() < answer["length"].as_f64().unwrap());
    assert!(text(&["critical-path", &sample("heat-4")]).contains("The nearest rival"));
}

/// The prediction for an even spread is what the trace of the even run shows.
#[test]
fn what_if_predicts_what_the_other_trace_shows() {
    let even = json(&["info", &sample("heat-even")]);
    let answer = json(&["what-if", &sample("heat-4"), "--scale", "stencil=0.625"]);
    assert_near(&answer["predicted"], even["runtime"].as_f64().unwrap());
    let balanced = json(&["what-if", &sample("heat-4"), "--balance", "stencil"]);
    assert_near(&balanced["predicted"], even["runtime"].as_f64().unwrap());
    let one = json(&["what-if", &sample("heat-4"), "--scale", "stencil@3=0.5"]);
    assert_near(&one["gain"], 0.120);
    let patterns = json(&["what-if", &sample("heat-4"), "--zero", "read_*"]);
    assert_near(&patterns["gain"], 0.040);
    let zero = json(&["what-if", &sample("heat-4"), "--zero", "main/read_input"]);
    assert_near(&zero["gain"], 0.040);
    let removed = json(&["what-if", &sample("heat-4"), "--remove", "late_broadcast@MPI_Bcast"]);
    assert_eq!(removed["removed_waits"], 3);
    let slower = json(&["what-if", &sample("heat-4"), "--latency", "+1ms"]);
    assert!(slower["gain"].as_f64().unwrap() <= 0.0, "{slower}");
    assert!(json(&["what-if", &sample("heat-4"), "--latency", "x0"])["gain"].as_f64().unwrap() > 0.0);
}

#[test]
fn phases_cover_the_run_and_each_can_be_analysed() {
    let answer = json(&["phases", &sample("heat-4")]);
    let phases = list(&answer["phases"]);
    assert!(phases.len() > 2, "{answer}");
    for pair in phases.windows(2) {
        assert_eq!(pair[0]["end_tick"], pair[1]["begin_tick"]);
    }
    assert_eq!(answer["iterations"]["count"], 6);
    let first = json(&["analyze", &sample("heat-4"), "--phase", "1"]);
    assert_eq!(first["losses"][0]["metric"], "late_broadcast");
    assert_eq!(list(&first["losses"]).len(), 1, "{first}");
    let events = |answer: &Value| answer["events"].as_u64().unwrap();
    assert!(events(&first) < events(&json(&["info", &sample("heat-4")])), "{first}");
}

#[test]
fn overheads_of_the_parallel_run() {
    let (one, four) = (sample("heat-1"), sample("heat-4"));
    let answer = json(&["overheads", "--sequential", &one, "--parallel", &four]);
    let whole = &answer["regions"][0];
    assert_eq!(whole["region"], "(whole run)");
    assert_near(&whole["overhead"], 0.3054 - 0.665 / 4.0);
    assert_eq!(answer["only_parallel"], serde_json::json!(["exchange"]));
}

#[test]
fn efficiencies_of_several_runs() {
    let traces = ["heat-1", "heat-4", "heat-even"].map(sample);
    let answer = json(&["efficiency", &traces[0], &traces[1], &traces[2]]);
    let speedups: Vec<f64> =
        list(&answer["runs"]).iter().map(|run| run["speedup"].as_f64().unwrap()).collect();
    assert!(speedups[0] == 1.0 && speedups[1] < speedups[2], "{speedups:?}");
    assert!(text(&["efficiency", &traces[1]]).contains("load balance"));
}

#[test]
fn exports_are_read_back() {
    let session = Session::new();
    let before = json(&["info", &sample("heat-4")]);
    for out in ["copy.otf2", "heat.json"] {
        let answer = session.lotse(&["trace", "export", &sample("heat-4"), "-o", out]);
        assert_eq!(answer.status, 0, "{out}: {}", answer.stderr);
        let after: Value = session.lotse(&["trace", "info", out, "--json"]).json();
        for key in ["visits", "messages", "location_names", "runtime", "repairs"] {
            assert_eq!(after[key], before[key], "{out}: {key}");
        }
    }
    let csv = session.lotse(&["trace", "export", &sample("heat-4"), "--to", "csv", "-o", "-"]);
    assert_eq!(csv.stdout.lines().count() as u64, before["events"].as_u64().unwrap() + 1);
    let phase =
        session.lotse(&["trace", "export", &sample("heat-4"), "--phase", "1", "--to", "otf2", "-o", "first"]);
    assert_eq!(phase.status, 0, "{}", phase.stderr);
    assert!(session.file("first/traces.otf2").exists());
}

#[test]
fn a_chrome_export_keeps_the_waits() {
    let session = Session::new();
    let chrome = session.file("heat.json").display().to_string();
    assert_eq!(session.lotse(&["trace", "export", &sample("heat-4"), "-o", &chrome]).status, 0);
    let (recorded, again) = (json(&["analyze", &sample("heat-4")]), json(&["analyze", &chrome]));
    assert_eq!(
        (&again["collectives"], &again["messages"]),
        (&recorded["collectives"], &recorded["messages"])
    );
    let totals = |answer: &Value| answer["totals"].as_object().unwrap().clone();
    assert!(totals(&recorded).contains_key("late_broadcast"), "{recorded}");
    assert_eq!(totals(&again).len(), totals(&recorded).len(), "{again}");
    for (metric, seconds) in totals(&recorded) {
        let (before, after) = (seconds.as_f64().unwrap(), again["totals"][&metric].as_f64().unwrap());
        assert!((before - after).abs() < 1e-9, "{metric}: {before} and {after}");
    }
}

/// Formats other than OTF2 are traces as well.
#[test]
fn paraver_is_analysed_too() {
    let answer = json(&["analyze", &sample("ring.prv")]);
    assert_eq!((&answer["format"], &answer["messages"]), (&"paraver".into(), &1.into()));
    assert_eq!(answer["losses"][0]["metric"], "late_sender");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let of = |threads: &str| json(&["analyze", &sample("heat-4"), "--threads", threads]);
    assert_eq!(of("1"), of("7"));
}

#[test]
fn a_pattern_is_explained_with_its_picture() {
    let shown = Session::new().lotse(&["explain", "late_sender"]).stdout;
    for words in ["┤Recv▒▒▒", "min(E(send), X(r)) - E(r)", "What to do", "Example"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}
