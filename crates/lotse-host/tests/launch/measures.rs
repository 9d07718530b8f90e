//! Measured values, compared with GNU time and with each other.

use std::path::PathBuf;
use std::process::Command;

use lotse_host::{CounterSpec, CounterStatus, End, Job, Launcher, LauncherOptions};

use super::{ALL, launcher, run, shell, stdout};

/// An empty static program; `None`, with a note, if there is no compiler.
fn empty_program(directory: &tempfile::TempDir) -> Option<PathBuf> {
    let (source, program) = (directory.path().join("empty.c"), directory.path().join("empty"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let built = Command::new("gcc").args(["-static", "-o"]).arg(&program).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        test_support::skip_here("gcc cannot build a static program here");
        return None;
    }
    Some(program)
}

/// GNU time's peak memory in KiB.
fn gnu_time(program: &PathBuf) -> Option<u64> {
    let output = Command::new("/usr/bin/time").args(["-f", "%M"]).arg(program).output();
    let peak = output.ok().and_then(|it| String::from_utf8(it.stderr).ok()?.trim().parse().ok());
    if peak.is_none() {
        test_support::skip_missing("GNU time is not installed");
    }
    peak
}

#[test]
fn peak_memory_agrees_with_gnu_time() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = empty_program(&directory) else { return };
    let Some(expected) = gnu_time(&program) else { return };
    let mut launcher = launcher();
    let mut check = || {
        let report = launcher.run(&Job::new([&program])).unwrap();
        assert_eq!(report.end, End::Exited(0));
        let peak = report.usage.max_resident_bytes / 1024;
        assert!(peak.abs_diff(expected) <= 50, "{peak} KiB, GNU time says {expected} KiB");
        let mut big = Job::new(["true"]);
        for name in 0..10 {
            big.environment.set(format!("BIG{name}"), "x".repeat(100_000));
        }
        assert_eq!(launcher.run(&big).unwrap().end, End::Exited(0));
    };
    // The second check comes after a large request.
    check();
    check();
}

#[test]
fn usage_counts_the_run_and_the_children_it_waited_for() {
    let report = run(&shell(
        "dd bs=50000000 count=1 if=/dev/zero of=/dev/null; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
    ));
    let usage = report.usage;
    assert!(usage.max_resident_bytes >= 50_000_000, "{usage:?}");
    assert!(usage.user_ns > 0 && usage.user_ns + usage.system_ns <= report.wall_ns + 10_000_000, "{usage:?}");
    assert!(usage.minor_faults > 1000, "{usage:?}");
    assert_eq!((usage.swaps, usage.signals, usage.messages_sent), (0, 0, 0));
}

#[test]
fn usage_of_one_run_does_not_count_for_the_next() {
    let mut launcher = launcher();
    let big = launcher.run(&shell("dd bs=50000000 count=1 if=/dev/zero of=/dev/null")).unwrap();
    let small = launcher.run(&Job::new(["true"])).unwrap();
    assert!(small.usage.max_resident_bytes < big.usage.max_resident_bytes / 5);
    assert!(small.usage.minor_faults < big.usage.minor_faults);
}

#[test]
fn sleeping_is_wall_time_and_a_voluntary_switch() {
    let report = run(&Job::new(["sleep", "0.1"]));
    assert!(report.wall_ns >= 100_000_000);
    assert!(report.usage.user_ns + report.usage.system_ns < report.wall_ns);
    assert!(report.usage.voluntary_switches >= 1);
}

#[test]
fn values_of_the_scheduler_are_read_only_on_request() {
    let report = run(&Job::new(["true"]));
    assert_eq!((report.run_delay_ns, report.migrations), (None, None));
    // A run of some milliseconds: migrations of shorter ones are not read.
    let report = run(&Job { scheduler: true, ..Job::new(["sleep", "0.01"]) });
    let offered = |name: &str| std::path::Path::new("/proc/self").join(name).exists();
    assert_eq!(report.run_delay_ns.is_some(), offered("schedstat"));
    assert_eq!(report.migrations.is_some(), offered("sched"));
    assert!(report.run_delay_ns.unwrap_or(0) <= report.wall_ns);
}

