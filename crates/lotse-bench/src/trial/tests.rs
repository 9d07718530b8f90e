//! Looks at made-up results: when they end, why, and what is recorded.

use lotse_formats::bench::lotse_log::{LookRecord, PlanRecord};
use lotse_model::results::{Design, ResultSet};
use lotse_model::rule::Thresholds;
use lotse_model::suite::Expected;
use lotse_stats::sequential::{Look, Plan, Trial};

use super::{BenchTrial, Conclusion, StoppedBy, plan};
use crate::command::Shell;
use crate::options::{Hooks, Input, Options, Output, ProgramSpec, SelfCheckChoice, Stopping};
use crate::rules::fixture::{Fixture, noise};
use crate::shell_error::ShellError;

pub(super) fn options(set: &ResultSet, stopping: Stopping) -> Options {
    let spec = |program: &lotse_model::results::Program| ProgramSpec {
        program: program.clone(),
        alternatives: vec![],
        are_builds: false,
        environment: vec![],
        directory: None,
        directories: Vec::new(),
        input: Input::Null,
        output: Output::Null,
        hooks: Hooks::default(),
        expected: Expected::default(),
        any_exit_code: false,
        timeout: None,
    };
    Options {
        earlier: None,
        programs: set.programs.iter().map(spec).collect(),
        reference: 0,
        design: set.design,
        design_note: None,
        separation: None,
        seed: 1,
        stopping,
        primary: "wall".to_owned(),
        metrics: vec![],
        warmup: 0,
        runner: Default::default(),
        shell: Shell::None,
        self_check: SelfCheckChoice::Off,
        thresholds: Thresholds::default(),
        layouts: None,
        invocation: lotse_model::Invocation::default(),
    }
}

fn first_blocks(set: &ResultSet, blocks: u32) -> ResultSet {
    let mut begun = set.clone();
    begun.runs.retain(|run| run.block.0 < blocks);
    begun
}

/// Looks at (share of the trial, blocks) until a look ends the trial.
#[track_caller]
fn check(programs: &[(&str, &[f64])], stopping: Stopping, looks: &[(f64, u32)], last: usize, why: StoppedBy) {
    let set = Fixture::paired(programs).set;
    let options = options(&set, stopping);
    let mut trial = BenchTrial::new(&options, false).unwrap();
    let ended = looks.iter().position(|&(fraction, blocks)| {
        trial.reached(fraction);
        trial.look(&first_blocks(&set, blocks)).unwrap()
    });
    assert_eq!((ended, trial.stopped_by()), (Some(last), why));
}

fn until(share: f64) -> Stopping {
    Stopping { until: Some(share), ..Stopping::default() }
}

const LOOKS: &[(f64, u32)] = &[(0.05, 10), (0.3, 20), (0.6, 30), (1.0, 40)];

#[test]
fn a_verdict_needs_a_look_that_may_conclude_something() {
    // 0.05 · 0.05² is less than 2 / 2^10: the first look is blind, however clear the data are.
    check(&[("a", &[1.0; 40]), ("b", &[0.9; 40])], Stopping::default(), LOOKS, 1, StoppedBy::Verdict);
    check(&[("a", &[1.0; 40]), ("b", &[1.0; 40])], Stopping::default(), LOOKS, 1, StoppedBy::Verdict);
}

#[test]
fn no_look_counts_before_the_least_number_of_blocks() {
    let patient = Stopping { min_blocks: 25, ..Stopping::default() };
    check(&[("a", &[1.0; 40]), ("b", &[0.9; 40])], patient, LOOKS, 2, StoppedBy::Verdict);
}

