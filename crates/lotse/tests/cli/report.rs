//! `lotse bench report`: results of other tools and of Lotse.

use serde_json::Value;

use crate::session::{Session, fixture, list, texts};

fn read(files: &[&str], args: &[&str]) -> Value {
    let paths: Vec<String> = files.iter().map(|file| fixture(file)).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    Session::new().lotse(&[&["bench", "report", "--json"], args, &paths].concat()).json()
}

#[test]
fn hyperfine_s_files() {
    let expected: [(&str, &[&str]); 4] = [
        ("hyperfine-1.5.json", &["sleep 0.01"]),
        ("hyperfine-1.20.json", &["sleep 0.01"]),
        ("hyperfine-2.0-parameters.json", &["sleep 0.001", "sleep 0.002"]),
        ("hyperfine-2.0-one-run.json", &["one", "two"]),
    ];
    for (file, names) in expected {
        let answer = read(&[file], &[]);
        assert_eq!(texts(&answer["programs"], "name"), names, "{file}");
        assert!(!list(&answer["programs"][0]["samples"]["wall"]).is_empty(), "{file}");
    }
}

#[test]
fn every_fixture_gives_a_report() {
    let files = [
        "hyperfine-1.5.json",
        "hyperfine-1.10.json",
        "hyperfine-1.18.json",
        "hyperfine-1.20.json",
        "hyperfine-2.0-environment.json",
        "hyperfine-2.0-failing.json",
        "hyperfine-2.0-one-run.json",
        "hyperfine-2.0-parameters.json",
        "temci-0.8.5-full.yaml",
        "temci-0.8.5-short.yaml",
        "lotse-log-1.jsonl",
        "lotse-answer-1.json",
    ];
    for file in files {
        let answer = Session::new().lotse(&["bench", "report", &fixture(file)]);
        let failed = answer.stderr.contains("runs failed");
        let expected: &[i32] = if failed { &[3] } else { &[0, 5] };
        assert!(expected.contains(&answer.status), "{file}: {} {}", answer.status, answer.stderr);
        assert_eq!(
            failed,
            ["temci-0.8.5-full.yaml", "lotse-log-1.jsonl", "lotse-answer-1.json"].contains(&file),
            "{file}"
        );
        assert!(!answer.stdout.is_empty() && !answer.stdout.contains("NaN"), "{file}:\n{}", answer.stdout);
    }
}

#[test]
fn every_format() {
    let session = Session::new();
    let file = fixture("hyperfine-2.0-parameters.json");
    let signs = [
        ("terminal", "sleep 0.001"),
        ("html", "<svg"),
        ("markdown", "| "),
        ("asciidoc", "|==="),
        ("org", "|--"),
        ("csv", ","),
        ("latex", "\\begin{tabular}"),
        ("json", "lotse.bench/1"),
        ("hyperfine", "\"schema_version\": 2"),
        ("hyperfine1", "\"times\""),
        ("temci", "etime"),
        ("sarif", "2.1.0"),
    ];
    for (format, sign) in signs {
        let printed = session.lotse(&["bench", "report", "--to", format, &file]).exits(5);
        assert!(printed.stdout.contains(sign), "{format}:\n{}", printed.stdout);
        session.lotse(&["bench", "report", "--to", format, "-o", "file", &file]).exits(5);
        let file = session.read("file");
        assert!(format == "terminal" || printed.stdout == file, "{format}:\n{file}");
    }
}

#[test]
fn what_was_written_as_hyperfine_s_can_be_read_again() {
    let session = Session::new();
    let before = read(&["hyperfine-2.0-parameters.json"], &[]);
    for format in ["hyperfine", "hyperfine1"] {
        let file = fixture("hyperfine-2.0-parameters.json");
        session.lotse(&["bench", "report", "--to", format, "-o", "again.json", &file]).exits(5);
        let after = session.lotse(&["bench", "report", "--json", "again.json"]).exits(5).json();
        for program in 0..2 {
            let wall = |answer: &Value| answer["programs"][program]["samples"]["wall"].clone();
            assert_eq!(wall(&before), wall(&after), "{format}");
        }
    }
}

#[test]
fn several_files_are_joined() {
    let answer = read(&["hyperfine-1.20.json", "hyperfine-2.0-parameters.json"], &[]);
    assert_eq!(texts(&answer["programs"], "name"), ["sleep 0.01", "sleep 0.001", "sleep 0.002"]);
    let twice = read(&["hyperfine-1.20.json", "hyperfine-1.20.json"], &[]);
    let names = texts(&twice["programs"], "name");
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
}

#[test]
fn the_reference_and_the_metric_can_be_chosen() {
    let answer =
        read(&["hyperfine-2.0-parameters.json"], &["--reference", "sleep 0.002", "--metric", "user"]);
    assert_eq!(answer["comparisons"][0]["reference"], "sleep 0.002");
    let primary: Vec<&Value> =
        list(&answer["comparisons"]).iter().filter(|it| it["primary"] == true).collect();
    assert_eq!((primary.len(), &primary[0]["metric"]), (1, &"user".into()));
}

