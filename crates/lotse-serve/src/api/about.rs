//! What a document is, and the answer that comes first.

use serde::Serialize;

use super::{Amount, FunctionRename, TimelineBar, TraceAbout};

/// What a document is, and the answer that comes first.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct About {
    pub kind: DocumentKind,
    /// The name of the file format.
    pub format: String,
    /// The answer in a sentence or two.
    pub sentence: String,
    pub findings: Vec<FindingRow>,
    /// Remarks on the file and its numbers.
    pub remarks: Vec<Remark>,
    /// Present for profiles and comparisons.
    pub profile: Option<ProfileAbout>,
    /// Present for traces.
    pub trace: Option<TraceAbout>,
}

/// The answer in a sentence for a choice of event type, parts and filters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Headline {
    pub sentence: String,
    /// In a comparison: pairs that may be one function, the most alike first.
    pub proposals: Vec<RenameProposal>,
    /// In a comparison: what takes the place of its first answer.
    pub restated: Option<Restated>,
}

/// What a comparison says with the renames of the page, instead of what it said without them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Restated {
    /// Without the functions that may have been renamed, which are proposals.
    pub remarks: Vec<Remark>,
    /// Null if no rename was accepted: the findings are those of the document.
    pub findings: Option<Vec<FindingRow>>,
}

/// A function that may have been renamed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RenameProposal {
    pub rename: FunctionRename,
    /// "78 %: similar name, same file"
    pub evidence: String,
}

/// Which views fit a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum DocumentKind {
    Profile,
    Comparison,
    Bench,
    Trace,
    Spy,
    Predict,
}

impl DocumentKind {
    /// The name of the kind, as in answers and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Comparison => "comparison",
            Self::Bench => "bench",
            Self::Trace => "trace",
            Self::Spy => "spy",
            Self::Predict => "predict",
        }
    }
}

/// A problem of the input, or a note about the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Remark {
    pub place: Option<String>,
    pub message: String,
    /// Whether data was lost.
    pub loss: bool,
}

impl Remark {
    /// A note about the numbers.
    pub fn note(message: impl Into<String>) -> Self {
        Self { place: None, message: message.into(), loss: false }
    }
}

/// A finding, with all its numbers as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FindingRow {
    pub rule: String,
    #[cfg_attr(test, ts(type = "\"note\" | \"warning\" | \"error\""))]
    pub level: lotse_model::finding::Level,
    /// "34 % of the run time"; empty where it has no meaning.
    pub severity: String,
    /// 0 to 1.
    pub share: Option<f64>,
    /// Why there is no severity; null where there is one.
    pub no_severity: Option<String>,
    /// The rank among findings of all documents, compared number by number: the finding with the larger number comes first.
    pub rank: [f64; 4],
    /// "90 % sure"
    pub certainty: String,
    /// Where, the main place first.
    pub places: Vec<String>,
    pub reason: String,
    pub recommendation: String,
    /// A command line that checks the finding; null if there is none.
    pub verification: Option<String>,
    /// What `lotse explain RULE` prints, as paragraphs.
    pub explanation: String,
    /// The function that the evidence view shows; null if it is not about one.
    pub function: Option<u32>,
    /// The line of the evidence in that function's source.
    pub line: Option<u32>,
    /// The part of the time-line with the evidence, in seconds.
    pub window: Option<(f64, f64)>,
    /// What is outlined there.
    pub bar: Option<TimelineBar>,
    /// The figure of the report with the evidence, counted from 0.
    pub figure: Option<usize>,
    /// The numbers of the runs that are the evidence, from 1, in the order in which all runs were made.
    pub runs: Vec<u32>,
}

/// What a profile has, so that the page offers only what has an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProfileAbout {
    /// The profiled command.
    pub command: Option<String>,
    /// Event types of the file and those that can be derived.
    pub events: Vec<EventType>,
    pub default_event: String,
    pub parts: Vec<PartRow>,
    pub function_count: usize,
    /// Whether the file has calls; without, there are no callers, graphs or flames of more than one level.
    pub has_calls: bool,
    /// Whether it counts calls.
    pub has_counts: bool,
    /// Whether inclusive costs exist.
    pub has_inclusive: bool,
    pub has_data: bool,
    /// The groupings of the function table: "object", "file", "class", "cycle", "thread".
    pub groupings: Vec<&'static str>,
}

/// An event type and its total.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventType {
    pub name: String,
    pub unit: String,
    pub title: Option<String>,
    pub formula: Option<String>,
    pub total: String,
    /// In a comparison: the total of the old profile, which differences and old costs are shares of.
    pub old_total: Option<String>,
    /// In a comparison: whether shares of the two totals are compared, because the costs are of different kinds.
    pub by_share: bool,
    /// Whether costs add up, so that pictures can show them.
    pub adds_up: bool,
}

/// A dump, thread or snapshot.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PartRow {
    pub number: usize,
    pub name: String,
    pub process: Option<f64>,
    pub thread: Option<f64>,
    pub trigger: Option<String>,
    pub chosen: bool,
    pub samples: Option<usize>,
    /// One for each event type of the file, in their order, without derived ones.
    pub totals: Vec<Amount>,
}
