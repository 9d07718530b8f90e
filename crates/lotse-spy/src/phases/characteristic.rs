//! The sixteen templates of phases.

use serde::{Deserialize, Serialize};

use crate::container::Kind;

/// What neighbouring accesses have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Reads whose indices do not fall.
    LinearReadForward,
    /// Reads whose indices do not rise.
    LinearReadBackward,
    /// Writes whose indices do not fall.
    LinearWriteForward,
    /// Writes whose indices do not rise.
    LinearWriteBackward,
    /// Insertions before the first element.
    InsertFront,
    /// Insertions behind the last element.
    InsertBack,
    /// Deletions of the first element.
    DeleteFront,
    /// Deletions of the last element.
    DeleteBack,
}

/// The condition of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Rising,
    Falling,
    AtFront,
    AtBack,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::LinearReadForward,
        Self::LinearReadBackward,
        Self::LinearWriteForward,
        Self::LinearWriteBackward,
        Self::InsertFront,
        Self::InsertBack,
        Self::DeleteFront,
        Self::DeleteBack,
    ];

    /// The kind of its accesses.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Self::LinearReadForward | Self::LinearReadBackward => Kind::Read,
            Self::LinearWriteForward | Self::LinearWriteBackward => Kind::Write,
            Self::InsertFront | Self::InsertBack => Kind::Insert,
            Self::DeleteFront | Self::DeleteBack => Kind::Delete,
        }
    }

    pub(super) fn condition(self) -> Condition {
        match self {
            Self::LinearReadForward | Self::LinearWriteForward => Condition::Rising,
            Self::LinearReadBackward | Self::LinearWriteBackward => Condition::Falling,
            Self::InsertFront | Self::DeleteFront => Condition::AtFront,
            Self::InsertBack | Self::DeleteBack => Condition::AtBack,
        }
    }
}

/// A pattern, and whether other kinds of accesses may lie between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Characteristic {
    /// What the accesses have in common.
    pub pattern: Pattern,
    /// Whether only accesses of the kind in question count as neighbours.
    pub tolerant: bool,
}

impl Characteristic {
    /// How many there are.
    pub const COUNT: usize = 16;

    /// Neighbours are adjacent events.
    #[must_use]
    pub const fn strict(pattern: Pattern) -> Self {
        Self { pattern, tolerant: false }
    }

    /// Other kinds may lie between.
    #[must_use]
    pub const fn tolerant(pattern: Pattern) -> Self {
        Self { pattern, tolerant: true }
    }

    /// All of them: the strict ones, then the tolerant ones.
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|tolerant| Pattern::ALL.map(|pattern| Self { pattern, tolerant }))
    }

    /// Its place in [`Self::all`].
    #[must_use]
    pub fn number(self) -> usize {
        self.pattern as usize + if self.tolerant { Pattern::ALL.len() } else { 0 }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        const NAMES: [&str; Characteristic::COUNT] = [
            "linear-read-forward",
            "linear-read-backward",
            "linear-write-forward",
            "linear-write-backward",
            "insert-front",
            "insert-back",
            "delete-front",
            "delete-back",
            "when-reading-forward",
            "when-reading-backward",
            "when-writing-forward",
            "when-writing-backward",
            "when-inserting-front",
            "when-inserting-back",
            "when-deleting-front",
            "when-deleting-back",
        ];
        NAMES[self.number()]
    }
}

impl std::fmt::Display for Characteristic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Characteristic;

    #[test]
    fn numbers_are_places_and_names_are_distinct() {
        let all: Vec<Characteristic> = Characteristic::all().collect();
        assert_eq!(all.len(), Characteristic::COUNT);
        for (place, characteristic) in all.iter().enumerate() {
            assert_eq!(characteristic.number(), place);
        }
        let names: std::collections::BTreeSet<&str> = all.iter().map(|it| it.name()).collect();
        assert_eq!(names.len(), Characteristic::COUNT);
    }
}
