//! The pitfalls of callgrind's format, one by one: numbers for names, files and objects, positions, costs, parts,
//! unusual bytes, and the dialects; and runs recorded while testing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "tests write programs, run them and read what was recorded"
)]

#[path = "callgrind/check.rs"]
mod check;
#[path = "callgrind/dialects.rs"]
mod dialects;
#[path = "callgrind/names.rs"]
mod names;
#[path = "callgrind/numbers.rs"]
mod numbers;
#[path = "callgrind/positions.rs"]
mod positions;
#[path = "callgrind/recorded.rs"]
mod recorded;
#[path = "callgrind/siblings.rs"]
mod siblings;
