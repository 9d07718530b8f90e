//! What an answer contains, and what is printed on standard error when the answer goes elsewhere.

use crate::session::{Session, WORK, list, numbers};

#[test]
fn a_missed_precision_ends_with_5_and_says_so() {
    let session = Session::new();
    session.worker("old", &[100, 130, 90, 101, 140]).worker("new", &[100, 120, 80, 99, 150, 104]);
    for programs in [&["./old"][..], &["./old", "./new"]] {
        for order in ["blocks", "sequential"] {
            let bench = |until: &str, output: &[&str]| {
                let args = ["bench", "-M", "20", "--order", order, "--until", until];
                session.lotse(&[&args, output, &WORK, programs].concat())
            };
            let missed = bench("0.1%", &["--json"]).exits(5);
            let precision = missed.json()["precision"].clone();
            assert_eq!((&precision["asked"], &precision["met"]), (&0.001.into(), &false.into()));
            assert!(precision["reached"].as_f64().unwrap() > 0.001, "{precision}");
            missed.complains("--until ± 0.10 % was not reached: it is ± ");
            bench("0.1%", &[]).exits(5).says("bench-until-missed");
        }
        let met = session
            .lotse(&[&["bench", "-M", "20", "--json", "--until", "80%"], &WORK[..], programs].concat());
        assert_eq!(met.json()["precision"]["met"], true, "{}", met.stdout);
        assert!(!met.stderr.contains("--until"), "{}", met.stderr);
    }
}

#[test]
fn a_precise_answer_about_one_program_ends_with_0() {
    let session = Session::new();
    session.worker("steady", &[1000, 1001, 999]);
    session.lotse(&[&["bench", "-M", "20", "--until", "1%"], &WORK[..], &["./steady"]].concat()).exits(0);
}

#[test]
fn results_carry_date_and_host() {
    let session = Session::new();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let exports = [
        "--out",
        "log",
        "--export-json",
        "theirs.json",
        "--export-temci",
        "temci.yaml",
        "--export-html",
        "full.html",
    ];
    let json = session.bench(&[&["-r", "2"], &exports[..], &["true"]].concat());
    let date = json["date"].as_str().unwrap().to_owned();
    assert!(date.len() == 20 && date.ends_with('Z'), "{date}");
    assert_eq!(json["machine"]["host"], host);
    let header: serde_json::Value = serde_json::from_str(&session.lines("log")[0]).unwrap();
    assert_eq!((&header["date"], &header["machine"]["host"]), (&date.clone().into(), &host.clone().into()));
    assert_eq!(session.read_json("theirs.json")["metadata"]["start_time"], date);
    for export in ["temci.yaml", "full.html"] {
        let text = session.read(export);
        assert!(text.contains(&date) && text.contains(&host), "{export}:\n{text}");
    }
    // Date and host are those of the measurement, not of the report.
    session.lotse(&["bench", "report", "--to", "hyperfine", "-o", "again.json", "log"]).exits(0);
    assert_eq!(session.read_json("again.json")["metadata"]["start_time"], date);
    let read = session.lotse(&["bench", "report", "--json", "again.json"]).json();
    assert_eq!(read["date"], date);
    // A file without a date does not get the date of the report.
    session.write("old.json", r#"{"results": [{"command": "x", "times": [1.0, 2.0]}]}"#);
    session.lotse(&["bench", "report", "--to", "hyperfine", "-o", "new.json", "old.json"]);
    assert_eq!(session.read_json("new.json")["metadata"].get("start_time"), None);
}

#[test]
fn every_error_is_also_one_line_on_standard_error() {
    let session = Session::new();
    let failing = ["bench", "-r", "4", "sh -c 'exit 7'"];
    for extra in [&["--json"][..], &["-q"], &[]] {
        let answer = session.lotse(&[&failing[..], extra].concat()).exits(3);
        let lines: Vec<&str> = answer.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(lines.len(), 1, "{extra:?}: {}", answer.stderr);
        assert!(lines[0].contains("exit code 7"), "{extra:?}: {}", answer.stderr);
    }
    let undecided = session.lotse(&["bench", "--json", "-r", "2", "true", "true"]).exits(5);
    undecided.complains("undecided: ");
    session.bench(&["-r", "2", "--out", "log", "true", "true"]);
    session.lotse(&["bench", "report", "-o", "file", "log"]).exits(5).complains("undecided: ");
}

#[test]
fn metrics_that_were_chosen_are_shown() {
    let session = Session::new();
    for programs in [&["true"][..], &["true", "true x"]] {
        let args = ["bench", "-r", "3", "--wide", "--metrics", "wall,user,minor_faults"];
        let answer = session.lotse(&[&args[..], programs].concat()).says("user").says("minor faults");
        assert!(!answer.stdout.lines().next().unwrap_or("").contains("peak memory"), "{}", answer.stdout);
    }
    let answer = session.lotse(&["bench", "-r", "3", "--metric", "minor_faults", "true"]).exits(0);
    answer.says("minor_faults");
}

#[test]
fn a_metric_that_is_mostly_0_has_a_sentence_and_no_ratio() {
    let session = Session::new();
    session.worker("old", &[0, 0, 0, 2, 0]).worker("new", &[0, 0, 3, 0, 0, 0, 0]);
    for order in ["blocks", "sequential"] {
        let args = ["bench", "--json", "-r", "20", "--order", order];
        let json = session.lotse(&[&args, &WORK[..], &["./old", "./new"]].concat()).json();
        let row = list(&json["comparisons"]).iter().find(|row| row["metric"] == "work").unwrap();
        assert_eq!(
            (&row["ratio"], &row["interval"]),
            (&serde_json::Value::Null, &serde_json::json!([null, null]))
        );
        let sentence = row["warnings"][0].as_str().unwrap();
        assert!(sentence.starts_with("work is 0 in ") && sentence.contains("so there is no ratio"), "{row}");
        let [low, high] = numbers(&row["difference"]["interval"])[..] else { panic!("{row}") };
        assert!(low <= 0.0 && high >= 0.0, "{row}");
    }
}
