//! Formats of benchmark results and suites.

pub mod codespeed;
pub mod hyperfine;
pub mod hyperfine_csv;
pub mod lotse_json;
pub mod lotse_log;
mod summary;
mod temci_keys;
mod temci_names;
pub mod temci_result;
pub mod temci_settings;
pub mod temci_suite;
