//! The server of the page, as a browser and an attacker meet it: the running binary, over sockets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both_kinds;
mod cancelling;
mod compared_events;
mod comparisons;
mod cycles;
mod documents;
mod editor;
mod exports;
mod filters;
mod headlines;
mod histories;
mod index;
mod lifecycle;
mod lines;
mod nameless;
mod others;
mod places;
mod python;
mod run_files;
mod runs;
mod security;
mod server;
mod source_changes;
mod threads;
mod timeline_table;
