//! Measurements that end early, and the runs that are kept.

use std::time::Duration;

use lotse_bench::Finished;
use lotse_bench::log::Log;
use lotse_bench::options::{Hooks, Options, ProgramSpec, SelfCheckChoice, Stopping};
use lotse_bench::session::{Hook, HookError, SessionError};
use lotse_bench::trial::StoppedBy;
use lotse_host::Interrupt;
use lotse_model::progress::{NoProgress, Progress};
use lotse_model::results::{Design, Status};

use crate::rig::{Rig, options, prepared};

/// Interrupts when a number of blocks have been reported.
struct Impatient {
    interrupt: Interrupt,
    blocks: usize,
    reported: Vec<u64>,
}

impl Progress for Impatient {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        assert_eq!((what, total), ("measuring", Some(1000)));
    }

    fn advance(&mut self, done: u64, _note: &str) {
        self.reported.push(done);
        if self.reported.len() == self.blocks {
            self.interrupt.trigger().unwrap();
        }
    }

    fn end(&mut self) {}
}

fn interrupted(rig: &Rig, options: &Options, blocks: usize) -> Finished {
    let interrupt = Interrupt::new().unwrap();
    let mut impatient = Impatient { interrupt: interrupt.clone(), blocks, reported: vec![] };
    let log = Log::create(&rig.path("log"), false).unwrap();
    let finished = rig.watched(options, log, interrupt, &mut impatient).unwrap();
    assert_eq!(impatient.reported.len(), blocks);
    finished
}

fn cleaned(program: ProgramSpec) -> ProgramSpec {
    let cleanup = Some("echo x >> cleaned".to_owned());
    ProgramSpec { hooks: Hooks { cleanup, ..program.hooks }, ..program }
}

#[test]
fn an_interrupt_keeps_whole_blocks_and_cleans_up() {
    let rig = Rig::new();
    let programs = vec![cleaned(rig.program("a", "true")), cleaned(rig.program("b", "true"))];
    let patient = Options { self_check: SelfCheckChoice::Repeat(3), ..options(programs, 100) };
    let finished = interrupted(&rig, &patient, 3);
    assert_eq!(finished.conclusion.stopped_by, StoppedBy::Interrupt);
    assert!(finished.broken.is_none(), "{:?}", finished.broken);
    assert_eq!((finished.set.runs.len(), finished.conclusion.blocks), (6, 3));
    assert_eq!(rig.lines("cleaned").len(), 2);
    // After an interrupt no control comparisons are made.
    assert!(finished.answer.self_check.is_none());
    assert_eq!(finished.answer.comparisons[0].stopped_by, "interrupt");
    assert!(rig.lines("log").last().unwrap().contains("\"interrupt\""));
}

#[test]
fn an_interrupt_during_a_hook_is_no_failure_of_the_hook() {
    let rig = Rig::new();
    let programs =
        vec![prepared(rig.program("a", "true"), "true"), prepared(rig.program("b", "true"), "true")];
    let finished = interrupted(&rig, &options(programs, 100), 2);
    assert_eq!(finished.conclusion.stopped_by, StoppedBy::Interrupt);
    assert!(finished.broken.is_none(), "{:?}", finished.broken);
    assert_eq!(finished.set.runs.len(), 4);
}

#[test]
fn an_interrupt_ends_a_run_that_would_not_end() {
    let rig = Rig::new();
    let interrupt = Interrupt::new().unwrap();
    let (other, started) = (interrupt.clone(), rig.path("started"));
    let waiting = std::thread::spawn(move || {
        while !started.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        other.trigger().unwrap();
    });
    let hanging = cleaned(rig.program("a", "echo x >> started; sleep 1000"));
    let finished = rig.watched(&options(vec![hanging], 5), Log::none(), interrupt, &mut NoProgress).unwrap();
    waiting.join().unwrap();
    assert_eq!((finished.conclusion.stopped_by, finished.set.runs.len()), (StoppedBy::Interrupt, 0));
    assert_eq!((rig.lines("started").len(), rig.lines("cleaned").len()), (1, 1));
}

