//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod hello;
pub(crate) mod man;
pub(crate) mod metric_names;
pub(crate) mod near;
pub(crate) mod open;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod spy;
pub(crate) mod trace;
