//! The lines of one function in several profiles compared. Lines are matched by their number alone: code that moved
//! down by a line shows as two changes. Of whole programs, `program_lines` matches the lines of two profiles.

use std::collections::{BTreeMap, BTreeSet};

use lotse_formats::FormatError;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::functions::Comparison;
use super::order::{DiffOrder, sort_by};
use super::program_lines::{LinePairing, PairedLines};
use super::{Change, DiffQuery, DiffSide};
use crate::analysis::Analysis;
use crate::answer::FunctionName;
use crate::events::{Cost, CostRow};
use crate::graph::without_level;
use crate::open::Opened;
use crate::report::base_name;

/// A line with its changes of self cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LineDiff {
    /// The file, without directories.
    pub file: String,
    /// 0 if unknown.
    pub line: u32,
    /// The file in the first profile, for lines of whole programs; null if only the other has the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_file: Option<String>,
    /// The line in the first profile, for lines of whole programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_line: Option<u32>,
    /// How the line was found in the first profile, for lines of whole programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<LinePairing>,
    /// The function with the greatest self cost at the line, for lines of whole programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<FunctionName>,
    /// The change from the first profile to each of the others, per event type.
    pub versus: Vec<Vec<Change>>,
}

/// Self costs of a function by file and line.
#[derive(Debug, Clone, Default)]
pub struct LineCosts {
    rows: BTreeMap<(String, u32), Vec<u64>>,
}

impl LineCosts {
    fn add(&mut self, file: &str, line: u32, costs: &Costs, row: usize) {
        let cells = self.rows.entry((base_name(file).to_owned(), line)).or_default();
        let before = if cells.is_empty() { vec![0; costs.width()] } else { std::mem::take(cells) };
        let mut sum = Costs::from_cells(costs.width(), costs.signed(), before);
        sum.add(0, costs.row(row));
        *cells = sum.row(0).to_vec();
    }
}

/// The self costs of functions by line, from the file's costs by line, or else from stacks.
pub fn line_costs(
    opened: &Opened<'_>,
    analysis: &Analysis<'_>,
    functions: &[FunctionId],
) -> Result<LineCosts, FormatError> {
    let mut lines = LineCosts::default();
    if analysis.profile.events.is_empty() {
        return Ok(lines);
    }
    for &function in functions {
        let detail = opened.detail(function)?.lines;
        for row in (0..detail.function.len()).checked() {
            let place = detail.place[row];
            if analysis.parts.contains(&detail.part[row]) {
                lines.add(file_name(analysis, place.file), place.line, &detail.costs, row);
            }
        }
    }
    if lines.rows.is_empty() {
        from_stacks(analysis, functions, &mut lines);
    }
    Ok(lines)
}

fn file_name<'a>(analysis: &Analysis<'a>, file: lotse_model::id::FileId) -> &'a str {
    analysis.profile.file_name(file).unwrap_or("")
}

/// Adds the costs of samples whose innermost frame is in one of the functions.
fn from_stacks(analysis: &Analysis<'_>, functions: &[FunctionId], lines: &mut LineCosts) {
    let profile = analysis.profile;
    for part in analysis.parts.iter().map(|part| &profile.parts[part.index()]) {
        for (row, stack) in part.samples.stack.iter().enumerate().checked() {
            let Some(stack) = stack else { continue };
            let frame = profile.frames.get(profile.stacks.frame[stack.index()]);
            if functions.contains(&frame.function) {
                lines.add(file_name(analysis, frame.file), frame.line, &part.samples.costs, row);
            }
        }
    }
}

