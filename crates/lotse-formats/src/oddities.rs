//! Diagnostics of a long input: the first ones are kept one by one, the others are only counted.

use crate::error::Place;
use crate::reading::{Diagnostic, Weight};

/// How many diagnostics are kept one by one. Nobody reads more, and a hostile file causes millions.
const TOLD: usize = 50;

/// Diagnostics of one input.
#[derive(Debug, Default)]
pub(crate) struct Oddities {
    told: Vec<Diagnostic>,
    more: u64,
    lost: bool,
}

impl Oddities {
    /// Adds a diagnostic about something that was lost.
    pub(crate) fn loss(&mut self, place: Place, message: impl Into<String>) {
        self.push(Diagnostic::loss(place, message));
    }

    /// Adds a diagnostic about something that is worth knowing.
    pub(crate) fn note(&mut self, place: Place, message: impl Into<String>) {
        self.push(Diagnostic::note(place, message));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.told.len() < TOLD {
            self.told.push(diagnostic);
        } else {
            self.more += 1;
            self.lost |= diagnostic.weight == Weight::Loss;
        }
    }

    /// The diagnostics in the order they were found, with the number of those not kept at the end.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let weight = if self.lost { Weight::Loss } else { Weight::Note };
            let message = format!("and {} more like these", self.more);
            self.told.push(Diagnostic { place: Place::Whole, message, weight });
        }
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::{Oddities, TOLD};
    use crate::error::Place;
    use crate::reading::Weight;

    #[test]
    fn a_long_list_ends_with_a_number() {
        let mut oddities = Oddities::default();
        (0..TOLD as u64).for_each(|line| oddities.note(Place::Line(line), "odd"));
        oddities.loss(Place::Line(99), "bad");
        oddities.note(Place::Line(100), "odd");
        let told = oddities.into_diagnostics();
        assert_eq!(told.len(), TOLD + 1);
        assert_eq!((told[TOLD].message.as_str(), told[TOLD].weight), ("and 2 more like these", Weight::Loss));
    }
}
