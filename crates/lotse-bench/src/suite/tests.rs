//! Programs of a suite, and its settings for all of them.

use std::path::PathBuf;

use lotse_formats::bench::temci_settings::{RunCounts, RunSettings};
use lotse_model::suite::{Suite, SuiteProgram};

use super::{Shell, SuiteError, programs, with_settings};

fn program(name: &str, runner: Option<&str>, min_runs: u32) -> SuiteProgram {
    SuiteProgram {
        name: Some(name.into()),
        commands: vec!["sleep 0.01 | cat".into()],
        runner: runner.map(str::to_owned),
        min_runs: Some(min_runs),
        ..SuiteProgram::default()
    }
}

#[test]
fn programs_go_through_a_shell_under_distinct_names() {
    let suite =
        Suite { programs: vec![program("a", None, 5), program("a", Some("time"), 20)], ..Suite::default() };
    let (specs, settings) = programs(&suite, &Shell::system()).unwrap();
    assert_eq!(specs[0].alternatives[0], ["sh", "-c", "sleep 0.01 | cat"]);
    assert_eq!(specs[1].program.name, "a #2");
    assert_eq!((settings.min_runs, settings.runner.as_deref()), (Some(20), Some("rusage")));
}

#[test]
fn unusable_suites_say_why() {
    assert!(matches!(programs(&Suite::default(), &Shell::system()), Err(SuiteError::Empty)));
    let mixed = Suite {
        programs: vec![program("a", Some("rusage"), 1), program("b", Some("valgrind"), 1)],
        ..Suite::default()
    };
    let error = programs(&mixed, &Shell::system()).err().unwrap();
    assert!(error.to_string().contains("rusage, valgrind"), "{error}");
    let silent = SuiteProgram { commands: vec![], ..program("quiet", None, 1) };
    let error =
        programs(&Suite { programs: vec![silent], ..Suite::default() }, &Shell::system()).err().unwrap();
    assert_eq!(error.to_string(), "program 1 of the suite (quiet) has no command: give it a run_cmd");
}

#[test]
fn all_settings_of_a_program_apply_to_its_runs() {
    let program = SuiteProgram {
        name: None,
        commands: vec!["a | b".into(), "c".into()],
        environment: [("X".to_owned(), "1".to_owned())].into(),
        directories: vec!["sub".into()],
        tags: vec!["fast".into()],
        ..SuiteProgram::default()
    };
    let (specs, _) =
        programs(&Suite { programs: vec![program], ..Suite::default() }, &Shell::system()).unwrap();
    let spec = &specs[0];
    assert_eq!((spec.program.name.as_str(), spec.program.command.as_str()), ("a | b", "a | b"));
    assert_eq!(spec.alternatives, [["sh", "-c", "a | b"], ["sh", "-c", "c"]]);
    assert_eq!(spec.program.commands, ["a | b", "c"]);
    assert_eq!(spec.environment, [("X".to_owned(), "1".to_owned())]);
    assert_eq!(spec.directory.as_deref(), Some("sub".as_ref()));
    assert_eq!(spec.program.tags, ["fast"]);
}

#[test]
fn the_most_demanding_program_sets_the_numbers() {
    let demand = |runs, discarded, metrics: &[&str]| SuiteProgram {
        max_runs: runs,
        runs,
        discarded_runs: discarded,
        metrics: metrics.iter().map(|&name| name.to_owned()).collect(),
        ..program("a", None, 3)
    };
    let suite = Suite {
        programs: vec![
            demand(None, Some(2), &["wall"]),
            demand(Some(9), None, &["cpu"]),
            demand(Some(4), Some(1), &[]),
        ],
        ..Suite::default()
    };
    let (_, settings) = programs(&suite, &Shell::system()).unwrap();
    assert_eq!((settings.runs, settings.max_runs, settings.discarded_runs), (Some(9), Some(9), Some(2)));
    assert_eq!((settings.min_runs, settings.runner), (Some(3), None));
    assert_eq!(settings.metrics, ["wall", "cpu"]);
    let remarks: Vec<&str> = settings.remarks.iter().map(|text| text.split(':').next().unwrap()).collect();
    let different = |key: &str, numbers: &str| {
        format!("the programs of the suite name different numbers of {key} ({numbers})")
    };
    let expected = [("runs", "none, 9, 4"), ("max_runs", "none, 9, 4"), ("discarded_runs", "2, none, 1")]
        .map(|(key, numbers)| different(key, numbers));
    assert_eq!(remarks, expected);
}

