//! The format in which a recorded program passes events to Lotse's collector.
//!
//! Every thread of the program writes [records](record) into a [ring] of its own, a file of shared memory.
//! The crate depends only on `core`, because the runtime inside of the program is built from it.
//!
//! # Segments
//! A thread numbers its events: loads, stores, guards, moves, allocations. Every [`SEGMENT_EVENTS`] events it closes
//! all runs and begins a new segment. Therefore a number within a segment has 16 bits, a reader needs only one segment of each
//! thread in memory, and segments can be decoded independently. The records of a segment are in the order in which they were
//! written, not in the order of their events, because a run is written when it ends; the event numbers give the exact order.
//!
//! # Order between threads
//! Allocations, reallocations and frees take a number, the epoch, from a counter that all threads of a process share: after
//! an allocation and before a free, so that the order of epochs is the order in which an address changed its owner. A segment
//! contains the epoch and the time of its beginning.

#![no_std]

pub mod record;
pub mod ring;

/// Incremented when the format of records or rings changes.
pub const VERSION: u32 = 3;
/// Maximum number of events of a segment.
pub const SEGMENT_EVENTS: u32 = 1 << 16;
/// Environment variable of the recorded program with the directory of the rings.
pub const DIRECTORY_VARIABLE: &str = "LOTSE_SPY_DIRECTORY";
/// Environment variable; if set, events are dropped and counted when the ring is full, instead of waiting for the collector.
pub const DROP_VARIABLE: &str = "LOTSE_SPY_DROP";