#[test]
fn every_end_has_its_reason() {
    let (a, b) = (noise(40, 0.01, 1), noise(40, 0.01, 2));
    let noisy: &[(&str, &[f64])] = &[("a", &a), ("b", &b)];
    check(noisy, until(0.05), LOOKS, 1, StoppedBy::Precision);
    check(noisy, until(1e-9), LOOKS, 3, StoppedBy::Budget);
    let counted = |most| Stopping { max_blocks: Some(most), ..until(1e-9) };
    check(noisy, counted(40), LOOKS, 3, StoppedBy::Runs);
    check(noisy, counted(41), LOOKS, 3, StoppedBy::Budget);
    let fixed = Stopping { fixed: true, max_blocks: Some(40), ..Stopping::default() };
    check(&[("a", &[1.0; 40]), ("b", &[0.9; 40])], fixed, &[(1.0, 40)], 0, StoppedBy::Runs);
}

#[test]
fn a_gated_trial_goes_on_until_the_limit_is_excluded() {
    let gated = Stopping { max_regression: Some(0.02), ..Stopping::default() };
    let slower = |factor: f64| noise(400, 0.02, 4).iter().map(|value| factor * value).collect::<Vec<f64>>();
    let (old, new, equal) = (noise(400, 0.02, 3), slower(1.03), slower(1.0));
    let looks = &[(0.1, 40), (0.2, 80), (0.4, 160), (1.0, 400)];
    // Slower by 3 % for certain is soon known, more than 2 % only later.
    check(&[("old", &old), ("new", &new)], Stopping::default(), looks, 1, StoppedBy::Verdict);
    check(&[("old", &old), ("new", &new)], gated.clone(), looks, 2, StoppedBy::Limit);
    // At the limit itself the budget ends it.
    check(&[("old", &old), ("at", &slower(1.02))], gated.clone(), looks, 3, StoppedBy::Budget);
    check(&[("old", &old), ("new", &new), ("equal", &equal)], gated, looks, 2, StoppedBy::Limit);
}

#[test]
fn all_comparisons_must_have_their_answer() {
    let (a, b): (&[f64], &[f64]) = (&[1.0; 40], &[0.5; 40]);
    let noisy = noise(40, 0.2, 4);
    check(&[("a", a), ("b", b), ("c", &noisy)], Stopping::default(), LOOKS, 3, StoppedBy::Budget);
    check(&[("a", a), ("b", b), ("c", &[0.3; 40])], Stopping::default(), LOOKS, 1, StoppedBy::Verdict);
}

#[test]
fn one_program_alone_is_measured_until_its_centre_is_known() {
    let (calm, wild) = (noise(40, 0.002, 5), noise(40, 0.2, 6));
    // Within a quarter of delta, as an equivalence would need, unless asked for otherwise.
    check(&[("a", &calm)], Stopping::default(), LOOKS, 1, StoppedBy::Precision);
    check(&[("a", &wild)], Stopping::default(), LOOKS, 3, StoppedBy::Budget);
    check(&[("a", &wild)], until(0.5), LOOKS, 1, StoppedBy::Precision);
}

#[test]
fn without_a_single_pair_only_the_end_of_the_budget_ends_the_trial() {
    let mut fixture = Fixture::paired(&[("a", &[1.0; 40]), ("b", &[0.9; 40])]);
    fixture.fail("b", 40, "no");
    let options = options(&fixture.set, Stopping::default());
    let mut trial = BenchTrial::new(&options, false).unwrap();
    trial.reached(0.99);
    assert!(!trial.look(&fixture.set).unwrap());
    trial.reached(1.0);
    assert!(trial.look(&fixture.set).unwrap());
    assert_eq!(trial.stopped_by(), StoppedBy::Budget);
    let conclusion = trial.conclude(&fixture.set, StoppedBy::Budget);
    assert_eq!((conclusion.looks.len(), conclusion.blocks), (0, 40));
}

