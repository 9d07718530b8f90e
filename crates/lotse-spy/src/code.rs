//! What the code of a recorded program means: names of library methods and what they do.

pub(crate) mod body;
pub(crate) mod carried;
pub(crate) mod chains;
pub(crate) mod flow;
pub(crate) mod frame;
pub(crate) mod image;
pub(crate) mod loop_site;
pub(crate) mod methods;
pub(crate) mod names;
mod sizes;
pub(crate) mod stored;
mod tails;
pub(crate) mod variables;
