//! Times from which the cost of a shell was subtracted: every interval allows for the error of that cost.

use serde_json::Value;

use crate::session::{Session, list, numbers};

/// The comparison of the primary metric.
fn primary(answer: &Value) -> Value {
    list(&answer["comparisons"]).iter().find(|row| row["primary"] == true).unwrap().clone()
}

/// A comparison without the reason why measuring stopped.
fn without_reason(mut row: Value) -> Value {
    row.as_object_mut().unwrap().remove("stopped_by");
    row
}

#[test]
fn the_bounds_of_the_cost_are_stated_and_a_report_repeats_the_interval() {
    let session = Session::new();
    for order in ["blocks", "sequential"] {
        let args = ["-S", "--runs", "12", "--order", order, "--out", order, "sleep 0.15", "sleep 0.3"];
        let direct = session.bench(&args);
        let bounds = &direct["conclusion"]["shell"]["wall"];
        let [low, high] = [0, 1].map(|end| bounds[end].as_f64().unwrap_or_else(|| panic!("{bounds}")));
        assert!(low <= 0.0 && 0.0 <= high && low < high, "{low} {high}");
        let row = primary(&direct);
        match [0, 1].map(|end| row["interval"][end].as_f64()) {
            [Some(low), Some(high)] => assert!(low < high, "{row}"),
            // On a machine whose shell takes now and then as long as the programs, there are no bounds.
            _ => assert!(row["warnings"].to_string().contains("measure without a shell"), "{row}"),
        }
        // Reports on the log, on the answer itself, and on the log without its last line.
        session.write(&format!("{order}.json"), &direct.to_string());
        let mut lines = session.lines(order);
        assert!(lines[1].contains("\"shell\":[{"), "{}", lines[1]);
        for file in [order.to_owned(), format!("{order}.json")] {
            let again = session.lotse(&["bench", "report", "--json", &file]).json();
            assert_eq!(primary(&again), row, "{file}");
        }
        lines.pop();
        session.write("cut", &(lines.join("\n") + "\n"));
        let cut = primary(&session.lotse(&["bench", "report", "--json", "cut"]).json());
        if order == "sequential" {
            assert_eq!(without_reason(cut), without_reason(row));
        } else {
            // A fixed number of runs is looked at once, at the end that is missing.
            assert_eq!(cut["interval"], serde_json::json!([null, null]));
        }
    }
}

#[test]
fn programs_that_take_less_than_the_shell_varies_are_not_compared() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--json", "-S", "--runs", "15", "true", ":"]).exits(5).json();
    let row = primary(&answer);
    assert_eq!(row["verdict"], "undecided", "{row}");
    // If no time is left after subtracting the shell, there are no bounds, and the answer says what would help.
    let bounds = [&row["interval"][0], &row["interval"][1]].map(|bound| bound.as_f64());
    match bounds {
        [Some(low), Some(high)] => assert!(low <= 1.0 && high >= 1.0, "{row}"),
        _ => assert!(row["warnings"].to_string().contains("measure without a shell"), "{row}"),
    }
}

#[test]
fn a_shell_given_with_its_option_c_is_refused() {
    let session = Session::new();
    session
        .lotse(&["bench", "--shell", "python3 -c", "print(1)"])
        .exits(2)
        .complains("-c, which is added anyway: write --shell 'python3'");
}

#[test]
fn every_count_loses_the_shell_under_every_runner() {
    let session = Session::new();
    let mut cases = vec![("rusage", "minor_faults")];
    cases.extend(crate::session::has("valgrind").then_some(("valgrind", "instructions")));
    cases.extend(perf_runs().then_some(("perf-stat", "page-faults")));
    for (runner, metric) in cases {
        let args =
            ["bench", "-S", "--runner", runner, "--metric", metric, "--runs", "3", "--json", "/bin/true"];
        let answer = session.lotse(&args).json();
        let cost = answer["start_cost"]["subtracted"][metric].as_f64().unwrap_or_else(|| panic!("{answer}"));
        let direct = ["bench", "--runner", runner, "--metric", metric, "--runs", "3", "--json", "/bin/true"];
        let direct = numbers(&session.lotse(&direct).json()["programs"][0]["samples"][metric])[0];
        // Without the correction it would be the shell and the program, at least twice the program.
        for left in numbers(&answer["programs"][0]["samples"][metric]) {
            assert!(left < 1.6 * direct && cost > 0.0, "{runner}: {left} of {direct}, shell {cost}");
        }
        let text = session.lotse(&args.map(|word| if word == "--json" { "--wide" } else { word }));
        assert!(text.stdout.contains("the shell itself has at least"), "{}", text.stdout);
    }
}

