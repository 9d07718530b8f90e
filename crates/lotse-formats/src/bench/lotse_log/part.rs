//! The line between the end of a measurement and the blocks of the next one that was appended to the same log.

use serde::{Deserialize, Serialize};

use super::PlanRecord;

/// The first line of another measurement of the same programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// When it began (UTC, RFC 3339).
    #[serde(default)]
    pub date: Option<String>,
    /// The seed of its random choices.
    #[serde(default)]
    pub seed: Option<u64>,
    /// What it is to decide; its `alpha` is what the earlier measurements left over.
    pub plan: PlanRecord,
}

impl PartRecord {
    /// The line, with its line end.
    pub fn to_line(&self) -> String {
        super::json_line(&serde_json::json!({ "part": self }))
    }
}
