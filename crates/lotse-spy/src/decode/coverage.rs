//! How much of what was recorded has a name.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Counts of what became of events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Coverage {
    /// Loads, stores, copies and fills.
    pub accesses: u64,
    /// Of them: to memory of no data structure that is known (the stack, boxes, statics).
    pub elsewhere: u64,
    /// Of them: part of an operation that has a name.
    pub named: u64,
    /// Of them: a line of the user's code reads or writes an element itself.
    pub direct: u64,
    /// Of them: library code of no known operation, counted as reads and writes.
    pub unnamed: u64,
    /// Of them: code that only the library runs, outside of any call of the user's.
    pub library: u64,
    /// Operations that were reported.
    pub operations: u64,
    /// Operations with a name whose structure is not known, for they touched no element, by method.
    pub unbound: BTreeMap<String, u64>,
    /// Library methods that are not known operations, by method: accesses.
    pub unknown_methods: BTreeMap<String, u64>,
    /// Events that the recorder dropped.
    pub lost: u64,
    /// Segments of the history, each of up to 65,536 events, that are damaged and left out.
    pub damaged_segments: u64,
}
