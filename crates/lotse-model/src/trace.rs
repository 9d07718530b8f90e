//! What a trace of a parallel program says: definitions, and the events of each location in their order.
//!
//! Promises: what a recorder wrote, with its numbers replaced by positions in the tables here; times are integer
//! ticks of [`Clock::resolution`]; nothing is computed. Entry 0 of regions, communicators, windows and groups stands
//! for what a recorder named but never defined, so that every id of an event points somewhere.

mod definitions;
mod event;
mod kind;

pub use definitions::{
    Clock, Communicator, Definitions, Group, Location, LocationKind, Machine, Paradigm, Process, ProcessKind,
    Region, RegionRole, Window,
};
pub use event::{CollectiveOp, Event, EventSink, LockKind, ObjectKind, RmaOp, UNORDERED, UNTOLD};
pub use kind::EventKind;

/// A point or a span of time, in ticks of the trace's clock.
pub type Ticks = u64;
