//! Call graphs, cycles, inclusive costs, derived event types, comparisons and drawings over an imported profile.
//!
//! The way through: [`open`](open::open) reads a file (on several threads, or from its index), an
//! [`Analysis`](analysis::Analysis) sums the chosen parts and works out inclusive costs, and the queries
//! ([`top`], [`calls`], [`tree`], …) give answers that an edge prints or writes as JSON.
//!
//! Promises: costs stay exact integers; inclusive cost never exceeds the total except where the raw way is asked
//! for; no algorithm recurses on the depth of a stack or a call graph.

mod allocators;
pub mod analysis;
pub mod annotate;
pub mod answer;
pub mod calls;
pub mod convert;
pub mod csv;
pub mod data;
pub mod diff;
pub mod digest;
pub mod events;
pub mod filter;
pub mod flame;
pub mod graph;
pub mod groups;
pub mod index;
mod look_through;
pub mod names;
pub mod open;
pub mod parts;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod select;
pub mod top;
pub mod tree;
pub mod treemap;
pub mod unfold;
pub mod unit;
mod unwind;

pub use unwind::{MappedFrame, MappedStack, mapped_stacks};
