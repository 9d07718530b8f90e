//! temci's results and suites key by key: what is read, what is reported, and what is read back after writing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use lotse_formats::bench::{temci_result, temci_suite};
use lotse_formats::{Diagnostic, Reading, read_results, read_suite};
use lotse_model::bytes::Memory;
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Disturbance, Levels, Outcome, Program, Run, Status};
use lotse_model::suite::SuiteProgram;
use lotse_model::{Metric, ResultSet, Suite, Unit};
use serde_json::{Value, json};

fn suite(yaml: &str) -> Reading<Suite> {
    read_suite(&Memory { name: "suite", bytes: yaml.as_bytes() }, Some("temci-suite")).unwrap()
}

fn results(yaml: &str) -> Reading<ResultSet> {
    read_results(&Memory { name: "results", bytes: yaml.as_bytes() }, Some("temci")).unwrap()
}

fn formatted(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|odd| format!("{:?}: {odd}\n", odd.weight)).collect()
}

fn check_diagnostics(yaml: &str, expected: Expect) {
    expected.assert_eq(&formatted(&suite(yaml).diagnostics));
}

/// The programs with their attributes, the runs with values and outcome, then the diagnostics.
fn check_results(yaml: &str, expected: Expect) {
    let reading = results(yaml);
    let set = &reading.value;
    let mut text = String::new();
    for (id, Program { name, command, parameters, tags, attributes, .. }) in
        set.program_ids().zip(&set.programs)
    {
        let attributes = serde_json::to_string(attributes).unwrap();
        writeln!(text, "{name} ({command}) {parameters:?} {tags:?} {attributes}").unwrap();
        for run in set.runs.iter().filter(|run| run.program == id) {
            let outcome = serde_json::to_string(&run.outcome).unwrap();
            writeln!(text, "  {}: {:?} {outcome}", run.block.0, run.values).unwrap();
        }
    }
    expected.assert_eq(&(text + &formatted(&reading.diagnostics)));
}

/// The program of a suite with these lines in its run configuration.
fn configured(lines: &str) -> (SuiteProgram, Reading<Suite>) {
    let mut yaml = "- run_config:\n    cmd: first\n".to_owned();
    yaml.extend(lines.lines().map(|line| format!("    {line}\n")));
    let reading = suite(&yaml);
    (reading.value.programs[0].clone(), reading)
}

#[test]
fn every_key_of_a_run_configuration_is_understood() {
    for (lines, pointer, expected) in [
        ("run_cmd: [a, '', b]", "/commands", json!(["first", "a", "b"])),
        ("run_cmd: 7", "/commands", json!(["first", "7"])),
        ("env: {A: 1, B: true, C: x}", "/environment", json!({ "A": "1", "B": "true", "C": "x" })),
        ("env: null", "/environment", json!({})),
        ("cwd: /tmp", "/directories", json!(["/tmp"])),
        ("cwd: [/tmp, /tmp]", "/directories", json!(["/tmp"])),
        ("cwds: [/a, /b]", "/directories", json!(["/a", "/b"])),
        ("runner: rusage", "/runner", json!("rusage")),
        ("time: {properties: [utime, etime, utime]}", "/metrics", json!(["user", "wall"])),
        ("rusage:\n  properties: [maxrss, nvcsw]", "/metrics", json!(["peak_memory", "voluntary_switches"])),
        ("perf_stat: {properties: [wall-clock, cycles], repeat: 1}", "/metrics", json!(["wall", "cycles"])),
        ("perf_stat: {limit_to_cpuset: true}", "/metrics", json!([])),
        ("rusage_properties: nivcsw", "/metrics", json!(["involuntary_switches"])),
        ("output: {}", "/metrics", json!([])),
        ("min_runs: 2", "/min_runs", json!(2)),
        ("max_runs: 30", "/max_runs", json!(30)),
        ("runs: 4", "/runs", json!(4)),
        ("runs: -1", "/runs", Value::Null),
        ("discarded_runs: 1", "/discarded_runs", json!(1)),
        ("random_cmd: true", "/commands", json!(["first"])),
        ("validator: {expected_output: ok}", "/expected/output", json!("ok")),
        ("validator: {expected_output_contains: a}", "/expected/output_contains", json!(["a"])),
        ("validator: {unexpected_output_contains: [a, b]}", "/expected/output_lacks", json!(["a", "b"])),
        ("validator: {expected_err_output_contains: [a]}", "/expected/error_contains", json!(["a"])),
        ("validator: {unexpected_err_output_contains: a}", "/expected/error_lacks", json!(["a"])),
        ("validator: {expected_return_code: 3}", "/expected/exit_codes", json!([3])),
        ("validator: {expected_return_code: [0, 2]}", "/expected/exit_codes", json!([0, 2])),
        ("validator: {expected_return_code: 0}", "/expected/exit_codes", json!([])),
        ("validator: {expected_err_output: null}", "/expected/error_contains", json!([])),
    ] {
        let (program, reading) = configured(lines);
        assert_eq!(serde_json::to_value(program).unwrap().pointer(pointer), Some(&expected), "{lines}");
        assert_eq!(reading.diagnostics, [], "{lines}");
        assert_eq!(reading.value.ignored, [""; 0], "{lines}");
    }
}