impl Comparison<'_> {
    /// For each side, the functions that a function of one side is matched with, and its levels of recursion, which
    /// callgrind distinguishes as `f` and `f'2`.
    pub fn matched(&self, side: usize, function: FunctionId) -> Vec<Vec<FunctionId>> {
        let wanted = identity(self.sides[side].analysis.profile, function);
        let fits = |row: &&Vec<Vec<FunctionId>>| {
            let level = |(side, functions): (&DiffSide<'_>, &Vec<FunctionId>)| {
                functions.iter().any(|&other| identity(side.analysis.profile, other) == wanted)
            };
            row[side].contains(&function) || self.sides.iter().zip(row.iter()).any(level)
        };
        let mut all = vec![Vec::new(); self.sides.len()];
        for row in self.rows.iter().filter(fits) {
            all.iter_mut().zip(row).for_each(|(all, functions)| all.extend(functions));
        }
        all
    }
}

/// What all levels of recursion of a function have in common: name, file and object.
fn identity(profile: &Profile, function: FunctionId) -> (&str, &str, &str) {
    let [file, object] = [profile.function_file(function), profile.function_object(function)];
    (without_level(profile.function_name(function)), file.map_or("", base_name), object.map_or("", base_name))
}

/// The changed lines of a function, in the order of the query, or of the source if sorted by name.
pub fn lines(comparison: &Comparison<'_>, costs: &[LineCosts], query: &DiffQuery<'_>) -> Vec<LineDiff> {
    let places: BTreeSet<&(String, u32)> = costs.iter().flat_map(|lines| lines.rows.keys()).collect();
    let row = |place: &(String, u32)| LineDiff {
        file: place.0.clone(),
        line: place.1,
        old_file: None,
        old_line: None,
        pairing: None,
        function: None,
        versus: (1..costs.len())
            .map(|at| {
                let values = |at: usize| Some(values(&comparison.sides[at], costs[at].rows.get(place)?));
                comparison.changes(values(0).as_ref(), values(at).as_ref(), at)
            })
            .collect(),
    };
    let changed = |line: &LineDiff| {
        query.min_change <= 0.0
            || line.versus.iter().flatten().any(|change| change.difference != Cost::Exact(0))
    };
    let mut rows: Vec<LineDiff> = places.into_iter().map(row).filter(changed).collect();
    if query.order != DiffOrder::Name {
        let ranked = comparison.ranked();
        sort_by(
            &mut rows,
            query.order,
            |row| ranked_changes(row, ranked),
            |row| format!("{}:{:09}", row.file, row.line),
        );
    }
    rows.truncate(query.limit.unwrap_or(usize::MAX));
    rows
}

impl Comparison<'_> {
    /// Whether a change is at least the least one of the query, and more than noise.
    fn is_great(&self, change: &Change, event: usize, query: &DiffQuery<'_>) -> bool {
        let totals = (self.scales[0][event].share_base(), self.scales[1][event].share_base());
        !change.noise && change.relative(totals, self.basis) >= query.min_change
    }
}

/// The lines of whole programs that the query shows, and notes about those that it does not.
pub fn program_lines(
    comparison: &Comparison<'_>,
    mut all: PairedLines,
    query: &DiffQuery<'_>,
) -> (Vec<LineDiff>, Vec<String>) {
    let ranked = comparison.ranked();
    all.sort(query.order, query.inclusive, ranked);
    let count = all.lines.len();
    all.lines.retain(|line| !query.inclusive || line.inclusive.is_some());
    let unknown = count - all.lines.len();
    all.lines.retain(|line| {
        let profile = comparison.sides[usize::from(!line.is_old_function)].analysis.profile;
        query.filter.accepts(profile, line.function.id)
    });
    let rows = all.lines.into_iter().filter_map(|line| {
        let (old_file, old_line) = line.old.unzip();
        let changes = if query.inclusive { line.inclusive? } else { line.own };
        let (pairing, function) = (Some(line.pairing), Some(line.function));
        let versus = vec![changes];
        Some(LineDiff { file: line.file, line: line.line, old_file, old_line, pairing, function, versus })
    });
    let is_great = |line: &LineDiff| {
        let change = line.versus.first().and_then(|changes| changes.get(ranked));
        query.min_change <= 0.0 || change.is_some_and(|change| comparison.is_great(change, ranked, query))
    };
    let (mut shown, little): (Vec<LineDiff>, Vec<LineDiff>) = rows.partition(is_great);
    let matching = shown.len();
    shown.truncate(query.limit.unwrap_or(usize::MAX));
    let cut = (shown.len() < matching)
        .then(|| format!("shown: {} of {matching} lines that changed; --limit 0 shows all", shown.len()));
    let hidden = (!little.is_empty()).then(|| {
        format!(
            "{} lines changed little, within the noise, or not at all; --min-change 0 shows them",
            little.len()
        )
    });
    let unknown = (unknown > 0)
        .then(|| format!("the inclusive cost of {unknown} lines is not known exactly; they are left out"));
    (shown, all.notes.into_iter().chain(cut).chain(hidden).chain(unknown).collect())
}

