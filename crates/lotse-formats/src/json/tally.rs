//! Diagnostics of a document, one for each message: where it first occurred and how often.

use crate::error::Place;
use crate::reading::{Diagnostic, Weight};

/// Messages in the order they first occurred, each with its number of occurrences.
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
    /// Adds a message about something unusual by which nothing was lost.
    pub(crate) fn note(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add(Weight::Note, message, place);
    }

    /// Adds a message about a part of the input that could not be used.
    pub(crate) fn loss(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add(Weight::Loss, message, place);
    }

    fn add(&mut self, weight: Weight, message: &'static str, place: impl FnOnce() -> String) {
        match self.kinds.iter_mut().find(|kind| kind.message == message) {
            Some(kind) => kind.count += 1,
            None => self.kinds.push(Kind { message, weight, place: Place::Path(place()), count: 1 }),
        }
    }

    /// One diagnostic per message.
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
    fn each_message_is_reported_once() {
        let mut tally = Tally::default();
        for row in 0..3 {
            tally.loss("no such frame", || format!("stacks[{row}]"));
        }
        tally.note("sorted", || "events".into());
        let diagnostics: Vec<String> =
            tally.into_diagnostics().map(|it| format!("{:?} {it}", it.weight)).collect();
        assert_eq!(diagnostics, ["Loss stacks[0]: no such frame (3 times)", "Note events: sorted"]);
    }
}
