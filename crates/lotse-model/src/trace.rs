//! The trace of a parallel program: definitions, and the events of each location in their order.
//!
//! Promises: the content of the trace file, with the file's ids replaced by indices into the tables here; times are integer
//! ticks of [`Clock::resolution`]; nothing is computed. Row 0 of regions, communicators, windows and groups is a
//! placeholder for ids that the file uses but never defines, so that every id of an event is a valid index.

mod definitions;
mod event;
mod kind;

pub use definitions::{
    Clock, Communicator, Definitions, Group, Location, LocationKind, Machine, Paradigm, Process, ProcessKind,
    Region, RegionRole, Window,
};
pub use event::{CollectiveOp, Event, EventSink, LockKind, ObjectKind, RmaOp, UNKNOWN_THREAD, UNORDERED};
pub use kind::EventKind;

/// A point in time or a duration, in ticks of the trace's clock.
pub type Ticks = u64;
