//! Answers as data, as `--json` writes them. Costs are in the order of the event types.

use lotse_formats::Diagnostic;
use lotse_model::Profile;
use lotse_model::finding::Finding;
use lotse_model::id::FunctionId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Summary;
use crate::events::{Column, Cost, CostRow};
use crate::names::display;

/// The name of the event type that is shown and ranked by unless another is chosen.
pub fn default_event(profile: &Profile) -> Option<String> {
    crate::events::default_name(profile)
}

/// An event type and its total.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EventAnswer {
    /// As in the file or as defined.
    pub name: String,
    /// The unit of a cost of 1.
    pub unit: String,
    /// The sum over the whole profile.
    pub total: Cost,
    /// A description in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The formula, if it is derived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Whether costs can be given as shares of the total; ratios cannot.
    #[serde(skip)]
    pub(crate) has_shares: bool,
}

impl EventAnswer {
    /// One answer for each column.
    pub fn for_columns(columns: &[Column], totals: &[i128]) -> Vec<Self> {
        columns.iter().map(|column| Self::for_column(column, totals)).collect()
    }

    /// The answer for one column.
    pub fn for_column(column: &Column, totals: &[i128]) -> Self {
        Self {
            name: column.name.clone(),
            unit: column.unit.clone(),
            total: column.total(totals),
            title: column.title.clone(),
            formula: column.formula.clone(),
            has_shares: column.adds_up(),
        }
    }

    /// The denominator of shares: `whole`, or absent if costs of this event type have no shares.
    pub(crate) fn share_base(&self, whole: Cost) -> Cost {
        if self.has_shares { whole } else { Cost::ABSENT }
    }
}

/// A function, without costs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FunctionName {
    /// Its number in the profile, for questions about the same reading of the file; it means nothing to others and does not
    /// count when functions are compared.
    #[serde(skip)]
    pub id: FunctionId,
    /// As in the file.
    pub name: String,
    /// Demangled.
    pub display: String,
    /// Class or module.
    pub class: Option<String>,
    /// Source file of the definition.
    pub file: Option<String>,
    /// Line of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the definition, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Executable or library.
    pub object: Option<String>,
}

impl PartialEq for FunctionName {
    fn eq(&self, other: &Self) -> bool {
        let Self { id: _, name, display, class, file, line, column, object } = self;
        (name, display, class) == (&other.name, &other.display, &other.class)
            && (file, line, column, object) == (&other.file, &other.line, &other.column, &other.object)
    }
}

impl Eq for FunctionName {}

impl FunctionName {
    /// The names and the place of a function.
    pub fn new(profile: &Profile, function: FunctionId) -> Self {
        let shown = display(profile, function).into_owned();
        let known = |column: &[u32]| Some(column[function.index()]).filter(|&number| number > 0);
        Self {
            id: function,
            name: profile.function_name(function).to_owned(),
            class: lotse_symbols::class(&shown).map(str::to_owned),
            display: shown,
            file: profile.function_file(function).map(str::to_owned),
            line: known(&profile.functions.line),
            column: known(&profile.functions.column),
            object: profile.function_object(function).map(str::to_owned),
        }
    }
}

/// A function with its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FunctionAnswer {
    /// Its names.
    #[serde(flatten)]
    pub function: FunctionName,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// Inclusive costs; null for event types that callers do not inherit, and for ratios and differences of lower bounds.
    pub inclusive: Vec<Cost>,
    /// Times called; null where the format does not count.
    pub calls: Option<u64>,
    /// The cycle it belongs to, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u32>,
    /// Whether the inclusive costs are only lower bounds: calls do not tell what recursion costs, or stacks lack
    /// callers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lower_bound: bool,
}

impl FunctionAnswer {
    /// The costs of a function, in all columns.
    pub fn new(profile: &Profile, summary: &Summary, columns: &[Column], function: FunctionId) -> Self {
        let calls = summary.called.as_ref().map(|called| called[function.index()]);
        let row = |costs| CostRow { costs, signed: profile.signed, totals: &summary.totals, calls };
        let own = row(summary.own.row(function.index()));
        let inclusive = row(summary.inclusive.row(function.index()));
        let lower_bound = summary.lower_bounds.get(function.index()).is_some_and(|&is_lower| is_lower);
        let known = if lower_bound { Column::bound_value } else { Column::inclusive_value };
        Self {
            function: FunctionName::new(profile, function),
            own: columns.iter().map(|column| column.value(&own)).collect(),
            inclusive: columns.iter().map(|column| known(column, &inclusive)).collect(),
            calls,
            cycle: summary.cycle[function.index()].map(|cycle| cycle + 1),
            lower_bound,
        }
    }
}

/// A part of a profile with its totals.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PartAnswer {
    /// From 1, as `--parts` takes it.
    pub number: usize,
    pub name: String,
    pub process: Option<u64>,
    pub thread: Option<u64>,
    /// The file it came from, if there are several.
    pub source: Option<String>,
    /// Why it was written.
    pub trigger: Option<String>,
    /// Whether it counts in this answer.
    pub chosen: bool,
    /// Stack samples in it.
    pub samples: Option<usize>,
    /// Totals of the profile's own event types.
    pub totals: Vec<Cost>,
}

/// A problem of the input, or a note about the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DiagnosticAnswer {
    /// Where in the file; null for notes about the numbers.
    pub place: Option<String>,
    pub message: String,
    /// Whether data was lost.
    pub loss: bool,
}

impl From<&Diagnostic> for DiagnosticAnswer {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            place: Some(diagnostic.place.to_string()),
            message: diagnostic.message.clone(),
            loss: diagnostic.weight == lotse_formats::Weight::Loss,
        }
    }
}

/// The problems of the file and the notes about the numbers.
pub fn remarks(diagnostics: &[Diagnostic], notes: &[String]) -> Vec<DiagnosticAnswer> {
    let note = |message: &String| DiagnosticAnswer { place: None, message: message.clone(), loss: false };
    diagnostics.iter().map(DiagnosticAnswer::from).chain(notes.iter().map(note)).collect()
}

/// `lotse profile top --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TopAnswer {
    /// `lotse.profile.top/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// The profiled command.
    pub command: Option<String>,
    /// How recursion was counted: folded, gprof or raw.
    pub cycles: &'static str,
    /// Where inclusive costs come from: stacks, file (stated there), calls, counts (spread by numbers of
    /// calls), inlined (no calls, only inlined functions), or nothing (no calls: they repeat the self costs).
    pub inclusive_from: &'static str,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// Stack samples; null for formats without.
    pub samples: Option<usize>,
    /// Distinct stacks; null for formats without.
    pub stacks: Option<usize>,
    /// Functions with any cost or call.
    pub function_count: usize,
    /// Distinct pairs of caller and callee.
    pub call_count: usize,
    /// Dumps, threads or snapshots.
    pub parts: Vec<PartAnswer>,
    /// Functions, the costliest first.
    pub functions: Vec<FunctionAnswer>,
    /// Findings of the rules.
    pub findings: Vec<Finding>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}
