//! What the benchmarks of `lotse spy` share.

pub mod naming;