#[test]
fn a_reference_or_a_metric_that_is_not_there() {
    let session = Session::new();
    let file = fixture("hyperfine-2.0-parameters.json");
    let answer = session.lotse(&["bench", "report", "--reference", "slep", &file]).exits(2);
    assert_eq!(answer.stderr, "error: there is no program 'slep'; there are sleep 0.001, sleep 0.002\n");
    let answer = session.lotse(&["bench", "report", "--metric", "wlal", &file]).exits(2);
    assert!(
        answer.stderr.starts_with("error: no run gave a value of 'wlal'; there are wall,"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_log_cut_short_gives_what_it_holds() {
    let session = Session::new();
    session.lotse(&["bench", "-q", "--runs", "5", "--out", "log", "true", "sleep 0.001"]);
    let whole = session.read("log");
    let lines: Vec<&str> = whole.lines().collect();
    session.write("cut", &format!("{}\n{}", lines[..4].join("\n"), &lines[4][..40]));
    let answer = session.lotse(&["bench", "report", "--json", "cut"]).exits(6);
    assert_eq!(list(&answer.json()["runs"]).len(), 6);
    answer.complains("cut").complains("line 5");
}

#[test]
fn damage_is_named_with_its_place() {
    let session = Session::new();
    session.write("broken.json", "{\"results\": [{\"command\": \"a\", \"times\": [0.1, 0.2");
    let answer = session.lotse(&["bench", "report", "broken.json"]).exits(6);
    answer.complains("broken.json").complains("line 1");
}

#[test]
fn from_standard_input() {
    let session = Session::new();
    let text = std::fs::File::open(fixture("hyperfine-1.20.json")).unwrap();
    let output = session.command(&["bench", "report", "-"]).stdin(text).output().unwrap();
    crate::session::Answer::from_output(output).exits(0).says("sleep 0.01");
}

#[test]
fn only_programs_with_a_tag() {
    let answer = read(&["temci-0.8.5-full.yaml"], &["--tag", "slow"]);
    let names = texts(&answer["programs"], "name");
    assert_eq!(names, ["sleepy"]);
}

#[test]
fn a_suite_of_temci_s_is_measured() {
    let session = Session::new();
    let suite = "- attributes: {description: short, tags: [s]}\n  run_config: {run_cmd: 'sleep 0.001', runs: 3}\n\
                 - attributes: {description: long}\n  run_config: {run_cmd: 'echo x >> ran; sleep 0.002'}\n";
    session.write("suite.yaml", suite);
    let answer = session.bench(&["-f", "suite.yaml"]);
    assert_eq!(texts(&answer["programs"], "name"), ["short", "long"]);
    assert_eq!((session.lines("ran").len(), list(&answer["runs"]).len()), (3, 6));
    assert_eq!(answer["programs"][0]["tags"], serde_json::json!(["s"]));
}

#[test]
fn a_file_gets_what_the_terminal_gets() {
    let session = Session::new();
    let file = fixture("hyperfine-2.0-parameters.json");
    let printed = session.lotse(&["bench", "report", &file]).exits(5);
    session.lotse(&["bench", "report", "-o", "file", &file]).exits(5);
    assert_eq!(session.read("file"), printed.stdout);
}

#[test]
fn two_values_do_not_make_a_coarse_clock() {
    let answer = read(&["hyperfine-2.0-parameters.json"], &[]);
    let rules: Vec<&Value> = list(&answer["findings"]).iter().map(|finding| &finding["rule"]["id"]).collect();
    assert!(!rules.contains(&&"bench-clock-resolution".into()), "{rules:?}");
}

#[test]
fn only_verdicts_when_quiet() {
    let file = fixture("hyperfine-2.0-parameters.json");
    let answer = Session::new().lotse(&["bench", "report", "-q", &file]).exits(5);
    let expected = "undecided: too few runs to bound the time of sleep 0.002 against sleep 0.001\n";
    assert_eq!(answer.stdout, expected);
}

#[test]
fn a_tag_nobody_has() {
    let file = fixture("temci-0.8.5-full.yaml");
    Session::new().lotse(&["bench", "report", "--tag", "slwo", &file]).exits(2).complains("slwo");
}

#[test]
fn a_file_without_measurements_is_named() {
    let session = Session::new();
    let header = std::fs::read_to_string(fixture("lotse-log-1.jsonl")).unwrap();
    session.write("begun.jsonl", header.lines().next().unwrap());
    session.lotse(&["bench", "report", "begun.jsonl"]).exits(6).complains("begun.jsonl");
}

#[test]
fn a_result_given_as_a_suite_gets_advice_that_works() {
    let answer = Session::new().lotse(&["bench", "-f", &fixture("hyperfine-1.20.json")]).exits(6);
    assert!(!answer.stderr.contains("--format"), "{}", answer.stderr);
}

#[test]
fn a_damaged_line_is_left_out_and_the_rest_read() {
    let session = Session::new();
    let log = std::fs::read_to_string(fixture("lotse-log-1.jsonl")).unwrap();
    let (header, rest) = log.split_once('\n').unwrap();
    session.write("damaged.jsonl", &format!("{header}\ngarbage\n{rest}"));
    let answer = session.lotse(&["bench", "report", "--json", "damaged.jsonl"]).exits(6);
    let whole = session.lotse(&["bench", "report", "--json", &fixture("lotse-log-1.jsonl")]).json();
    assert_eq!(answer.json()["runs"], whole["runs"]);
    answer.complains("damaged.jsonl: line 2");
}
