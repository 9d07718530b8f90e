//! The answer as data, as `--json` writes it.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionAnswer, FunctionName};
use crate::events::Cost;

/// `lotse profile annotate --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AnnotateAnswer {
    /// `lotse.profile.annotate/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The annotated function.
    pub function: FunctionAnswer,
    /// Source files its code comes from; that of its definition first.
    pub files: Vec<FileAnswer>,
    /// Its instructions; null if they are unknown or were not requested.
    #[serde(flatten)]
    pub code: Option<CodeAnswer>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A source file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FileAnswer {
    /// As the profile or the binary names it; null if unknown.
    pub path: Option<String>,
    /// Where its text was found.
    pub found: Option<String>,
    /// Lines with costs and those around them, in order.
    pub lines: Vec<LineAnswer>,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LineAnswer {
    /// From 1; null for costs whose line is unknown.
    pub line: Option<u32>,
    /// Its text, if the file was found.
    pub text: Option<String>,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// Self costs plus the costs of calls.
    pub inclusive: Vec<Cost>,
    pub calls: Vec<SiteAnswer>,
}

/// Calls of one function from one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SiteAnswer {
    /// The callee.
    #[serde(flatten)]
    pub function: FunctionName,
    /// The number of calls; null where the format does not count.
    pub calls: Option<u64>,
    /// Inclusive cost of the calls; null where unknown.
    pub cost: Option<Vec<Cost>>,
    /// Whether the callee was inlined there.
    pub inlined: bool,
}

/// Machine code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CodeAnswer {
    /// The binary it was read from.
    pub binary: String,
    /// In the order of addresses.
    pub instructions: Vec<InstructionAnswer>,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct InstructionAnswer {
    /// The address in the binary, before relocation.
    #[serde(serialize_with = "hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub address: u64,
    /// Its bytes as hexadecimal digits.
    pub bytes: String,
    /// Its disassembly.
    pub text: String,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// The source file and line it comes from.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub jumps: Vec<JumpAnswer>,
    pub calls: Vec<SiteAnswer>,
}

/// A jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct JumpAnswer {
    /// The address it goes to.
    #[serde(serialize_with = "hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub target: u64,
    /// How often it was executed; null where not counted.
    pub executed: Option<u64>,
    /// How often it was taken; null where not counted.
    pub taken: Option<u64>,
    /// Whether it has a condition.
    pub conditional: bool,
}

/// Writes an address as text: JavaScript's numbers cannot represent all 64-bit integers.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn hexadecimal<S: serde::Serializer>(address: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{address:#x}"))
}
