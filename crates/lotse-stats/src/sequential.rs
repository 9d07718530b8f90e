//! Sequential (draft).
pub mod boundary;
mod normal;
pub mod spending;
