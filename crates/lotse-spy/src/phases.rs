//! Phases: maximal runs of neighbouring accesses that satisfy a characteristic.
//!
//! A window of three neighbouring accesses of the same kind slides over the history. When the three satisfy the
//! characteristic a phase opens; it grows while the next access satisfies it too and closes at the first that does not.
//! Every condition is about one access (it is at the front) or about two neighbours (the index does not decrease), so a phase
//! is a maximal chain of at least three accesses in which every access and every pair of neighbours satisfies the condition.
//! Chains never share an access.
//!
//! ```text
//! reads of the indices     4  7  7  9  2  3  5     a write   6  8  9  9  9
//! linear-read-forward     [---------] [-----]               [-----------]     chains; those below 5 accesses are dropped
//! when-reading-forward    [---------] [-------------------------------]       the write in between does not matter
//! ```
//!
//! *Monotone* allows equal neighbours (`if v[i] > max { max = v[i] }` reads each element twice). A chain whose index never
//! changes is neither forward nor backward and is dropped.
//!
//! Strict phases end where two accesses of the kind are more than `neighbour-distance` events apart; tolerant phases do not.
//! Therefore each strict phase lies inside a tolerant one.

mod chain;
mod characteristic;
mod detector;
mod list;

pub use characteristic::{Characteristic, Pattern};
pub(crate) use detector::{Detectors, is_back};
pub use list::{Phase, PhaseList};

use lotse_model::Rule;

use crate::settings::HISTORY;

/// What `lotse explain` prints about histories and phases. It gives no findings of its own.
pub const RULE: Rule = Rule {
    id: "spy-history",
    version: 1,
    title: "the history of a data structure falls into phases",
    meaning: "A history is all accesses to one instance of a data structure in the order of time. A phase is a maximal \
              run of accesses in it that follow one template: linear reading or writing, forward or backward; insertion \
              or deletion, at the front or at the back. In a strict phase the accesses are neighbours; in a tolerant \
              one (\"when reading, then forward\") accesses of other kinds may lie between. Phases of different \
              templates may overlap; within one template an access is in at most one phase.",
    computation: "A window of three neighbouring accesses of one kind slides over the history; where they satisfy the \
                  template a phase opens, and it closes at the first access that does not. Equal neighbouring indices \
                  are monotone, but a phase whose index never moves is dropped, and so are phases below \
                  `min-phase-size`. Rules look only at structures that were `min-length` long at some time and were \
                  accessed `min-accesses` times.",
    example: "Ten insertions at the front, a read from front to back, ten insertions at the front and a read from back \
              to front: four strict phases (insert-front twice, linear-read-forward, linear-read-backward).",
    picture: "index\n  |        .'|          |'.\n  |      .'  |          |  '.\n  |____.'    |__________|    '.\n   \
              [insert][read   ][insert   ][read     ]\n    front   forward   front      backward",
    advice: "Look at the picture of the history: `lotse spy history SITE --svg FILE`.",
    thresholds: HISTORY,
    prior: crate::rules::PRIOR,
    references: &[],
};

#[cfg(test)]
mod tests;
