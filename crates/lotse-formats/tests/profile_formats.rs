//! A small file of every profile format: claimed by that format alone whatever it is called, the same when packed,
//! and, when cut off, read as far as it goes. And one run in many formats, which all say the same of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "profile_formats/alike.rs"]
mod alike;
#[path = "profile_formats/binary.rs"]
mod binary;
#[path = "profile_formats/cut.rs"]
mod cut;
#[path = "profile_formats/late.rs"]
mod late;
#[path = "profile_formats/packed.rs"]
mod packed;
#[path = "profile_formats/recognised.rs"]
mod recognised;
#[path = "profile_formats/small.rs"]
mod small;
