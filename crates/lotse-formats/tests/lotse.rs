//! Lotse's own two formats in unusual states: logs of killed processes, appended runs, edited answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use lotse_formats::bench::lotse_log::{self, BlockRecord, EndRecord, LogHeader};
use lotse_formats::{Diagnostic, read_results};
use lotse_model::bytes::Memory;
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Disturbance, Levels, Outcome, Program, Run};
use lotse_model::{Metric, ResultSet};

const HEADER: &str = r#"{"schema": "lotse.bench.log/1", "programs": [{"name": "a", "command": "./a"}, {"name": "b", "command": "./b"}]}"#;

/// The line of a block with one run.
fn block(block: u32, program: u32, wall: f64) -> String {
    let run = format!(
        r#"{{"program": {program}, "block": {block}, "position": 0, "status": "ok", "values": {{"wall": {wall}}}}}"#
    );
    format!(r#"{{"block": {block}, "runs": [{run}]}}"#)
}

/// The runs with program, block and values, then the diagnostics.
fn shown(set: &ResultSet, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for run in &set.runs {
        let name = &set.programs[run.program.index()].name;
        writeln!(text, "{name} {} {:?} {:?}", run.block.0, run.outcome.status, run.values).unwrap();
    }
    for odd in diagnostics {
        writeln!(text, "{:?}: {odd}", odd.weight).unwrap();
    }
    text
}

fn check_log(lines: &[&str], expected: Expect) {
    let text = format!("{HEADER}\n{}", lines.join("\n"));
    let reading = lotse_log::read(&Memory { name: "log", bytes: text.as_bytes() }).unwrap();
    let end = reading.value.end.map_or_else(String::new, |end| format!("end {:?}\n", end.end));
    expected.assert_eq(&(shown(&reading.value.results, &reading.diagnostics) + &end));
}

fn check_errors(format: &str, cases: &[&str], expected: Expect) {
    let error = |case: &&str| {
        read_results(&Memory { name: "file", bytes: case.as_bytes() }, Some(format)).unwrap_err()
    };
    let errors: Vec<String> = cases.iter().map(|case| error(case).to_string()).collect();
    expected.assert_eq(&errors.join("\n"));
}

#[test]
fn a_log_without_its_header_is_no_log() {
    check_errors(
        "lotse-log",
        &[
            "",
            "\n",
            &block(0, 0, 1.0),
            r#"{"schema": "lotse.bench.log/2", "programs": 3}"#,
            r#"{"schema": "lotse.bench.log/1"}"#,
            r#"{"schema": "lotse.bench.log/1", "programs": [{"name": "a"}]}"#,
            &HEADER[..60],
        ],
        expect![[r#"
            file: line 1: EOF while parsing a value
            file: line 1: EOF while parsing a value
            file: line 1: missing field `schema`
            file has the version lotse.bench.log/2; this Lotse reads lotse.bench.log/1
            file: line 1: missing field `programs`
            file: line 1: missing field `command`
            file: line 1: EOF while parsing a string"#]],
    );
}

#[test]
fn runs_keep_the_order_of_the_file() {
    let (late, early, again) = (block(7, 0, 1.0), block(3, 1, 2.0), block(7, 0, 3.0));
    check_log(
        &[&late, "", "  ", &early, &again],
        expect![[r#"
            a 7 Ok {"wall": 1.0}
            b 3 Ok {"wall": 2.0}
            a 7 Ok {"wall": 3.0}
        "#]],
    );
}

#[test]
fn lines_that_are_no_records_are_reported_and_skipped() {
    let (good, stranger) = (block(0, 0, 1.0), block(1, 2, 1.0));
    check_log(
        &[
            HEADER,
            &good,
            &stranger,
            r#"{"runs": [], "end": {}}"#,
            "[]",
            r#"{"block": 2, "runs": [{"program": 0}]}"#,
            &block(4, 1, 1.5).replace("1.5", "1e999"),
            r#"{"block": 3, "runs": [], "added": "later"}"#,
        ],
        expect![[r#"
            a 0 Ok {"wall": 1.0}
            Loss: line 2: left out: expected a block (`block`, `runs`), a look (`look`), the end (`end`) or a further part (`part`)
            Loss: line 4: left out: expected a program below 2, found 2
            Loss: line 5: left out: expected a block (`block`, `runs`), a look (`look`), the end (`end`) or a further part (`part`)
            Loss: line 6, column 2: left out: invalid length 0, expected struct LogRecord with 5 elements
            Loss: line 7, column 36: left out: missing field `block`
            Loss: line 8, column 104: left out: number out of range
        "#]],
    );
}

#[test]
fn a_log_is_finished_only_if_its_last_line_is_the_end() {
    let end = r#"{"end": {"stopped_by": "budget", "blocks": 1}}"#;
    let (first, second) = (block(0, 0, 1.0), block(1, 0, 2.0));
    check_log(
        &[&first, end],
        expect![[r#"
            a 0 Ok {"wall": 1.0}
            end {"blocks": Number(1), "stopped_by": String("budget")}
        "#]],
    );
    check_log(
        &[&first, end, &second],
        expect![[r#"
            a 0 Ok {"wall": 1.0}
            a 1 Ok {"wall": 2.0}
        "#]],
    );
    check_log(
        &[&first, &second[..30]],
        expect![[r#"
            a 0 Ok {"wall": 1.0}
            Loss: line 3, column 30: cut off before its end, left out: EOF while parsing a string
        "#]],
    );
}

#[test]
fn lines_written_one_by_one_are_the_whole_log() {
    let run = |block: u32, wall: f64| Run {
        program: ProgramId(0),
        block: BlockId(block),
        position: 0,
        levels: Levels { build: 1, layout: 2, process: 3 },
        outcome: Outcome::ok(),
        disturbance: Disturbance { contended: true, ..Disturbance::default() },
        values: [("wall".to_owned(), wall)].into(),
        within: Default::default(),
    };
    let program = Program { name: "a".into(), command: "./a".into(), ..Program::default() };
    let (metrics, runs) = (vec![Metric::named("wall")], vec![run(0, 1.0), run(1, 2.0)]);
    let set = ResultSet { metrics, programs: vec![program], runs, ..ResultSet::default() };
    let end = EndRecord { end: [("blocks".to_owned(), 2.into())].into() };
    let mut text = LogHeader::from_results(&set).to_line();
    for run in &set.runs {
        text +=
            &BlockRecord { block: run.block.0, runs: vec![run.clone()], shell: vec![] }.to_line().unwrap();
    }
    text += &end.to_line();
    assert_eq!(
        lotse_log::to_text(&lotse_log::LogHeader::from_results(&set), &set, Some(&end)).unwrap(),
        text
    );
    assert!(text.lines().count() == 4 && text.ends_with('\n'), "{text}");
    let reading = lotse_log::read(&Memory { name: "log", bytes: text.as_bytes() }).unwrap();
    assert_eq!((reading.value.results, reading.value.end), (set, Some(end)));

    let refused =
        BlockRecord { block: 5, runs: vec![run(5, f64::NAN)], shell: vec![] }.to_line().unwrap_err();
    assert_eq!(refused.to_string(), "wall of a run in block 5 is NaN, which JSON cannot represent");
}

fn check_answer(programs: &str, runs: &str, expected: Expect) {
    let text = format!(r#"{{"schema": "lotse.bench/1", "programs": [{programs}], "runs": [{runs}]}}"#);
    let reading = read_results(&Memory { name: "answer", bytes: text.as_bytes() }, None).unwrap();
    expected.assert_eq(&shown(&reading.value, &reading.diagnostics));
}

#[test]
fn samples_go_to_the_good_runs_in_their_order() {
    check_answer(
        r#"{"name": "a", "command": "./a", "samples": {"wall": [1, 2], "odd": [7, 8]}},
           {"name": "b", "command": "./b", "samples": {"wall": [3]}}"#,
        r#"{"program": "a", "status": "failed", "exit_code": 1}, {"program": "b", "block": 1, "status": "ok"},
           {"program": "a", "block": 1, "status": "ok"}, {"program": "b", "block": 2, "status": "timeout"},
           {"program": "a", "block": 2, "status": "ok"}"#,
        expect![[r#"
            a 0 Failed {}
            b 1 Ok {"wall": 3.0}
            a 1 Ok {"odd": 7.0, "wall": 1.0}
            b 2 Timeout {}
            a 2 Ok {"odd": 8.0, "wall": 2.0}
        "#]],
    );
}

#[test]
fn an_answer_that_does_not_add_up_says_where() {
    check_answer(
        r#"{"name": "a", "command": "./a", "samples": {"wall": [1, 2, 3], "cpu": [1]}},
           {"name": "b", "command": "./b", "samples": {"wall": [4]}}, {"name": "c", "command": "./c"}"#,
        r#"{"program": "a", "status": "ok"}, {"program": "nobody", "status": "ok"}, {"program": "a", "status": "ok"}"#,
        expect![[r#"
            a 0 Ok {"cpu": 1.0, "wall": 1.0}
            a 0 Ok {"wall": 2.0}
            Loss: runs[1].program: expected the name of a program, found "nobody": left out
            Loss: programs[0].samples.cpu: expected 2 values, one for each good run, found 1
            Loss: programs[0].samples.wall: expected 2 values, one for each good run, found 3
            Loss: programs[1].samples.wall: expected 0 values, one for each good run, found 1
        "#]],
    );
}

#[test]
fn an_answer_that_is_none_is_refused_with_its_place() {
    check_errors(
        "lotse-json",
        &[
            "{}",
            r#"{"schema": "lotse.bench/9", "programs": []}"#,
            r#"{"schema": "lotse.bench/1"}"#,
            "{\"schema\": \"lotse.bench/1\",\n \"programs\": {}}",
            r#"{"schema": "lotse.bench/1", "programs": [], "runs": [{"program": "a", "status": "fine"}]}"#,
        ],
        expect![[r#"
            file: line 1, column 2: missing field `schema`
            file has the version lotse.bench/9; this Lotse reads lotse.bench/1
            file: line 1, column 27: missing field `programs`
            file: line 2, column 13: invalid type: map, expected a sequence
            file: line 1, column 87: unknown variant `fine`, expected one of `ok`, `failed`, `timeout`, `invalid`, `missing`"#]],
    );
}

/// A log with added runs has the plan of the newest part, and is finished when that part is.
#[test]
fn parts_are_counted() {
    let run = |block: u32| {
        let run = format!(
            r#"{{"program": 0, "block": {block}, "position": 0, "status": "ok", "values": {{"wall": 1.0}}}}"#
        );
        format!(r#"{{"block": {block}, "runs": [{run}]}}"#)
    };
    let header = r#"{"schema": "lotse.bench.log/1", "programs": [{"name": "a", "command": "a"}], "plan": {"alpha": 0.05, "delta": 0.01}}"#;
    let end = r#"{"end": {"stopped_by": "runs"}}"#;
    let part = r#"{"part": {"date": null, "seed": 7, "plan": {"alpha": 0.025, "delta": 0.01}}}"#;
    let text = [header, &run(0), end, part, &run(1)].join("\n");
    let read = |text: &str| lotse_log::read(&Memory { name: "log", bytes: text.as_bytes() }).unwrap();
    let log = read(&text);
    assert_eq!(log.diagnostics, []);
    let log = log.value;
    assert_eq!((log.parts, log.results.runs.len(), log.end), (2, 2, None));
    assert_eq!(log.plan.map(|plan| plan.alpha), Some(0.025));
    assert!(read(&format!("{text}\n{end}\n")).value.end.is_some());
}
