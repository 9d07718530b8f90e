//! Impossible values of options, unused parameters, and data that no run can have.

use crate::session::Session;

#[test]
fn shares_and_times_below_zero_are_refused() {
    let session = Session::new();
    for (option, value) in [
        ("--delta", "-50%"),
        ("--delta", "0"),
        ("--until", "-2%"),
        ("--level", "-95%"),
        ("--budget", "-1s"),
        ("--timeout", "-1s"),
    ] {
        let refused = session.lotse(&["bench", option, value, "true", "true"]).exits(2);
        assert!(refused.stderr.contains("must be above 0"), "{option} {value}: {}", refused.stderr);
    }
}

#[test]
fn a_budget_that_ends_before_ten_runs_is_named() {
    let session = Session::new();
    let args = ["bench", "--budget", "500ms", "--json", "sleep 0.3", "sleep 0.2"];
    let answer = session.lotse(&args).json();
    assert_eq!(answer["conclusion"]["stopped_by"], "budget");
    session.lotse(&["bench", "--budget", "300ms", "sleep 0.2", "sleep 0.1"]).says("the --budget was over");
    let help = session.lotse(&["bench", "--help"]).stdout;
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(words.join(" ").contains("fewer where a given --budget is over before"), "{help}");
}

#[test]
fn a_parameter_that_no_command_has_is_named_even_quietly() {
    let session = Session::new();
    let remark = "no command has {n}: the programs for its 2 values are the same";
    session.lotse(&["bench", "-q", "--runs", "2", "-P", "n", "1", "2", "echo {m}"]).complains(remark);
    let used = session.lotse(&["bench", "--runs", "2", "-P", "n", "1", "2", "echo {n}"]);
    assert!(!used.stderr.contains("no command has"), "{}", used.stderr);
}

#[test]
fn a_misspelt_key_of_a_suite_is_named_even_quietly() {
    let session = Session::new();
    session.write("suite.yaml", "- attributes: {description: a}\n  run_config: {cmd: 'true', rnus: 3}\n");
    session.lotse(&["bench", "-f", "suite.yaml", "-q", "--runs", "2"]).complains("rnus");
}

#[test]
fn exit_codes_to_ignore_need_an_equals_sign() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "2", "-i", "3", "sh -c 'exit 3'"]).exits(2).complains("-i=3");
    session.lotse(&["bench", "--runs", "2", "-i=3", "sh -c 'exit 3'"]).exits(0);
}

#[test]
fn foreign_data_that_no_run_can_have_is_not_counted() {
    let session = Session::new();
    let text =
        r#"{"results": [{"command": "a", "times": [0.1, -0.2, 0.0, 0.11], "exit_codes": [0, 0, 0, 3]}]}"#;
    session.write("h.json", text);
    let answer = session.lotse(&["bench", "report", "--json", "h.json"]);
    assert!(answer.stderr.contains("a, run 2: expected no negative wall, found -0.2"), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("1 of 4 runs of `a` ended with an exit code other than 0"),
        "{}",
        answer.stderr
    );
    let answer = answer.json();
    assert_eq!(crate::session::texts(&answer["runs"], "status"), ["ok", "invalid", "invalid", "ok"]);
}

#[test]
fn a_log_with_another_name_of_a_metric_in_one_line_is_reported() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "3", "--out", "log", "true"]);
    let mut lines = session.lines("log");
    lines[2] = lines[2].replace("\"wall\"", "\"wal\"");
    session.write("changed", &(lines.join("\n") + "\n"));
    session.lotse(&["bench", "report", "changed"]).complains("line 3: a good run of true has no value of");
}

#[test]
fn words_of_the_options_are_explained() {
    let session = Session::new();
    for word in ["shell", "budget", "min-runs"] {
        session.lotse(&["explain", word]).exits(0);
    }
}