#[test]
fn a_program_without_a_pair_delays_the_end_but_not_the_looks_at_others() {
    let mut fixture = Fixture::paired(&[("a", &[1.0; 40]), ("b", &[0.9; 40]), ("c", &[1.0; 40])]);
    fixture.fail("c", 40, "no");
    let options = options(&fixture.set, Stopping::default());
    let mut trial = BenchTrial::new(&options, false).unwrap();
    trial.reached(0.6);
    assert!(!trial.look(&fixture.set).unwrap());
    let conclusion = trial.conclude(&fixture.set, StoppedBy::Interrupt);
    assert_eq!(conclusion.looks.len(), 2);
    assert!(conclusion.looks.iter().all(|look| look.nominal_p > 0.0), "{:?}", conclusion.looks);
}

/// The looks of an independent trial.
fn looks_at(places: &[(f64, usize)]) -> Vec<Look> {
    let mut trial = Trial::new(plan(&Stopping::default()), 1).unwrap();
    places.iter().map(|&(fraction, blocks)| trial.look(fraction, blocks).unwrap()).last().unwrap()
}

#[test]
fn a_trial_that_is_stopped_concludes_from_its_last_look() {
    let (a, b) = (noise(40, 0.05, 7), noise(40, 0.05, 8));
    let set = Fixture::paired(&[("a", &a), ("b", &b)]).set;
    let options = options(&set, Stopping::default());
    let failure = StoppedBy::Failure { program: "b".to_owned() };
    for why in [StoppedBy::Interrupt, StoppedBy::Hook, StoppedBy::Launcher, failure, StoppedBy::Budget] {
        let mut trial = BenchTrial::new(&options, false).unwrap();
        trial.reached(0.3);
        assert!(!trial.look(&first_blocks(&set, 20)).unwrap());
        trial.reached(0.5);
        let conclusion = trial.conclude(&first_blocks(&set, 30), why.clone());
        assert_eq!(conclusion.looks, looks_at(&[(0.3, 20)]), "{why:?}");
        assert_eq!((conclusion.looked, conclusion.blocks, conclusion.stopped_by), (20, 30, why));
    }
}

/// A kill leaves the header and the looks; a report on them concludes the same as an interrupt.
#[test]
fn a_kill_and_an_interrupt_at_the_same_moment_conclude_the_same() {
    let (a, b, c) = (noise(40, 0.05, 7), noise(40, 0.05, 8), noise(40, 0.05, 9));
    for programs in [&[("a", &a[..]), ("b", &b)][..], &[("a", &a), ("b", &b), ("c", &c)]] {
        let set = Fixture::paired(programs).set;
        let options = options(&set, Stopping { alpha: 0.1, delta: 0.02, ..Stopping::default() });
        let mut trial = BenchTrial::new(&options, false).unwrap();
        for (looks, &(fraction, blocks)) in LOOKS.iter().enumerate() {
            let measured = first_blocks(&set, blocks.saturating_sub(1));
            let record = trial.look_record();
            let interrupted = trial.conclude(&measured, StoppedBy::Interrupt);
            let plan = PlanRecord { alpha: 0.1, delta: 0.02, until: None };
            let killed = Conclusion::from_cut_file(Some(plan), record.as_ref(), &measured);
            assert_eq!((killed.looked, killed.blocks), (interrupted.looked, interrupted.blocks));
            assert_eq!(killed.stopped_by, StoppedBy::Killed);
            assert_eq!((killed.plan.alpha, killed.plan.delta), (0.1, 0.02));
            let nominal = |end: &Conclusion| end.looks.iter().map(|look| look.nominal_p).collect::<Vec<_>>();
            assert_eq!(nominal(&killed), nominal(&interrupted));
            assert_eq!(killed.looks.len(), if looks == 0 { 0 } else { programs.len() - 1 });
            trial.reached(fraction);
            trial.look(&first_blocks(&set, blocks)).unwrap();
        }
    }
}

