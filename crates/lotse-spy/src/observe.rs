//! What rules need to know about a history and phases do not say, gathered run by run.
//!
//! Each observer costs the same for a run of any length and has bounded memory.

pub(crate) mod counts;
pub(crate) mod ends;
pub(crate) mod growth;
pub(crate) mod loops;
pub(crate) mod neighbours;
pub(crate) mod sorted;
pub(crate) mod unread;
