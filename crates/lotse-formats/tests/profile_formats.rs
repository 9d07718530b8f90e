//! A small file of every profile format: claimed by that format alone whatever its name, the same when compressed, and,
//! when cut, read as far as possible. And one run in many formats, which all give the same profile.

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