#[test]
fn a_file_that_was_cut_before_its_first_look_concludes_nothing() {
    let paired = Fixture::paired(&[("a", &[1.0; 40]), ("b", &[0.9; 40])]).set;
    assert!(Conclusion::from_cut_file(None, None, &paired).looks.is_empty());
    let strange = LookRecord { blocks: 20, fraction: 0.5, nominal_p: vec![f64::NAN], shell_p: None };
    assert!(Conclusion::from_cut_file(None, Some(&strange), &paired).looks.is_empty());
    // Nothing was shown of runs that were not interleaved, so the user cannot have used them to choose when to stop.
    let unpaired = Fixture::sequential(&[("a", &[1.0; 4]), ("b", &[0.9; 4])]).set;
    assert_eq!(Conclusion::from_cut_file(None, None, &unpaired).looks[0].nominal_p, 0.05);
}

#[test]
fn an_interrupt_before_the_first_look_concludes_nothing() {
    let set = Fixture::paired(&[("a", &[1.0; 40]), ("b", &[0.9; 40])]).set;
    let options = options(&set, Stopping::default());
    let trial = BenchTrial::new(&options, false).unwrap();
    let conclusion = trial.conclude(&first_blocks(&set, 3), StoppedBy::Interrupt);
    assert_eq!((conclusion.looks.len(), conclusion.looked, conclusion.blocks), (0, 0, 3));
}

#[test]
fn runs_that_were_not_interleaved_are_looked_at_once() {
    let set = Fixture::sequential(&[("a", &[1.0; 4]), ("b", &[0.9; 4]), ("c", &[0.8; 4])]).set;
    assert_eq!(set.design, Design::Sequential);
    let options = options(&set, Stopping { alpha: 0.1, ..Stopping::default() });
    let mut trial = BenchTrial::new(&options, false).unwrap();
    trial.reached(0.5);
    assert!(!trial.look(&set).unwrap());
    let conclusion = trial.conclude(&set, StoppedBy::Budget);
    assert_eq!(conclusion.looks.iter().map(|look| look.nominal_p).collect::<Vec<_>>(), [0.1, 0.05]);
}

#[test]
fn a_single_look_has_bonferroni_s_levels() {
    let conclusion = Conclusion::single_look(Plan::default(), 3, 25, StoppedBy::Unknown);
    // scipy.stats.norm.ppf(1 - 0.05 / 2 / m) for m of 1, 2, 3
    let expected = [(0.05, 1.959_963_985), (0.025, 2.241_402_728), (0.05 / 3.0, 2.393_979_800)];
    assert_eq!(conclusion.looks.len(), 3);
    for (look, (nominal_p, z)) in conclusion.looks.iter().zip(expected) {
        assert!((look.nominal_p - nominal_p).abs() < 1e-15 && (look.z - z).abs() < 1e-8, "{look:?}");
        assert_eq!((look.fraction, look.information), (1.0, 25.0));
    }
    assert_eq!(Conclusion::single_look(Plan::default(), 0, 25, StoppedBy::Unknown).looks.len(), 1);
}

#[test]
fn conclusions_are_read_back_from_their_record() {
    let look = |z: f64, nominal_p: f64| Look { fraction: 0.7, information: 31.0, z, nominal_p };
    let lists = [
        vec![],
        vec![look(f64::INFINITY, 0.0)],
        vec![look(1.959_963_985, 0.05), look(2.241_402_728, 0.025)],
        vec![look(6.109_410_192, 1e-9)],
    ];
    for looks in lists {
        let plan = Plan { alpha: 0.1, delta: 0.003, ..Plan::default() };
        let clocks =
            [("wall".to_owned(), [-1e-4, 2e-4]), ("user".to_owned(), [f64::NEG_INFINITY, f64::INFINITY])];
        let shell = Some(ShellError { clocks: clocks.into(), shared: true });
        let stopped_by = StoppedBy::Interrupt;
        let before = Conclusion { plan, looks, looked: 31, shell: shell.clone(), stopped_by, blocks: 37 };
        let after = Conclusion::from_record(&before.record()).unwrap();
        assert_eq!((after.plan.alpha, after.plan.delta), (0.1, 0.003));
        assert_eq!((after.stopped_by, after.looked, after.blocks), (StoppedBy::Interrupt, 31, 37));
        assert_eq!(after.shell, shell);
        assert_eq!(after.looks.len(), before.looks.len());
        for (after, before) in after.looks.iter().zip(&before.looks) {
            let same_z = after.z == before.z || (after.z - before.z).abs() < 1e-6;
            assert!(same_z, "{} is not {}", after.z, before.z);
            assert_eq!(Look { z: before.z, ..*after }, *before);
        }
    }
}

