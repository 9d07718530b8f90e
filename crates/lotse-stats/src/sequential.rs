//! Sequential (draft).
pub mod boundary;
pub(crate) mod normal;
pub mod spending;
