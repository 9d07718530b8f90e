//! Problems found in the bytes: the first few are reported one by one, the rest as a number.

use crate::error::Place;
use crate::reading::Diagnostic;

/// Further problems are only counted: a file of garbage would otherwise fill the screen and the memory.
const SHOWN: usize = 20;

/// A kind of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FaultKind {
    Garbage,
    NoCosts,
    NoCallee,
    TooMany,
    TooLarge,
    Undefined,
    Redefined,
    Cut,
    NoSums,
    NoFunction,
    RelativeCosts,
}

impl FaultKind {
    /// Whether costs are missing or attributed to the wrong function. An undefined name only leaves a number in its place.
    fn loses(self) -> bool {
        !matches!(self, Self::Undefined | Self::NoFunction | Self::RelativeCosts)
    }

    /// Whether it is reported once per file: it is about the file, not about single lines.
    fn is_reported_once(self) -> bool {
        matches!(self, Self::NoFunction | Self::RelativeCosts)
    }

    /// The problem and how the reader deals with it, for the user.
    fn message(self) -> &'static str {
        match self {
            Self::Garbage => "expected costs or a name, found something else; the line is left out",
            Self::NoCosts => "expected the costs of the calls in the next line, found none",
            Self::NoCallee => "expected `cfn=` before `calls=`; the calls are left out",
            Self::TooMany => "more costs than event types; the last are left out",
            Self::TooLarge => "a number or a sum is larger than 2^64 - 1, which is taken instead",
            Self::Undefined => {
                "the number of a name that no line before gives; the number is taken as the name"
            }
            Self::Redefined => "the number of a name gets another name; the first is kept",
            Self::Cut => "the file ends inside this line; what came after is missing",
            Self::NoSums => {
                "the file ends here without the sums its profiler writes at the end; it is incomplete, and costs are \
                 missing"
            }
            Self::NoFunction => "costs before the first function; they are those of a function `???`",
            Self::RelativeCosts => {
                "costs relative to those before (`+`, `-`, `*`), which the format does not have; they are added \
                 up, without costs by line"
            }
        }
    }
}

/// The problems of a file, by byte.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    first: Vec<(usize, FaultKind)>,
    losses: u64,
    undefined: u64,
}

impl Faults {
    /// Adds a problem at a byte.
    #[cold]
    pub(super) fn add(&mut self, at: usize, kind: FaultKind) {
        self.losses += u64::from(kind.loses());
        self.undefined += u64::from(kind == FaultKind::Undefined);
        if kind.is_reported_once() && self.first.iter().any(|&(_, other)| other == kind) {
            return;
        }
        self.first.push((at, kind));
        if self.first.len() > 4 * SHOWN {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        self.first.sort_unstable();
        self.first.truncate(SHOWN);
    }

    /// Adds the problems of another chunk.
    pub(super) fn append(&mut self, other: Self) {
        for (at, kind) in other.first {
            if !kind.is_reported_once() || !self.first.iter().any(|&(_, mine)| mine == kind) {
                self.first.push((at, kind));
            }
        }
        self.losses += other.losses;
        self.undefined += other.undefined;
    }

    /// Reports the problems to the user. Lines are counted only here, and only up to the last reported problem.
    pub(super) fn report(mut self, bytes: &[u8], source: Option<&str>, into: &mut Vec<Diagnostic>) {
        self.shorten();
        let (mut line, mut counted, mut shown, mut undefined) = (1, 0, 0, 0);
        for (at, kind) in self.first {
            let at = at.min(bytes.len());
            line += memchr::memchr_iter(b'\n', &bytes[counted.min(at)..at]).count() as u64;
            counted = at;
            shown += u64::from(kind.loses());
            undefined += u64::from(kind == FaultKind::Undefined);
            into.push(diagnostic(Place::Line(line), kind, source));
        }
        if self.losses > shown {
            let message = format!("{} more lines could not be used in full", self.losses - shown);
            into.push(Diagnostic::loss(Place::Whole, in_source(&message, source)));
        }
        if self.undefined > undefined {
            let message = format!("{} more numbers of names that no line gives", self.undefined - undefined);
            into.push(Diagnostic::note(Place::Whole, in_source(&message, source)));
        }
    }
}

fn diagnostic(place: Place, kind: FaultKind, source: Option<&str>) -> Diagnostic {
    let message = in_source(kind.message(), source);
    if kind.loses() { Diagnostic::loss(place, message) } else { Diagnostic::note(place, message) }
}

pub(super) fn in_source(message: &str, source: Option<&str>) -> String {
    source.map_or_else(|| message.to_owned(), |source| format!("{source}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::{FaultKind, Faults, SHOWN};
    use crate::error::Place;

    #[test]
    fn the_first_are_reported_and_the_rest_is_counted() {
        let bytes = "x\n".repeat(1000);
        let (mut one, mut two) = (Faults::default(), Faults::default());
        (0..400).for_each(|line| one.add(line * 2, FaultKind::Garbage));
        (400..1000).for_each(|line| two.add(line * 2, FaultKind::Garbage));
        one.append(two);
        let mut reported = Vec::new();
        one.report(bytes.as_bytes(), None, &mut reported);
        assert_eq!(reported.len(), SHOWN + 1);
        assert_eq!(reported[4].place, Place::Line(5));
        assert!(reported[SHOWN].message.contains("980 more"), "{}", reported[SHOWN].message);
    }
}
