//! The result file holds exactly the measured runs.

use lotse_bench::options::{Hooks, Options, ProgramSpec, SelfCheckChoice};
use lotse_bench::trial::{Conclusion, StoppedBy};
use lotse_formats::bench::lotse_log::{self, ResultLog};
use lotse_model::bytes::Memory;

use crate::rig::{Rig, options};

fn read(rig: &Rig) -> ResultLog {
    let bytes = std::fs::read(rig.path("log")).unwrap();
    let reading = lotse_log::read(&Memory { name: "log", bytes: &bytes }).unwrap();
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    reading.value
}

fn two(rig: &Rig) -> Vec<ProgramSpec> {
    vec![rig.program("a", "exit 0"), rig.program("b", "echo x >> n; test $(wc -l < n) -ne 2")]
}

#[test]
fn every_run_is_read_back_bit_by_bit() {
    let rig = Rig::new();
    let finished = rig.logged(&options(two(&rig), 4));
    let log = read(&rig);
    assert_eq!(log.results, finished.set);
    assert_eq!(log.results.runs.iter().filter(|run| run.outcome.exit_code == Some(1)).count(), 1);
    // A header, four blocks, an end.
    assert_eq!(rig.lines("log").len(), 6);
    let end = Conclusion::from_record(&log.end.unwrap()).unwrap();
    assert_eq!((end.stopped_by, end.blocks), (StoppedBy::Runs, 4));
    let nominal: Vec<f64> = end.looks.iter().map(|look| look.nominal_p).collect();
    assert_eq!(nominal, [finished.conclusion.looks[0].nominal_p]);
}

#[test]
fn the_control_arm_is_in_the_file_and_hidden_from_the_result() {
    let rig = Rig::new();
    let finished = rig.logged(&Options { self_check: SelfCheckChoice::Arm, ..options(two(&rig), 3) });
    let log = read(&rig).results;
    assert_eq!(log.programs.len(), 3);
    assert_eq!((log.runs.len(), finished.set.runs.len()), (9, 6));
    assert!(log.runs.iter().filter(|run| run.program.0 < 2).eq(&finished.set.runs));
    assert_eq!(finished.set.programs.len(), 2);
    assert_eq!(finished.answer.self_check.unwrap().repeats, 1);
}

#[test]
fn repeated_control_comparisons_are_not_in_the_file_and_are_set_up_each() {
    let rig = Rig::new();
    let say = |word: &str| Some(format!("echo x >> {word}"));
    let hooks = Hooks {
        setup: say("setup"),
        prepare: say("prepare"),
        conclude: say("conclude"),
        cleanup: say("cleanup"),
    };
    let programs = vec![ProgramSpec { hooks, ..rig.program("a", "true") }, rig.program("b", "true")];
    let finished = rig.logged(&Options { self_check: SelfCheckChoice::Repeat(2), ..options(programs, 3) });
    assert_eq!(read(&rig).results, finished.set);
    assert_eq!(finished.set.runs.len(), 6);
    assert_eq!(finished.answer.self_check.unwrap().repeats, 2);
    // Three runs of the measurement, and in each of two repeats three of the program and three of its copy: 5 setups, 15 runs.
    let count = |word: &str| rig.lines(word).len();
    assert_eq!(["setup", "prepare", "conclude", "cleanup"].map(count), [5, 15, 15, 5]);
}
