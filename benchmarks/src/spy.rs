//! What the benchmarks of `lotse spy` share.

pub mod naming;
pub mod published;
pub mod trial;
