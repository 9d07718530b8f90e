//! Oddities inside a document, each kind told once: where it was first seen and how often.

use crate::error::Place;
use crate::reading::{Diagnostic, Weight};

/// Kinds of oddities, in the order they were first seen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    kinds: Vec<Kind>,
}

#[derive(Debug)]
struct Kind {
    message: &'static str,
    weight: Weight,
    place: Place,
    count: u64,
}

impl Tally {
    /// Something odd that lost nothing.
    pub(crate) fn note(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add(Weight::Note, message, place);
    }

    /// Something that could not be used.
    pub(crate) fn loss(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add(Weight::Loss, message, place);
    }

    fn add(&mut self, weight: Weight, message: &'static str, place: impl FnOnce() -> String) {
        match self.kinds.iter_mut().find(|kind| kind.message == message) {
            Some(kind) => kind.count += 1,
            None => self.kinds.push(Kind { message, weight, place: Place::Path(place()), count: 1 }),
        }
    }

    /// A diagnostic for each kind.
    pub(crate) fn into_diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        self.kinds.into_iter().map(|Kind { message, weight, place, count }| {
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            Diagnostic { place, message: format!("{message}{times}"), weight }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn a_kind_is_told_once() {
        let mut tally = Tally::default();
        for row in 0..3 {
            tally.loss("no such frame", || format!("stacks[{row}]"));
        }
        tally.note("sorted", || "events".into());
        let told: Vec<String> = tally.into_diagnostics().map(|it| format!("{:?} {it}", it.weight)).collect();
        assert_eq!(told, ["Loss stacks[0]: no such frame (3 times)", "Note events: sorted"]);
    }
}
