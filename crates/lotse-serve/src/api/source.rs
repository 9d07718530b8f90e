//! Source lines beside instructions.

use serde::Serialize;

use super::{Amount, Change, EventType, FunctionName, FunctionRow, Remark};

/// The inside of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceAnswer {
    pub function: FunctionRow,
    pub events: Vec<EventType>,
    pub files: Vec<SourceFile>,
    /// null if unknown; `no_code` says why.
    pub code: Option<Code>,
    pub no_code: String,
    pub remarks: Vec<Remark>,
}

/// A source file that code of the function comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceFile {
    /// As the profile names it.
    pub path: Option<String>,
    /// Where the text was found; null if it was not.
    pub found: Option<String>,
    /// In a comparison: as the old profile names it; null if only the new one has it.
    pub old_path: Option<String>,
    /// In a comparison: where the text of the old profile was found.
    pub old_found: Option<String>,
    pub lines: Vec<SourceLine>,
}

/// A line with its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceLine {
    /// null for costs whose line is unknown, and in a comparison for a line that only the old source has.
    pub line: Option<u32>,
    /// In a comparison: the number of the line in the old source; null if only the new one has it.
    pub old_line: Option<u32>,
    /// In a comparison: whether both sources have the line. Else "".
    #[cfg_attr(test, ts(type = "\"\" | \"both\" | \"added\" | \"removed\""))]
    pub status: &'static str,
    pub text: Option<String>,
    /// Tokens of the text: start, end (in UTF-16 units), kind: keyword, string, comment, number.
    pub tokens: Vec<(usize, usize, &'static str)>,
    #[serde(rename = "self")]
    pub own: Vec<Amount>,
    pub inclusive: Vec<Amount>,
    /// In a comparison, of the self costs: one for each event type.
    pub changes: Option<Vec<Change>>,
    pub calls: Vec<CallSite>,
}

/// Calls of one function from one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallSite {
    pub function: FunctionName,
    pub calls: Option<Amount>,
    pub costs: Option<Vec<Amount>>,
    /// In a comparison, of the costs: one for each event type.
    pub changes: Option<Vec<Change>>,
    pub inlined: bool,
}

/// Machine code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Code {
    pub binary: String,
    pub instructions: Vec<Instruction>,
    /// Jumps between instructions, with the lane to draw the arrow in; lane 0 is nearest to the text.
    pub jumps: Vec<CodeJump>,
}

/// An arrow from one instruction to another, by index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CodeJump {
    pub from: usize,
    pub to: usize,
    pub lane: usize,
    /// How often it was taken; empty if that is unknown.
    pub text: String,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Instruction {
    pub address: String,
    pub bytes: String,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(rename = "self")]
    pub own: Vec<Amount>,
    pub calls: Vec<CallSite>,
}
