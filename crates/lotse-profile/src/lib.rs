//! Call graphs, cycles, inclusive costs, derived event types, comparisons and drawings over an imported profile.
//!
//! The data flow: [`open`](open::open) reads a file (on several threads, or from its index), an
//! [`Analysis`](analysis::Analysis) sums the chosen parts and computes inclusive costs, and the queries
//! ([`top`], [`calls`], [`tree`], …) return answers that the command line prints or writes as JSON.
//!
//! Guarantees: costs stay exact integers; an inclusive cost never exceeds the total unless `--cycles raw` is
//! chosen; no algorithm recurses on the depth of a stack or a call graph.

mod allocators;
pub mod analysis;
pub mod annotate;
pub mod answer;
pub mod bound;
pub mod calls;
pub mod convert;
pub mod csv;
pub mod data;
pub mod diff;
pub mod digest;
pub mod drawn;
pub mod events;
pub mod filter;
pub mod flame;
pub mod graph;
pub mod groups;
pub mod index;
pub mod lines;
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