#[test]
fn unsupported_keys_are_reported_once_and_only_if_switched_on() {
    for (on, off, named) in [
        ("cmd_prefix: nice", "cmd_prefix: []", "`cmd_prefix`"),
        ("revision: HEAD", "revision: -1", "`revision`"),
        ("parse_output: true", "parse_output: false", "`parse_output`"),
        ("spec: {file: x}", "spec: {}", "`spec`"),
        ("spec.py: {files: []}", "spec.py: null", "`spec.py`"),
        ("random_cmd: false", "random_cmd: true", "`random_cmd: false`"),
        ("time: {repeat: 5}", "time: {repeat: 1}", "`repeat`"),
        ("validator: {expected_err_output: x}", "validator: {}", "`expected_err_output`"),
    ] {
        let (_, reading) = configured(on);
        let [sentence] = &reading.value.ignored[..] else { panic!("{on}: {:?}", reading.value.ignored) };
        assert!(
            sentence.contains(named) && sentence.starts_with("Lotse does not do this yet: "),
            "{sentence}"
        );
        assert_eq!(reading.diagnostics, [], "{on}");
        assert_eq!(configured(off).1.value.ignored, [""; 0], "{off}");
        let block = format!("- run_config:\n    cmd: a\n    {on}\n");
        assert_eq!(suite(&block.repeat(3)).value.ignored, [sentence.as_str()], "{on}");
    }
}

