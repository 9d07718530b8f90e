//! What the page asks and what it gets, as data. The same types in TypeScript are generated from these (`tests.rs`).
//!
//! Numbers come twice: as a value for drawings and as the text that the command line prints.

use serde::{Deserialize, Serialize};

mod about;
mod inspect;
mod picture;
mod question;
mod report;
mod runs;
mod session;
mod source;
mod table;
mod trace;

#[cfg(test)]
mod tests;

pub use about::{
    About, DocumentKind, EventType, FindingRow, Headline, PartRow, ProfileAbout, Remark, RenameProposal,
    Restated,
};
pub use inspect::{
    ExactTime, MomentAnswer, MomentEvent, NextWaitAnswer, OpenCallRow, StatisticsRow, StatisticsTable,
    WaitRow,
};
pub use picture::{FlamePicture, Frames, GraphEdge, GraphNode, GraphPicture, Tiles, TreemapPicture};
pub use question::{
    Ask, FunctionRename, FunctionSort, GroupFilter, LineSort, Question, Scope, SideChoice, StatisticsOf,
    TreeDirection,
};
pub use report::{Report, ReportBlock, ReportCell, ReportColumn, ReportDefinition, ReportInline};
pub use runs::{RunRow, RunSelection, RunTable, RunTick, RunsAnswer};
pub use session::{DocumentState, RecentFile, SessionState, Stage};
pub use source::{CallSite, Code, CodeJump, Instruction, SourceAnswer, SourceFile, SourceLine};
pub use table::{
    CallRow, CallsAnswer, Change, CostPair, DataTable, EventCheck, EventProblem, FunctionName, FunctionRow,
    FunctionTable, LineRow, LineTable,
};
pub use trace::{
    CallPathRow, CallPathTable, MessageRow, MetricRow, PathRow, Timeline, TimelineBar, TimelineLane,
    TimelineMessage, TimelinePiece, TimelineRegion, TimelineTable, TraceAbout,
};

/// A number with the text that the command line prints for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Amount {
    pub value: f64,
    pub text: String,
    /// The share of the total, 0 to 1; null where shares have no meaning.
    pub share: Option<f64>,
    /// "12.3 %"; empty where shares have no meaning.
    pub share_text: String,
    /// "" exact, "≈" estimate, "≤" upper bound, "≥" lower bound, "?" not known.
    pub mark: &'static str,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Problem {
    pub message: String,
    /// Where in the input; null if it has no place.
    pub place: Option<String>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(message: impl std::fmt::Display) -> Self {
        Self { message: message.to_string(), place: None }
    }
}
