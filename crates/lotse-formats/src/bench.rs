//! Formats of benchmark results and suites.

pub mod hyperfine;
pub mod hyperfine_csv;
pub mod lotse_json;
pub mod lotse_log;
mod summary;
mod temci_names;
pub mod temci_result;
pub mod temci_suite;
