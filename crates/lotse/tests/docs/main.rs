//! The documents are correct: generated pages agree with the code, and every `lotse` command in them works.
//!
//! `UPDATE_EXPECT=1 cargo test -p lotse --test docs` writes the generated pages anew.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod book;
mod console;
mod generated;
mod program;
mod settings;
