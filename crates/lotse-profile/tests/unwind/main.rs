//! Compares unwound stacks with those of perf itself, on programs that are recorded during the test.
//!
//! Needs perf and compilers; without them, the tests are skipped with a message.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod cut;
mod oracle;
mod programs;

use lotse_model::id::FunctionId;
use lotse_profile::analysis::{Analysis, CycleMode};
use lotse_profile::names::display;

use oracle::{Frame, bare, perf_stacks, stacks};
use programs::{Recorded, record};

/// The least share of samples whose stacks must be equal to those of perf.
const AGREE: f64 = 0.98;

/// Checks that most samples have the same frames, and the program's functions the same inclusive costs.
fn check(recorded: &Recorded) {
    let opened = recorded.open();
    let (ours, theirs) = (stacks(&opened.profile), perf_stacks(recorded));
    assert!(ours.len() > 100, "too few samples to compare: {}", ours.len());
    assert_eq!(ours.len(), theirs.len(), "samples");
    let different: Vec<_> = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).collect();
    let agree = 1.0 - different.len() as f64 / ours.len() as f64;
    assert!(agree >= AGREE, "{agree:.4} agree; the first that does not: {:#?}", different.first());
    check_inclusive(recorded, &theirs);
    check_mapped(recorded, &ours);
}

/// Checks stacks as offsets in files: their number is the same, and nearly all have a frame of the program and are whole.
fn check_mapped(recorded: &Recorded, ours: &[(u64, Vec<Frame>)]) {
    let mapped = recorded.mapped_stacks();
    assert_eq!(mapped.len(), ours.len(), "samples");
    let program = recorded.program().display().to_string();
    let in_program =
        mapped.iter().filter(|stack| stack.frames.iter().any(|frame| frame.path == program)).count();
    let whole = mapped.iter().filter(|stack| stack.is_whole).count();
    assert!(in_program as f64 >= AGREE * mapped.len() as f64, "{in_program} of {}", mapped.len());
    assert!(whole as f64 >= AGREE * mapped.len() as f64, "{whole} of {}", mapped.len());
}

/// Checks that the inclusive costs of the program's functions are nearly the same as those of perf.
fn check_inclusive(recorded: &Recorded, theirs: &[(u64, Vec<Frame>)]) {
    let opened = recorded.open();
    let analysis = Analysis::of_default_parts(&opened.profile, CycleMode::Folded);
    for name in recorded.functions {
        let has = |stack: &&(u64, Vec<Frame>)| stack.1.iter().any(|frame| frame.name == *name);
        let expected = theirs.iter().filter(has).count();
        let named = |id: &FunctionId| bare(&display(&opened.profile, *id)) == *name;
        let ids = opened.profile.functions.ids().filter(named);
        let found: i128 = ids.map(|id| analysis.inclusive.value(id.index(), 0)).max().unwrap_or(0);
        let off = (found as f64 - expected as f64).abs() / theirs.len() as f64;
        assert!(expected > 0, "perf does not see {name}");
        assert!(off <= 0.005, "{name}: {found} samples, perf has {expected} of {}", theirs.len());
    }
}

#[test]
fn recursion_a_library_and_a_signal_handler_in_c() {
    let options = ["-O2", "-fomit-frame-pointer", "-g"];
    let functions = &["descend", "sort_numbers", "on_signal", "aligned", "main"];
    if let Some(recorded) = record("cc", "program.c", programs::C, &options, functions) {
        check(&recorded);
    }
}

#[test]
fn templates_lambdas_and_threads_in_cpp() {
    let options = ["-O2", "-fomit-frame-pointer", "-g", "-std=c++17", "-pthread"];
    let functions = &["work_on_strings", "work_on_numbers", "thread_main"];
    if let Some(recorded) = record("c++", "program.cpp", programs::CPP, &options, functions) {
        check(&recorded);
    }
}

#[test]
fn closures_and_panics_in_rust() {
    let options = ["-O", "-g", "--edition", "2021"];
    let functions = &["program::fill", "program::collect_words", "program::main"];
    if let Some(recorded) = record("rustc", "program.rs", programs::RUST, &options, functions) {
        check(&recorded);
    }
}
