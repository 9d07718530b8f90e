//! The answer as data: what `--json` writes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionAnswer, FunctionName};
use crate::events::Cost;

/// `lotse profile annotate --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AnnotateAnswer {
    /// `lotse.profile.annotate/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The function asked about.
    pub function: FunctionAnswer,
    /// Source files its code comes from; that of its definition first.
    pub files: Vec<FileAnswer>,
    /// Its instructions; null where they are not known or not asked for.
    #[serde(flatten)]
    pub code: Option<CodeAnswer>,
    /// What was odd.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A source file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileAnswer {
    /// As the profile or the binary names it; null where unknown.
    pub path: Option<String>,
    /// Where its text was found.
    pub found: Option<String>,
    /// Lines with costs and those around them, in order.
    pub lines: Vec<LineAnswer>,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LineAnswer {
    /// From 1; null for costs whose line is unknown.
    pub line: Option<u32>,
    /// Its text, where the file was found.
    pub text: Option<String>,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// Self costs and those of the calls.
    pub inclusive: Vec<Cost>,
    /// Calls from there.
    pub calls: Vec<SiteAnswer>,
}

/// Calls of one function from one place.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SiteAnswer {
    /// Who is called.
    #[serde(flatten)]
    pub function: FunctionName,
    /// How often; null where the format does not count.
    pub calls: Option<u64>,
    /// Inclusive cost of the calls; null where unknown.
    pub cost: Option<Vec<Cost>>,
    /// Whether the called code was inlined there.
    pub inlined: bool,
}

/// Machine code.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CodeAnswer {
    /// The binary it was read from.
    pub binary: String,
    /// In the order of addresses.
    pub instructions: Vec<InstructionAnswer>,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InstructionAnswer {
    /// As the linker gave it.
    #[serde(serialize_with = "hexadecimal")]
    #[schemars(with = "String")]
    pub address: u64,
    /// Its bytes as hexadecimal digits.
    pub bytes: String,
    /// Disassembled.
    pub text: String,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// The source file it comes from.
    pub file: Option<String>,
    /// The line it comes from.
    pub line: Option<u32>,
    /// Where it jumps to.
    pub jumps: Vec<JumpAnswer>,
    /// Whom it calls.
    pub calls: Vec<SiteAnswer>,
}

/// A jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JumpAnswer {
    /// Where it goes to.
    #[serde(serialize_with = "hexadecimal")]
    #[schemars(with = "String")]
    pub target: u64,
    /// How often it was reached; null where not counted.
    pub executed: Option<u64>,
    /// How often it was taken; null where not counted.
    pub taken: Option<u64>,
    /// Whether it has a condition.
    pub conditional: bool,
}

/// JavaScript cannot hold every address as a number.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn hexadecimal<S: serde::Serializer>(address: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{address:#x}"))
}