fn ranked_changes(row: &LineDiff, ranked: usize) -> Vec<&Change> {
    row.versus.iter().filter_map(|changes| changes.get(ranked)).collect()
}

fn values(side: &DiffSide<'_>, cells: &[u64]) -> Vec<Cost> {
    let analysis = side.analysis;
    let row =
        CostRow { costs: cells, signed: analysis.profile.signed, totals: &analysis.totals, calls: None };
    side.columns.iter().map(|column| column.value(&row)).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::NoProgress;
    use lotse_model::bytes::Memory;

    use super::{LineDiff, line_costs, lines};
    use crate::analysis::{Analysis, CycleMode};
    use crate::diff::tests::everything;
    use crate::diff::{Basis, Comparison, DiffSide};
    use crate::events::{Cost, EventTypes};
    use crate::names::find;
    use crate::open::{Request, open};

    fn changed(old: &str, new: &str, function: &str) -> Vec<LineDiff> {
        let sources = [old, new].map(|text| Memory { name: "x", bytes: text.as_bytes() });
        let opened =
            sources.each_ref().map(|source| open(source, &Request::default(), &mut NoProgress).unwrap());
        let analyses = opened.each_ref().map(|it| Analysis::of_default_parts(&it.profile, CycleMode::Folded));
        let columns = opened.each_ref().map(|it| EventTypes::new(&it.profile, &[]).unwrap().own());
        let side = |at: usize| DiffSide {
            file: "x",
            format: opened[at].format,
            analysis: &analyses[at],
            columns: &columns[at],
        };
        let sides = [side(0), side(1)];
        let comparison = Comparison::new(&sides, Basis::Cost);
        let id = find(&analyses[0], function).unwrap().function;
        let functions = comparison.matched(0, id);
        let costs: Vec<_> =
            (0..2).map(|at| line_costs(&opened[at], &analyses[at], &functions[at]).unwrap()).collect();
        let query = crate::diff::DiffQuery { min_change: 0.001, ..everything() };
        lines(&comparison, &costs, &query)
    }

    #[test]
    fn lines_are_matched_by_number_and_equal_ones_left_out() {
        let text = |cost: u32| format!("events: Ir\nfl=/a/b.c\nfn=f\n3 5\n4 {cost}\n+1 7\n");
        let found = changed(&text(10), &text(60), "f");
        let shown: Vec<(&str, u32, Cost)> =
            found.iter().map(|row| (row.file.as_str(), row.line, row.versus[0][0].difference)).collect();
        assert_eq!(shown, [("b.c", 4, Cost::Exact(50))]);
    }

    #[test]
    fn stacks_have_lines_on_top() {
        let text = |costs: [u32; 2]| {
            let sample = "app 1 1.0: 1 cycles:\n\t1 f+0x1 (/bin/app)\n\n";
            sample.repeat(costs[0] as usize) + &sample.replace("f+", "g+").repeat(costs[1] as usize)
        };
        let found = changed(&text([4, 1]), &text([9, 1]), "f");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].versus[0][0].difference), (0, Cost::Exact(5)));
    }
}
