//! Statistics of a history that rules need in addition to phases.
//!
//! Each is updated run by run, at the same cost for a run of any length, and in bounded memory.

pub(crate) mod counts;
pub(crate) mod ends;
pub(crate) mod growth;
pub(crate) mod loops;
pub(crate) mod neighbours;
pub(crate) mod sorted;
pub(crate) mod unread;
