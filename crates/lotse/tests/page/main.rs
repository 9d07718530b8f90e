//! The server of the page, as a browser and an attacker meet it: the running binary, over sockets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod comparisons;
mod documents;
mod exports;
mod lifecycle;
mod others;
mod places;
mod security;
mod server;