#[test]
fn a_program_never_looks_faster_than_it_sleeps() {
    let session = Session::new();
    let answer = session.bench(&["-S", "--runs", "20", "sleep 0.01"]);
    let walls = numbers(&answer["programs"][0]["samples"]["wall"]);
    assert!(walls.iter().all(|wall| *wall >= 0.01), "{walls:?}");
}

#[test]
fn memory_that_is_the_shell_s_own_has_no_verdict() {
    let session = Session::new();
    let args = ["bench", "-S", "--metric", "peak_memory", "--runs", "12", "--out", "log", "/bin/true", ":"];
    session.lotse(&args).exits(5).says("peak memory includes the shell");
    session.lotse(&["bench", "report", "log"]).exits(5).says("peak memory includes the shell");
}

#[test]
fn a_report_of_a_log_repeats_what_was_subtracted() {
    let session = Session::new();
    session.lotse(&["bench", "-S", "--runs", "3", "--out", "log", "sleep 0.01"]).says("which is subtracted");
    session.lotse(&["bench", "report", "log"]).says("the shell itself takes at least");
}

#[test]
fn wall_time_with_a_shell_is_measured_and_no_copy_of_the_cpu_time() {
    let session = Session::new();
    session.script("spin", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done");
    let answer = session.bench(&["-S", "--runs", "20", "./spin"]);
    let samples = &answer["programs"][0]["samples"];
    let (wall, cpu) = (numbers(&samples["wall"]), numbers(&samples["cpu"]));
    let equal = wall.iter().zip(&cpu).filter(|(wall, cpu)| wall == cpu).count();
    // Only where all empty commands before were slower than the shell of a run.
    assert!(equal <= 10, "{wall:?} {cpu:?}");
    // No shell ends without CPU time, whether the kernel counts it as user or as system time.
    let subtracted = answer["start_cost"]["subtracted"]["cpu"].as_f64().unwrap();
    assert!(subtracted > 0.0, "{}", answer["start_cost"]);
}

#[test]
fn perf_stat_gives_no_wall_time_below_the_cpu_time() {
    if !perf_runs() {
        test_support::skip_here("perf stat does not run here");
        return;
    }
    let session = Session::new();
    session.script("spin", "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done");
    let args =
        ["bench", "--json", "--runner", "perf-stat", "--events", "task-clock", "--runs", "40", "./spin"];
    let answer = session.lotse(&args).json();
    let samples = &answer["programs"][0]["samples"];
    for (wall, cpu) in numbers(&samples["wall"]).into_iter().zip(numbers(&samples["task-clock"])) {
        assert!(wall >= cpu && cpu > 1e-5, "{wall} s, {cpu} s of CPU time");
    }
    let units = list(&answer["metrics"]).iter().map(|metric| metric["unit"].clone());
    assert_eq!(units.collect::<Vec<_>>(), ["seconds", "seconds"]);
}

#[test]
fn the_task_clock_is_in_seconds_under_both_runners_of_events() {
    let session = Session::new();
    for runner in ["perf-stat", "perf-events"] {
        let args = [
            "bench",
            "--json",
            "--runner",
            runner,
            "--events",
            "task-clock",
            "--runs",
            "2",
            "sh -c 'echo >x'",
        ];
        let answer = session.lotse(&args);
        if answer.status != 0 {
            test_support::skip_here(format!("{runner} does not run here"));
            continue;
        }
        let answer = answer.json();
        let clocks = numbers(&answer["programs"][0]["samples"]["task-clock"]);
        // The wall time of the same run, whose unit is known, bounds it.
        assert!(clocks.iter().all(|clock| *clock > 1e-6 && *clock < 10.0), "{runner}: {clocks:?}");
    }
}

fn perf_runs() -> bool {
    let probe = std::process::Command::new("perf").args(["stat", "-e", "page-faults", "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}
