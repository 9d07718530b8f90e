//! The collector of everything unusual about one input, bounded however bad the input is.
//!
//! A problem is reported each time it occurs ([`Diagnostics::loss`]), up to a limit, after which problems are only counted; or
//! once for its kind, with the place of the first occurrence and their number ([`Diagnostics::loss_kind`]).

use std::borrow::Cow;

use crate::error::Place;
use crate::reading::{Diagnostic, Weight};

/// How many single problems are listed. Nobody reads more, and a hostile file has millions.
const LISTED: usize = 50;

/// Diagnostics of one input, in the order they were found.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    listed: Vec<Listed>,
    /// How many of `listed` are single problems.
    single: usize,
    /// Single problems beyond the limit.
    more: u64,
    /// Whether one of those is a loss.
    more_lost: bool,
}

#[derive(Debug)]
struct Listed {
    place: Place,
    message: Cow<'static, str>,
    weight: Weight,
    /// How often a problem of this kind occurred; `None` for a single problem.
    count: Option<u64>,
}

impl Diagnostics {
    /// Begins with problems that were found before.
    pub(crate) fn starting_with(found: impl IntoIterator<Item = Diagnostic>) -> Self {
        let mut all = Self::default();
        found.into_iter().for_each(|problem| all.push(problem));
        all
    }

    /// Something was lost.
    pub(crate) fn loss(&mut self, place: Place, message: impl Into<String>) {
        self.push(Diagnostic::loss(place, message));
    }

    /// Something is worth knowing.
    pub(crate) fn note(&mut self, place: Place, message: impl Into<String>) {
        self.push(Diagnostic::note(place, message));
    }

    /// Something of a kind was lost; `place` is evaluated for the first of the kind only.
    pub(crate) fn loss_kind(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add_kind(Weight::Loss, message, place);
    }

    /// Something of a kind is worth knowing; `place` is evaluated for the first of the kind only.
    pub(crate) fn note_kind(&mut self, message: &'static str, place: impl FnOnce() -> String) {
        self.add_kind(Weight::Note, message, place);
    }

    fn push(&mut self, Diagnostic { place, message, weight }: Diagnostic) {
        if self.single < LISTED {
            self.single += 1;
            self.listed.push(Listed { place, message: message.into(), weight, count: None });
        } else {
            self.more += 1;
            self.more_lost |= weight == Weight::Loss;
        }
    }

    /// Only what needs the type of the closure is in here: there are as many copies of it as callers.
    fn add_kind(&mut self, weight: Weight, message: &'static str, place: impl FnOnce() -> String) {
        if !self.count_again(message) {
            self.list_kind(weight, message, place());
        }
    }

    /// Counts a kind once more if it is listed already.
    fn count_again(&mut self, message: &str) -> bool {
        let known = self.listed.iter_mut().find_map(|it| it.count.as_mut().filter(|_| it.message == message));
        known.map(|count| *count += 1).is_some()
    }

    fn list_kind(&mut self, weight: Weight, message: &'static str, place: String) {
        let place = Place::Path(place);
        self.listed.push(Listed { place, message: message.into(), weight, count: Some(1) });
    }

    /// All of them, in the order they were found.
    pub(crate) fn into_vec(self) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self.listed.into_iter().map(Listed::into_diagnostic).collect();
        if self.more > 0 {
            let weight = if self.more_lost { Weight::Loss } else { Weight::Note };
            let message = format!("and {} more like these", self.more);
            all.push(Diagnostic { place: Place::Whole, message, weight });
        }
        all
    }
}

impl Listed {
    fn into_diagnostic(self) -> Diagnostic {
        let times = self.count.filter(|count| *count > 1).map(|count| format!(" ({count} times)"));
        let message = self.message.into_owned() + times.as_deref().unwrap_or("");
        Diagnostic { place: self.place, message, weight: self.weight }
    }
}

#[cfg(test)]
mod tests {
    use super::{Diagnostics, LISTED};
    use crate::error::Place;
    use crate::reading::Weight;

    #[test]
    fn a_long_list_ends_with_a_number() {
        let mut diagnostics = Diagnostics::default();
        (0..LISTED as u64).for_each(|line| diagnostics.note(Place::Line(line), "odd"));
        diagnostics.loss(Place::Line(99), "bad");
        diagnostics.note(Place::Line(100), "odd");
        let all = diagnostics.into_vec();
        assert_eq!(all.len(), LISTED + 1);
        assert_eq!(
            (all[LISTED].message.as_str(), all[LISTED].weight),
            ("and 2 more like these", Weight::Loss)
        );
    }

    #[test]
    fn a_kind_is_reported_once() {
        let mut diagnostics = Diagnostics::default();
        for row in 0..3 {
            diagnostics.loss_kind("no such frame", || format!("stacks[{row}]"));
        }
        diagnostics.note_kind("sorted", || "events".into());
        diagnostics.note(Place::Line(7), "sorted");
        let all: Vec<String> =
            diagnostics.into_vec().iter().map(|it| format!("{:?} {it}", it.weight)).collect();
        assert_eq!(
            all,
            ["Loss stacks[0]: no such frame (3 times)", "Note events: sorted", "Note line 7: sorted"]
        );
    }
}