#[test]
fn names_of_temci_s_runners_are_translated() {
    for (theirs, ours) in
        [("time", "rusage"), ("rusage", "rusage"), ("perf_stat", "perf-stat"), ("output", "output")]
    {
        let suite = Suite { programs: vec![program("a", Some(theirs), 1)], ..Suite::default() };
        assert_eq!(programs(&suite, &Shell::system()).unwrap().1.runner.as_deref(), Some(ours));
    }
}

#[test]
fn a_number_that_is_taken_is_skipped() {
    let names = ["a", "a #2", "a", "a", "b"];
    let suite = Suite { programs: names.map(|name| program(name, None, 1)).into(), ..Suite::default() };
    let (specs, _) = programs(&suite, &Shell::system()).unwrap();
    let distinct: Vec<&str> = specs.iter().map(|spec| spec.program.name.as_str()).collect();
    assert_eq!(distinct, ["a", "a #2", "a #3", "a #4", "b"]);
}

/// One command in several directories is a program with builds; otherwise every command has its own or they share one.
#[test]
fn directories_belong_to_builds_or_to_commands() {
    let placed = |commands: &[&str], directories: &[&str]| {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<String>>();
        let program = SuiteProgram {
            name: Some("a".into()),
            commands: texts(commands),
            directories: texts(directories),
            ..SuiteProgram::default()
        };
        programs(&Suite { programs: vec![program], ..Suite::default() }, &Shell::system())
    };
    let (specs, _) = placed(&["./a"], &["0", "1", "2"]).unwrap();
    assert!(specs[0].are_builds && specs[0].alternatives.len() == 3);
    assert_eq!(specs[0].directories, ["0", "1", "2"].map(PathBuf::from));
    let (specs, _) = placed(&["./a", "./b"], &["0", "1"]).unwrap();
    assert!(!specs[0].are_builds && specs[0].directories.len() == 2);
    let (specs, _) = placed(&["./a", "./b"], &["0"]).unwrap();
    assert!(specs[0].directories.is_empty() && specs[0].directory == Some(PathBuf::from("0")));
    let error = placed(&["./a", "./b"], &["0", "1", "2"]).err().unwrap().to_string();
    assert_eq!(error, "a has 2 commands and 3 directories: give one directory for all, or one for each");
}

#[test]
fn settings_fill_what_programs_leave_open() {
    let mut suite = Suite {
        programs: vec![
            SuiteProgram { runs: Some(7), ..program("own", Some("time"), 5) },
            SuiteProgram { min_runs: None, tags: vec!["slow".into()], ..program("tagged", None, 0) },
        ],
        ..Suite::default()
    };
    let tagged = RunCounts { max_runs: Some(30), min_runs: Some(9), ..RunCounts::default() };
    let settings = RunSettings {
        counts: RunCounts {
            min_runs: Some(4),
            max_runs: Some(50),
            discarded: Some(1),
            ..RunCounts::default()
        },
        per_tag: [("slow".to_owned(), tagged)].into(),
        runner: Some("output".into()),
        separation: vec!["sync".into()],
        ..RunSettings::default()
    };
    with_settings(&mut suite, &settings);
    let numbers = |it: &SuiteProgram| (it.runs, it.min_runs, it.max_runs, it.discarded_runs);
    assert_eq!(numbers(&suite.programs[0]), (Some(7), Some(5), Some(50), Some(1)));
    assert_eq!(numbers(&suite.programs[1]), (None, Some(9), Some(30), Some(1)));
    assert!(suite.programs.iter().all(|it| it.runner.as_deref() == Some("output")));
    assert_eq!(suite.separation, ["sync"]);
}
