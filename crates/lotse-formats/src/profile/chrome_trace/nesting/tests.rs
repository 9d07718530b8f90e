//! Stacks of ordinary spans and of damaged ones.

use lotse_model::profile::Builder;

use crate::diagnostics::Diagnostics;
use crate::spans::SpanMarks;

/// Checks the slices and messages of marks: `B` begins a span, `E` ends one, `X` is a span with its end.
fn check(marks: &[(char, i64, &str, i64)], slices: &[(&str, i64, u64)], notes: &[&str]) {
    let mut builder = Builder::new();
    let mut spans = SpanMarks::default();
    for &(kind, at, name, end) in marks {
        let function = builder.bare_function(name);
        let frame = builder.bare_frame(function);
        let label = (!name.is_empty()).then_some(function.0);
        match kind {
            'B' => spans.begin(at, function.0, frame),
            'E' => spans.end(at, label),
            _ => spans.complete(at, end, frame),
        }
    }
    let mut diagnostics = Diagnostics::default();
    let nested = spans.nest(&mut builder, &mut diagnostics, "x");
    let profile = builder.finish();
    let found: Vec<(String, i64, u64)> = nested
        .slices
        .iter()
        .map(|slice| {
            let frames: Vec<&str> = profile
                .stacks
                .frames(Some(slice.stack))
                .map(|frame| profile.function_name(profile.frames.get(frame).function))
                .collect();
            (frames.into_iter().rev().collect::<Vec<_>>().join(";"), slice.at, slice.length)
        })
        .collect();
    let slices: Vec<_> = slices.iter().map(|&(stack, at, length)| (stack.to_owned(), at, length)).collect();
    assert_eq!(found, slices, "{marks:?}");
    let messages: Vec<String> = diagnostics.into_vec().into_iter().map(|it| it.message).collect();
    assert_eq!(messages.len(), notes.len(), "{messages:?}");
    assert!(messages.iter().zip(notes).all(|(message, note)| message.contains(note)), "{messages:?}");
}

#[test]
fn a_slice_is_what_was_open() {
    check(
        &[('B', 0, "a", 0), ('X', 2, "b", 5), ('E', 9, "a", 0)],
        &[("a", 0, 2), ("a;b", 2, 3), ("a", 5, 4)],
        &[],
    );
    check(&[('X', 0, "a", 1), ('X', 0, "b", 3)], &[("b;a", 0, 1), ("b", 1, 2)], &[]);
    check(&[('B', 0, "a", 0), ('E', 4, "", 0)], &[("a", 0, 4)], &[]);
}

#[test]
fn spans_that_overlap_keep_their_time() {
    check(&[('X', 0, "a", 10), ('X', 5, "b", 15)], &[("a", 0, 5), ("a;b", 5, 5), ("b", 10, 5)], &["overlap"]);
    check(
        &[('B', 0, "a", 0), ('B', 1, "b", 0), ('E', 9, "a", 0), ('E', 10, "b", 0)],
        &[("a", 0, 1), ("a;b", 1, 8), ("b", 9, 1)],
        &["overlap"],
    );
}

#[test]
fn ends_without_a_begin_are_ignored() {
    check(&[('B', 0, "a", 0), ('E', 9, "b", 0)], &[("a", 0, 9)], &["another name"]);
    check(
        &[('B', 0, "a", 0), ('E', 5, "b", 0), ('E', 9, "a", 0), ('E', 10, "a", 0), ('E', 11, "", 0)],
        &[("a", 0, 9)],
        &["no begin of the name", "nothing is open"],
    );
    check(&[('B', 0, "a", 0), ('X', 3, "b", 7)], &[("a", 0, 3), ("a;b", 3, 4)], &["no end"]);
    check(
        &[('E', 9, "a", 0), ('B', 0, "a", 0), ('E', 3, "b", 0), ('B', 3, "b", 0)],
        &[("a", 0, 3), ("a", 3, 6)],
        &["sorted"],
    );
}

#[test]
fn overlaps_without_end_take_bounded_memory() {
    let mut builder = Builder::new();
    let mut spans = SpanMarks::default();
    for span in 0..4000 {
        let function = builder.bare_function(&span.to_string());
        let frame = builder.bare_frame(function);
        spans.complete(span, span + 4000, frame);
    }
    let mut diagnostics = Diagnostics::default();
    spans.nest(&mut builder, &mut diagnostics, "x");
    assert!(builder.finish().stacks.len() < 100_000);
    assert!(diagnostics.into_vec().iter().any(|it| it.message.contains("too many")));
}

#[test]
fn calls_are_counted_once_each() {
    let mut builder = Builder::new();
    let frames = ["a", "b"].map(|name| {
        let function = builder.bare_function(name);
        builder.bare_frame(function)
    });
    let mut spans = SpanMarks::default();
    spans.complete(0, 100, frames[0]);
    (0..5).for_each(|call| spans.complete(call * 10, call * 10, frames[1]));
    let nested = spans.nest(&mut builder, &mut Diagnostics::default(), "x");
    assert_eq!((nested.calls.count, nested.slices.len()), (vec![5], 5));
}