#[test]
fn a_hook_that_fails_within_a_block_loses_that_block_only() {
    let rig = Rig::new();
    let programs = vec![
        cleaned(rig.program("a", "true")),
        cleaned(prepared(
            rig.program("b", "true"),
            "test $LOTSE_ITERATION -lt 2 || { echo full >&2; exit 9; }",
        )),
    ];
    let finished = rig.logged(&options(programs, 10));
    assert_eq!((finished.conclusion.stopped_by, finished.set.runs.len()), (StoppedBy::Hook, 4));
    let Some(SessionError::Hook(error)) = finished.broken else { panic!("{:?}", finished.broken) };
    assert!(matches!(&error, HookError::Failed { hook: Hook::Prepare, program, .. } if program == "b"));
    assert!(error.to_string().ends_with("it printed: full"), "{error}");
    assert_eq!((rig.lines("cleaned").len(), rig.lines("log").len()), (2, 4));
}

/// Measures a program whose runs succeed (`o`) or fail (`f`), and checks after how many runs Lotse gives up.
#[track_caller]
fn check_patience(pattern: &str, runs: usize) {
    let rig = Rig::new();
    let body = format!("echo x >> n; test $(printf {pattern} | cut -c $(wc -l < n)) = o");
    for design in [Design::Blocks, Design::Sequential] {
        let programs = vec![rig.program("moody", &body), rig.program("good", "true")];
        let finished = rig.bench(&Options { design, ..options(programs, pattern.len() as u32) });
        let made = finished.answer.runs.iter().filter(|run| run.program == "moody").count();
        assert_eq!(made, runs, "{pattern} {design:?}");
        let given_up = StoppedBy::Failure { program: "moody".to_owned() };
        let why = if runs < pattern.len() { given_up } else { StoppedBy::Runs };
        assert_eq!(finished.conclusion.stopped_by, why, "{pattern} {design:?}");
        std::fs::remove_file(rig.path("n")).unwrap();
    }
}

#[test]
fn a_program_that_mostly_fails_is_given_up() {
    check_patience("oooo", 4);
    check_patience("ofofof", 6);
    check_patience("ooffof", 6);
    check_patience("ffffff", 3);
    check_patience("fofooo", 3);
    check_patience("ooffff", 5);
}

#[test]
fn a_missing_program_is_tried_once() {
    let rig = Rig::new();
    let mut missing = rig.program("missing", "");
    missing.alternatives = vec![vec!["lotse-no-such-program".into()]];
    let finished = rig.bench(&options(vec![rig.program("good", "true"), missing], 9));
    assert_eq!(finished.conclusion.stopped_by, StoppedBy::Failure { program: "missing".to_owned() });
    assert_eq!(finished.set.runs.len(), 2);
    let run = finished.set.runs.iter().find(|run| run.program.0 == 1).unwrap();
    assert_eq!((run.outcome.status, run.values.len()), (Status::Missing, 0));
    assert_eq!(finished.answer.programs[0].samples["wall"].len(), 1);
}

#[test]
fn a_strict_budget_ends_before_the_least_number_of_blocks() {
    let rig = Rig::new();
    let plan = |strict_budget: bool| Stopping {
        budget: Duration::from_millis(1),
        strict_budget,
        min_blocks: 6,
        // A precision that is never reached.
        until: Some(1e-9),
        ..Stopping::default()
    };
    let blocks = |strict: bool| {
        let programs = vec![rig.program("a", "sleep 0.01"), rig.program("b", "sleep 0.01")];
        let finished = rig.bench(&Options { stopping: plan(strict), ..options(programs, 1) });
        assert_eq!(finished.conclusion.stopped_by, StoppedBy::Budget);
        finished.conclusion.blocks
    };
    assert_eq!((blocks(true), blocks(false)), (1, 6));
}

#[test]
fn progress_only_grows() {
    let rig = Rig::new();
    let mut watcher =
        Impatient { interrupt: Interrupt::new().unwrap(), blocks: usize::MAX, reported: vec![] };
    let idle = Interrupt::new().unwrap();
    rig.watched(&options(vec![rig.program("a", "true")], 5), Log::none(), idle, &mut watcher).unwrap();
    assert_eq!(watcher.reported, [200, 400, 600, 800]);
}
