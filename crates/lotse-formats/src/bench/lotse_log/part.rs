//! Where a log was continued: a line between the end of one measurement and the blocks of the next.

use serde::{Deserialize, Serialize};

use super::PlanRecord;

/// The first line of a further measurement of the same programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// When it began (UTC, RFC 3339).
    #[serde(default)]
    pub date: Option<String>,
    /// Seed of its random choices.
    #[serde(default)]
    pub seed: Option<u64>,
    /// What it shall decide, with what is left of the chance of a wrong claim.
    pub plan: PlanRecord,
}

impl PartRecord {
    /// The line, with its end.
    pub fn to_line(&self) -> String {
        super::line(&serde_json::json!({ "part": self }))
    }
}
