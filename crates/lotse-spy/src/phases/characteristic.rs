//! The sixteen characteristics of phases: eight patterns, each strict or tolerant.

use serde::{Deserialize, Serialize};

use crate::container::AccessKind;

/// What neighbouring accesses have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Reads with non-decreasing indices.
    LinearReadForward,
    /// Reads with non-increasing indices.
    LinearReadBackward,
    /// Writes with non-decreasing indices.
    LinearWriteForward,
    /// Writes with non-increasing indices.
    LinearWriteBackward,
    /// Insertions before the first element.
    InsertFront,
    /// Insertions after the last element.
    InsertBack,
    /// Deletions of the first element.
    DeleteFront,
    /// Deletions of the last element.
    DeleteBack,
}

/// The condition that the accesses of a pattern satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Rising,
    Falling,
    AtFront,
    AtBack,
}

impl Pattern {
    /// All patterns, in the order of their discriminants.
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
    pub fn kind(self) -> AccessKind {
        match self {
            Self::LinearReadForward | Self::LinearReadBackward => AccessKind::Read,
            Self::LinearWriteForward | Self::LinearWriteBackward => AccessKind::Write,
            Self::InsertFront | Self::InsertBack => AccessKind::Insert,
            Self::DeleteFront | Self::DeleteBack => AccessKind::Delete,
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

/// A pattern, and whether accesses of other kinds may lie in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Characteristic {
    pub pattern: Pattern,
    /// Whether accesses of other kinds are ignored when neighbours are determined.
    pub tolerant: bool,
}

impl Characteristic {
    /// Number of characteristics.
    pub const COUNT: usize = 16;

    /// A phase whose accesses are adjacent events.
    #[must_use]
    pub const fn strict(pattern: Pattern) -> Self {
        Self { pattern, tolerant: false }
    }

    /// A phase with accesses of other kinds in between.
    #[must_use]
    pub const fn tolerant(pattern: Pattern) -> Self {
        Self { pattern, tolerant: true }
    }

    /// All characteristics: the strict ones, then the tolerant ones.
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|tolerant| Pattern::ALL.map(|pattern| Self { pattern, tolerant }))
    }

    /// Its position in [`Self::all`].
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