#[test]
fn unknown_keys_are_reported_with_their_line() {
    check_diagnostics(
        "- attributes: {description: a}\n  run_conf: {}\n  run_config:\n    cmd: a\n    env: {A: [1]}\n    \
         spede: 1\n    time: {prop: [utime]}\n    validator: {output: x}\n",
        expect![[r#"
            Note: line 2, column 3: "run_conf" is no key of a block: ignored
            Loss: line 5, column 14: expected a text, found a list: left out
            Note: line 6, column 5: "spede" is no key of a run configuration: ignored
            Note: line 7, column 12: "prop" is no key of a runner: ignored
            Note: line 8, column 17: "output" is no key of a validator: ignored
        "#]],
    );
}

#[test]
fn values_of_the_wrong_type_are_reported() {
    check_diagnostics(
        "- run_config:\n    cmd: a\n    env: [A=1]\n    runner: [time]\n    time: [utime]\n    runs: many\n    \
         validator:\n      expected_output: [x]\n      expected_return_code: [1, x, 99999999999]\n",
        expect![[r#"
            Loss: line 3, column 10: expected a mapping from variables to texts, found a list: left out
            Loss: line 4, column 13: expected a text, found a list: left out
            Loss: line 5, column 11: expected a mapping (`properties`), found a list: left out
            Loss: line 6, column 11: expected a number of runs, found a text: left out
            Loss: line 8, column 24: expected a text, found a list: left out
            Loss: line 9, column 33: expected an exit code, found a text: left out
            Loss: line 9, column 36: expected an exit code, found a number: left out
        "#]],
    );
}

#[test]
fn invalid_blocks_are_left_out() {
    check_diagnostics(
        "- just words\n- attributes: {description: a}\n- run_config: ls\n- run_config: {runs: 3}\n- attributes: x\n  run_config: {cmd: b}\n",
        expect![[r#"
            Loss: line 1, column 3: expected a block (`attributes`, `run_config`), found a text: left out
            Loss: line 2, column 3: expected the key `run_config`, found none: the block is left out
            Loss: line 3, column 15: expected a mapping (`run_cmd`, `runner`, …), found a text: left out
            Loss: line 4, column 15: expected a command (`run_cmd` or `cmd`), found none
            Loss: line 5, column 15: expected a mapping of attributes, found a text: left out
        "#]],
    );
}

#[test]
fn a_suite_names_only_what_the_runner_measures() {
    let metrics = ["wall", "user", "peak_memory", "run_delay"].map(str::to_owned).to_vec();
    for (runner, expected) in [
        (None, json!({ "properties": ["etime", "utime", "max_res_set", "run_delay"] })),
        (Some("rusage"), json!({ "properties": ["utime", "maxrss", "run_delay"] })),
        (Some("perf_stat"), json!({ "properties": ["wall-clock", "run_delay"] })),
        (Some("output"), Value::Null),
    ] {
        let runner = runner.map(str::to_owned);
        let program = SuiteProgram {
            commands: vec!["a".into()],
            runner: runner.clone(),
            metrics: metrics.clone(),
            ..SuiteProgram::default()
        };
        let mut bytes = Vec::new();
        temci_suite::write(&Suite { programs: vec![program], ..Suite::default() }, &mut bytes).unwrap();
        let written: Value = serde_saphyr::from_slice(&bytes).unwrap();
        let config = &written[0]["run_config"];
        assert_eq!(config[runner.as_deref().unwrap_or("time")], expected, "{runner:?}");
    }
}

#[test]
fn attributes_name_and_group_the_programs() {
    check_results(
        "- attributes: {description: a, tags: fast, command: ./a 1, parameters: {n: 1}, author: us}\n  data: {}\n\
         - attributes: {description: a, tags: [x, 2]}\n  data: {}\n\
         - attributes: {level: 3, mode: fast}\n  data: {}\n\
         - attributes: {description: null, parameters: [1]}\n  data: {}\n\
         - data: {}\n",
        expect![[r#"
            a (./a 1) {"n": "1"} ["fast"] {"author":"us"}
            a [2] (a) {} ["x", "2"] {}
            level=3, mode=fast (level=3, mode=fast) {} [] {"level":3,"mode":"fast"}
            parameters=[1] (parameters=[1]) {} [] {"parameters":[1]}
            program 5 (program 5) {} [] {}
        "#]],
    );
}

#[test]
fn errors_become_failed_runs() {
    check_results(
        "- attributes: {description: code}\n  data: {utime: [1, 2]}\n  \
           error: {message: Unexpected, return_code: 3, output: out, error_output: ''}\n\
         - attributes: {description: signal}\n  error: {message: Killed, return_code: -9}\n\
         - attributes: {description: late}\n  error: {message: The run command hit a timeout, return_code: -1}\n\
         - attributes: {description: internal}\n  internal_error: {message: No such file}\n\
         - attributes: {description: mute}\n  error: what\n",
        expect![[r#"
            code (code) {} [] {"__output":"out"}
              0: {"user": 1.0} {"status":"ok"}
              1: {"user": 2.0} {"status":"ok"}
              2: {} {"status":"failed","exit_code":3,"problem":"Unexpected"}
            signal (signal) {} [] {}
              0: {} {"status":"failed","signal":9,"problem":"Killed"}
            late (late) {} [] {}
              0: {} {"status":"timeout","problem":"The run command hit a timeout"}
            internal (internal) {} [] {}
              0: {} {"status":"missing","problem":"No such file"}
            mute (mute) {} [] {}
              0: {} {"status":"failed"}
        "#]],
    );
}

#[test]
fn odd_data_is_reported_with_its_place() {
    check_results(
        "- attributes: {description: a}\n  data:\n    utime: [1, 2]\n    max_res_set: [4]\n    stime: 3\n    \
         __ov-time: [true, .inf]\n  extra: 1\n- 3\n- data: 7\n- property_descriptions: {utime: seconds in mode u}\n\
         - env_info: [[os, [[name, x]]]]\n",
        expect![[r#"
            a (a) {} [] {"__env_info":[["os",[["name","x"]]]],"__property_descriptions":{"utime":"seconds in mode u"},"__property_names":{"wall":"__ov-time"}}
              0: {"peak_memory": 4096.0, "user": 1.0} {"status":"ok"}
              1: {"user": 2.0} {"status":"ok"}
            program 2 (program 2) {} [] {"__property_names":{"wall":"__ov-time"}}
            Note: line 7, column 3: "extra" is no key of temci's results: ignored
            Loss: line 5, column 12: expected a list of numbers, found a number: left out
            Note: line 6, column 5: temci's overall time is the only clock here: it includes starting its wrapper
            Loss: line 6, column 17: expected a finite number, found a truth value: left out
            Loss: line 6, column 23: expected a finite number, found a number: left out
            Note: line 3, column 5: lists of different lengths: which values belong to one run is not known
            Loss: line 8, column 3: expected a mapping (`attributes`, `data`), found a number: left out
            Loss: line 9, column 9: expected a mapping from properties to lists, found a number: left out
        "#]],
    );
}

/// One program with one run of the given outcome.
fn one_run(outcome: Outcome, values: &[(&str, f64)]) -> ResultSet {
    let run = Run {
        program: ProgramId(0),
        block: BlockId(0),
        position: 0,
        levels: Levels::default(),
        outcome,
        disturbance: Disturbance::default(),
        values: values.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        within: Default::default(),
    };
    let metrics = values.iter().map(|(name, _)| Metric::named(name)).collect();
    let program = Program { name: "a".into(), command: "a".into(), ..Program::default() };
    ResultSet { metrics, programs: vec![program], runs: vec![run], ..ResultSet::default() }
}

fn rewritten(set: &ResultSet) -> ResultSet {
    let mut bytes = Vec::new();
    temci_result::write(set, &mut bytes).unwrap();
    results(std::str::from_utf8(&bytes).unwrap()).value
}

#[test]
fn how_a_run_ended_comes_back() {
    let outcome = |status, exit_code, signal, problem: &str| Outcome {
        status,
        exit_code,
        signal,
        problem: Some(problem.to_owned()),
    };
    for (before, message) in [
        (outcome(Status::Failed, Some(3), None, "bad"), "Unexpected return code 3"),
        (outcome(Status::Failed, None, Some(11), "bad"), "The program failed"),
        (outcome(Status::Timeout, None, Some(9), "hit a timeout of 3 s"), "The run command hit a timeout"),
        (outcome(Status::Timeout, None, None, "hit a timeout of 3 s"), "The run command hit a timeout"),
        (outcome(Status::Missing, None, None, "no such file"), "The program could not be started"),
    ] {
        assert_eq!(rewritten(&one_run(before.clone(), &[])).runs[0].outcome, before);
        let mute = Outcome { problem: None, ..before.clone() };
        let explained = Outcome { problem: Some(message.to_owned()), ..before };
        assert_eq!(rewritten(&one_run(mute, &[])).runs[0].outcome, explained);
    }
}

#[test]
fn values_come_back_in_our_units() {
    let values: Vec<(&str, f64)> =
        lotse_model::metric::KNOWN.iter().map(|known| (known.name, 2048.0)).collect();
    let set = one_run(Outcome::ok(), &values);
    let again = rewritten(&set);
    assert_eq!(again.metrics, set.metrics);
    assert_eq!(again.runs[0].values, set.runs[0].values);

    let foreign = one_run(Outcome::ok(), &[("requests", 3.0)]);
    assert_eq!(rewritten(&foreign).metrics, [Metric { name: "requests".into(), unit: Unit::Number }]);
}

#[test]
fn what_belongs_to_no_program_is_kept_with_the_first() {
    let yaml = "- attributes:\n    description: a\n  data:\n    magic:\n    - 1.0\n    utime:\n    - 2.0\n\
                - property_descriptions:\n    magic: what it says\n    utime: as temci explains it\n\
                - env_info:\n  - - os\n    - - - name\n        - x\n";
    let mut bytes = Vec::new();
    temci_result::write(&results(yaml).value, &mut bytes).unwrap();
    let again = results(std::str::from_utf8(&bytes).unwrap());
    assert_eq!(again, results(yaml));
    assert_eq!(
        again.value.programs[0].attributes["__property_descriptions"],
        json!({ "magic": "what it says", "utime": "as temci explains it" })
    );
}