#[test]
fn a_job_stays_on_its_cpu() {
    let report = run(&shell("grep Cpus_allowed_list /proc/self/status"));
    let allowed = stdout(&report).split_whitespace().last().unwrap().to_owned();
    let last: u32 = allowed.rsplit([',', '-']).next().unwrap().parse().unwrap();
    let report = run(&Job { cpu: Some(last), ..shell("grep Cpus_allowed_list /proc/self/status") });
    assert_eq!(stdout(&report).split_whitespace().last().unwrap(), last.to_string());
}

/// The stack of a program has the same address in every run, unless it is randomised.
#[test]
fn addresses_are_fixed_on_request() {
    let stack = |fixed_addresses| {
        let report = run(&Job { fixed_addresses, ..shell("grep stack /proc/self/maps") });
        stdout(&report).split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(stack(true), stack(true));
    let drawn: std::collections::BTreeSet<String> = (0..4).map(|_| stack(false)).collect();
    let draws = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").unwrap();
    assert_eq!(drawn.len() > 1, draws.trim() != "0", "{drawn:?}");
}

#[test]
fn two_simultaneous_runs_are_reported_separately() {
    let directory = tempfile::tempdir().unwrap();
    // Each waits for the other's file, so both end only if both run at the same time.
    let side = |own: &str, other: &str, status: u8| {
        let script =
            format!(": > {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo {own}; exit {status}");
        Job { directory: Some(directory.path().to_owned()), ..shell(&script) }
    };
    let [first, second] = launcher().run_pair(&side("a", "b", 1), &side("b", "a", 2)).unwrap();
    assert_eq!((first.end.clone(), stdout(&first)), (End::Exited(1), "a"));
    assert_eq!((second.end.clone(), stdout(&second)), (End::Exited(2), "b"));
    assert!(first.wall_ns > 0 && second.wall_ns > 0);
}

#[test]
fn of_two_simultaneous_runs_the_longer_one_takes_longer() {
    let [short, long] = launcher().run_pair(&Job::new(["sleep", "0"]), &Job::new(["sleep", "0.5"])).unwrap();
    assert!(short.wall_ns < long.wall_ns);
    assert!(long.wall_ns >= 500_000_000);
    assert!(!short.left_behind && !long.left_behind);
}

#[test]
fn if_one_of_two_simultaneous_runs_cannot_start_both_say_so() {
    let reports = launcher().run_pair(&Job::new(["true"]), &Job::new(["no-program-is-called-so"])).unwrap();
    assert!(reports.iter().all(|report| matches!(report.end, End::NotStarted(_))));
}

#[test]
fn software_counters_agree_with_usage() {
    let counters = vec![
        CounterSpec::new("page-faults", 1, 2),
        CounterSpec::new("no such event", 1, 9999),
        CounterSpec::new("task-clock", 1, 1),
    ];
    let mut launcher = Launcher::start(&LauncherOptions { counters, ..LauncherOptions::default() }).unwrap();
    let available: Vec<_> = launcher.counters().iter().map(|it| *it == CounterStatus::Available).collect();
    if available != [true, false, true] {
        test_support::skip_here(format!("software counters are not available: {:?}", launcher.counters()));
        return;
    }
    // Often enough that the kernel switches directly from the launcher to its child at least once.
    for _ in 0..30 {
        let report = launcher.run(&shell("dd bs=10000000 count=1 if=/dev/zero of=/dev/null")).unwrap();
        let faults = report.counters[0].unwrap().value;
        let counted = report.usage.minor_faults + report.usage.major_faults;
        // Usage includes the few page faults before the program was executed.
        assert!(faults <= counted && counted - faults < 50, "{faults} {counted}");
        assert_eq!(report.counters[1], None);
        let clock = report.counters[2].unwrap();
        assert!(clock.value > 0 && clock.value <= report.wall_ns * 2, "{clock:?} {}", report.wall_ns);
        assert_eq!(clock.enabled_ns, clock.running_ns);
    }
}

#[test]
fn two_simultaneous_runs_get_no_counters() {
    let counters = vec![CounterSpec::new("page-faults", 1, 2)];
    let mut launcher = Launcher::start(&LauncherOptions { counters, ..LauncherOptions::default() }).unwrap();
    let job = Job { stdout: ALL, ..Job::new(["true"]) };
    let reports = launcher.run_pair(&job, &job).unwrap();
    assert!(reports.iter().all(|report| report.counters == [None]));
}