#[test]
fn a_record_without_all_fields_gives_no_conclusion() {
    let whole = Conclusion::single_look(Plan::default(), 1, 5, StoppedBy::Runs).record();
    assert!(Conclusion::from_record(&whole).is_some());
    for key in ["stopped_by", "blocks", "alpha", "delta", "nominal_p"] {
        let mut less = whole.clone();
        less.end.remove(key);
        assert!(Conclusion::from_record(&less).is_none(), "without {key}");
        less.end.insert(key.to_owned(), serde_json::json!({"not": "this"}));
        assert!(Conclusion::from_record(&less).is_none(), "with a strange {key}");
    }
    let (zero, one, many) = (serde_json::json!(0.0), serde_json::json!(1.0), serde_json::json!([0.05, 1.5]));
    for (key, value) in [("alpha", &zero), ("alpha", &one), ("delta", &zero), ("nominal_p", &many)] {
        let mut insane = whole.clone();
        insane.end.insert(key.to_owned(), value.clone());
        assert!(Conclusion::from_record(&insane).is_none(), "{key} = {value}");
    }
}

#[test]
fn other_programs_than_were_looked_at_get_the_strictest_look() {
    let strictest = |looked_at: usize, compared: usize| {
        let known = Conclusion::single_look(Plan::default(), looked_at, 9, StoppedBy::Verdict);
        let looks = known.strictest(compared).looks;
        looks.into_iter().map(|look| look.nominal_p).collect::<Vec<_>>()
    };
    assert_eq!(strictest(3, 1), [0.05 / 3.0]);
    assert_eq!(strictest(2, 3), [0.025; 3]);
    assert_eq!(strictest(2, 0), [0.025]);
    let (plan, stopped_by) = (Plan::default(), StoppedBy::Interrupt);
    let never = Conclusion { plan, looks: vec![], looked: 0, shell: None, stopped_by, blocks: 9 };
    assert!(never.strictest(2).looks.is_empty());
}

#[test]
fn reasons_are_read_back_from_their_words() {
    use StoppedBy::{Budget, Error, Hook, Interrupt, Killed, Launcher, Precision, Runs, Unknown, Verdict};
    for reason in [Verdict, Precision, Budget, Runs, Interrupt, Hook, Launcher, Error, Killed, Unknown] {
        assert_eq!(StoppedBy::from_word(reason.word()), reason);
    }
    // The findings name the program that failed.
    let failure = StoppedBy::Failure { program: "a".to_owned() };
    assert_eq!(StoppedBy::from_word(failure.word()), StoppedBy::Failure { program: String::new() });
    assert_eq!(StoppedBy::from_word("boredom"), Unknown);
}

fn note(programs: &[(&str, &[f64])], fraction: f64) -> Option<String> {
    let set = Fixture::paired(programs).set;
    let options = options(&set, Stopping::default());
    let mut trial = BenchTrial::new(&options, false).unwrap();
    trial.reached(fraction);
    trial.look(&set).unwrap();
    trial.note()
}

#[test]
fn the_progress_note_shows_the_current_interval() {
    let two: [(&str, &[f64]); 2] = [("a", &[1.0; 20]), ("b", &[0.9; 20])];
    assert_eq!(note(&two, 0.5).as_deref(), Some("b: -10.0 % to -10.0 %"));
    assert_eq!(note(&[("a", &[1.0; 20])], 0.5).as_deref(), Some("± 0.00 %"));
    assert_eq!(note(&two, 0.0001), None);
}
