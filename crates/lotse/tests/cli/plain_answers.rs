//! Sentences of an answer: they follow from the intervals, and say what is left out.

use serde_json::Value;

use crate::session::{Session, WORK, list};

const STEADY: &[u32] = &[1000, 1001, 999];

#[test]
fn a_note_about_few_runs_does_not_deny_the_verdict_below_it() {
    let session = Session::new();
    for (name, values) in [("a", [100, 101]), ("b", [202, 200]), ("c", [301, 303]), ("d", [399, 402])] {
        session.worker(name, &values);
    }
    let programs = ["./a", "./b", "./c", "./d"];
    let bench = |runs: &'static str| {
        session.lotse(&[&["bench", "--json", "--seed", "1", "--runs", runs], &WORK[..], &programs].concat())
    };
    let some =
        bench("10").complains("10 runs of each program may be too few to show even a large difference");
    let few = bench("5").complains("5 runs of each program cannot show a difference");
    // Of the measured metrics, memory may well be equal in five runs.
    let decided = |answer: &Value| {
        let mut rows = list(&answer["comparisons"]).iter().filter(|row| row["primary"] == true);
        rows.any(|row| row["verdict"] != "undecided")
    };
    assert!(!decided(&few.json()) && decided(&some.json()));
    assert!(!bench("20").stderr.contains("of each program"));
}

#[test]
fn a_difference_within_delta_is_described_as_too_small_to_matter() {
    let session = Session::new();
    session.worker("old", STEADY).worker("new", &[1005, 1006, 1004]);
    let bench = |extra: &[&str]| {
        session
            .lotse(
                &[&["bench", "--seed", "1", "--runs", "20"], extra, &WORK[..], &["./old", "./new"]].concat(),
            )
            .exits(0)
    };
    let small = bench(&["-q"]);
    assert!(small.stdout.ends_with("; within --delta 1 %, too small to matter\n"), "{}", small.stdout);
    let row = |delta: &str| {
        let answer = bench(&["--json", "--delta", delta]).json();
        let row = list(&answer["comparisons"]).iter().find(|row| row["primary"] == true).unwrap();
        (row["verdict"].clone(), row["within_delta"].clone())
    };
    assert_eq!(row("1%"), ("slower".into(), true.into()));
    assert_eq!(row("0.1%"), ("slower".into(), false.into()));
}

#[test]
fn tables_show_the_interval_itself() {
    let session = Session::new();
    session.worker("old", &[100, 104, 98]).worker("new", &[50, 57, 49]);
    let args = [&["--runs", "20", "--export-markdown", "t.md"], &WORK[..], &["./old", "./new"]].concat();
    let answer = session.bench(&args);
    let interval = &list(&answer["comparisons"])[0]["interval"];
    let ends = [0, 1].map(|end| format!("{:.4}", interval[end].as_f64().unwrap()));
    let table = session.read("t.md");
    assert!(table.contains("Relative (95 % interval)"), "{table}");
    assert!(table.contains(&format!("({} to {})", ends[0], ends[1])), "{table}\n{interval}");
}

#[test]
fn p_values_beyond_the_table_are_bounds() {
    let session = Session::new();
    session.worker("old", &[100, 104, 98]).worker("new", &[50, 57, 49]);
    let sequential = ["--runs", "20", "--order", "sequential", "--out", "log"];
    session.bench(&[&sequential[..], &WORK, &["./old", "./new"]].concat());
    session.lotse(&["--wide", "bench", "report", "log"]).says("≤ 0.001");
    let csv = session.lotse(&["bench", "report", "--to", "csv", "--table", "comparisons", "log"]).stdout;
    assert!(csv.contains(",0.001,an upper bound"), "{csv}");
}

#[test]
fn different_numbers_of_runs_in_a_suite_are_reported() {
    let session = Session::new();
    session.write(
        "s.yaml",
        "- run_config: {run_cmd: 'sleep 0.001', runs: 3}\n- run_config: {run_cmd: 'sleep 0.002', runs: 7}\n",
    );
    let answer = session.lotse(&["bench", "--json", "-f", "s.yaml"]);
    let samples = &answer.json()["programs"][0]["samples"]["wall"];
    assert_eq!(list(samples).len(), 7);
    answer.complains("name different numbers of runs (3, 7): all of them get 7");
}

#[test]
fn slow_commands_around_the_runs_do_not_leave_too_few_runs() {
    let session = Session::new();
    // Ten runs of `true` fit into two seconds on any machine, ten of the command before them do not.
    let args = ["bench", "--json", "--budget", "2s", "--prepare", "sleep 0.25", "true"];
    let answer = session.lotse(&args).json();
    assert!(list(&answer["programs"][0]["samples"]["wall"]).len() >= 10, "{answer}");
}

#[test]
fn quiet_answers_about_one_program_say_what_was_found() {
    let session = Session::new();
    session.worker("one", STEADY);
    let quiet = |extra: &[&str]| session.lotse(&[&["bench", "-q"], extra, &WORK[..], &["./one"]].concat());
    quiet(&["--runs", "12", "--aa=2"]).says("self-check, ./one against itself").says("in 2;");
    let until = quiet(&["--until", "5%"]).exits(0);
    assert!(
        until.stdout.contains("; its centre lies between ")
            && until.stdout.contains("as precise as --until 5 %")
    );
}
