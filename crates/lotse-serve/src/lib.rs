//! The local server of the page.
//!
//! ```text
//! browser ──HTTP──> server: guard ──> routes ──> Session ──channel──> a thread per document: Document::answer
//!                                                   │                        ▲
//!                                                   └── Opener (command line) reads files, makes documents
//! ```
//!
//! Guarantees: it listens on the loopback interface or on a socket of its user only; every request is checked by [`guard`]; the
//! page gets what it shows and no more; answers are those of the engines, with numbers formatted as the command line prints them.

pub mod api;
mod assets;
pub mod bench;
mod comparison;
pub mod export;
mod files;
pub mod findings;
pub mod guard;
mod memory;
pub mod open;
pub mod profile;
pub mod report;
mod routes;
mod server;
mod session;
mod stream;
mod token;
mod tokens;
pub mod trace;

pub use comparison::ComparisonDocument;
pub use server::{Listening, ServeError, ServeOptions, serve};
pub use token::Token;
