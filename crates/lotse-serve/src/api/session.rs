//! What is open.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{About, Problem};

/// `GET /api/session`, and every event of `GET /api/changes`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Session"))]
pub struct SessionState {
    pub version: &'static str,
    pub read_only: bool,
    /// The editor that POST /api/edit starts; null if there is none, or if nothing may be started.
    pub editor: Option<String>,
    pub documents: Vec<DocumentState>,
    pub recent: Vec<RecentFile>,
    /// The pane layout that the page saved last with POST /api/layout; null if it saved none.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub layout: serde_json::Value,
}

/// Files that were opened before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecentFile {
    pub paths: Vec<String>,
    pub kind: String,
    /// "profile of callgrind, 2 hours ago"
    pub text: String,
}

/// A file, or several that are compared.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DocumentState {
    pub id: u32,
    /// A short name for the tab.
    pub name: String,
    pub paths: Vec<String>,
    pub stage: Stage,
    /// Whether a file changed on disk since it was read.
    pub outdated: bool,
}

/// How far a document is.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Stage {
    Opening { phase: String, done: f64, total: Option<f64> },
    Ready { revision: u32, about: Arc<About> },
    Failed { problem: Problem },
}
