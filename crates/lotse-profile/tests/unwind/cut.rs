//! Stacks that cannot be unwound to their outermost function.

use super::programs::{C, record, record_with};

const OPTIONS: [&str; 3] = ["-O2", "-fomit-frame-pointer", "-g"];

fn notes(opened: &lotse_profile::open::Opened<'_>) -> Vec<String> {
    opened.diagnostics.iter().map(|it| it.message.clone()).collect()
}

#[test]
fn a_copy_that_is_too_short_is_reported() {
    let Some(recorded) = record_with("cc", "program.c", C, &OPTIONS, &[], "dwarf,256") else { return };
    let opened = recorded.open();
    let notes = notes(&opened);
    let short = notes.iter().find(|note| note.contains("perf copied only 256 bytes of each stack"));
    assert!(short.is_some_and(|note| note.contains("lower bounds")), "{notes:?}");
}

#[test]
fn a_program_that_is_gone_is_reported() {
    let Some(recorded) = record("cc", "program.c", C, &OPTIONS, &[]) else { return };
    let whole = recorded.open();
    assert!(!notes(&whole).iter().any(|note| note.contains("lower bounds")), "{:?}", notes(&whole));
    std::fs::remove_file(recorded.program()).unwrap();
    let opened = recorded.open();
    let notes = notes(&opened);
    assert!(
        notes.iter().any(|note| note.contains("/program is not there") && note.contains("lower bounds")),
        "{notes:?}"
    );
    assert_eq!(super::stacks(&whole.profile).len(), super::stacks(&opened.profile).len());
}
