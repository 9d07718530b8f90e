//! What a recorded program writes and Lotse's collector reads.
//!
//! Every thread of the program writes [records](record) into a [ring] of its own, a file of shared memory.
//! The crate knows only `core`: the runtime inside the program is built from it without dependencies.
//!
//! # Segments
//! A thread numbers its events: loads, stores, guards, moves, allocations. Every [`SEGMENT_EVENTS`] events it closes
//! all runs and begins a new segment, so a number within a segment has 16 bits, a reader needs to hold no more than one
//! segment of each thread, and segments can be read independently of each other. Records of one segment are in the
//! order in which they were written, not in the order of their events: a run is written when it ends. The numbers give the
//! order of the events exactly.
//!
//! # Order between threads
//! Allocating, reallocating and freeing take a number from a counter that all threads of a process share, the epoch: after the
//! allocation and before the freeing, so that the epochs tell who owned an address when. A segment states the
//! epoch and the time of its beginning.

#![no_std]

pub mod record;
pub mod ring;

/// Changes whenever a record or the ring does.
pub const VERSION: u32 = 2;
/// How many events a segment has at most.
pub const SEGMENT_EVENTS: u32 = 1 << 16;
/// Names the directory of the rings in the environment of the recorded program.
pub const DIRECTORY_VARIABLE: &str = "LOTSE_SPY_DIRECTORY";
/// Set to any value: events are dropped and counted where the ring is full, instead of waiting for the collector.
pub const DROP_VARIABLE: &str = "LOTSE_SPY_DROP";
