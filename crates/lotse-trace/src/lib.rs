//! Why a parallel program waits: wait states, critical path, delays, what-if, phases, overheads and efficiencies.
//!
//! Steps of an analysis: [`store::load`] replays a trace's events into a [`store::Trace`], in which records are linked to
//! their calls and partners; [`waits::search`] applies every pattern to find which location waited for which; the other
//! analyses read both.
//!
//! Invariants: times are integer ticks; results do not depend on the number of threads; no function recurses to the depth of
//! a call stack.

pub mod analyze;
pub mod answer;
mod attention;
pub mod chart;
pub mod class;
pub mod clock;
mod condition_barriers;
pub mod contention;
pub mod critical;
pub mod delay;
pub mod diff;
pub mod efficiency;
pub mod export;
pub mod farm;
pub mod filter;
pub mod focus;
mod idle;
pub mod inspect;
pub mod iterations;
pub mod kept_order;
pub mod levels;
pub mod marks;
pub mod matching;
pub mod metric;
mod near;
pub mod open;
pub mod overheads;
pub mod patterns;
pub mod phases;
pub mod polling_work;
mod polls;
mod prefetch;
pub mod region_graph;
pub mod report;
pub mod retime;
pub mod rules;
pub mod scaling;
pub mod signals;
pub mod sleeping;
pub mod store;
pub mod tree;
pub mod unrecorded;
pub mod waits;

#[cfg(test)]
pub(crate) mod fixture;
