//! The costliest source lines of a program, over all functions.
//!
//! A line is a file and a number. Code that was inlined counts at its own line, with the function that the format names: the
//! inlined one in stacks, the one that it was inlined into in callgrind's files. Self costs are exact. Inclusive costs are
//! stated only where they are exact: in stacks, a line counts once per stack; in files with calls, the calls from a line are
//! added to its self cost, unless a function at the line recurs, or the line is part of several functions, since calls may
//! then lie inside each other.

use hashbrown::{HashMap, HashSet};
use lotse_formats::FormatError;
use lotse_model::id::{FileId, FunctionId, PartId};
use lotse_model::profile::{CodePosition, Costs, Detail, Details};
use lotse_model::progress::Checked as _;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::annotate::{KeyedCosts, StackLines};
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionName};
use crate::events::{Column, Cost, CostRow, EventTypes, ranking};
use crate::open::Opened;

/// What lines are sorted by; the costliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineOrder {
    /// Self cost.
    #[default]
    Own,
    /// Inclusive cost; lines whose inclusive cost is not known come last.
    Inclusive,
}

/// Which lines are listed, with which costs.
#[derive(Debug, Clone, Copy)]
pub struct LinesQuery<'a> {
    pub columns: &'a [Column],
    pub order: LineOrder,
    /// The greatest number of lines; `None` for all.
    pub limit: Option<usize>,
}

/// `lotse profile lines --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LinesAnswer {
    /// `lotse.profile.lines/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// Lines, the costliest first.
    pub lines: Vec<RankedLine>,
    /// The number of lines, including those not listed.
    pub line_count: usize,
    /// The self cost of lines that are not listed.
    pub hidden: Vec<Cost>,
    /// Self cost of which no line is known.
    pub without_line: Vec<Cost>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A source line with its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RankedLine {
    pub file: String,
    pub line: u32,
    /// The function with the greatest self cost at the line.
    pub function: FunctionName,
    /// The number of that function.
    #[serde(skip)]
    pub id: FunctionId,
    /// The number of functions that have costs or calls at the line: more than one if it was inlined.
    pub functions: usize,
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// With the calls from the line; null where it is not known exactly.
    pub inclusive: Option<Vec<Cost>>,
}

/// The lines of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankedLines {
    pub lines: Vec<RankedLine>,
    /// The number of lines before the limit.
    pub count: usize,
    pub hidden: Vec<Cost>,
    pub without_line: Vec<Cost>,
    /// For each event type of the file, whether lines have any cost: some formats count samples by line, but have no times.
    pub by_line: Vec<bool>,
}

impl RankedLines {
    /// The event type to show where lines have none of the ranking one: the first that lines have costs of.
    pub fn other_column(&self, types: &EventTypes, columns: &[Column]) -> Option<Column> {
        let by_line =
            |column: &Column| column.event().is_none_or(|event| self.by_line.get(event) == Some(&true));
        let lacks = columns.get(ranking(columns)).is_some_and(|column| !by_line(column));
        types.own().into_iter().find(by_line).filter(|_| lacks)
    }
}

/// Whether the lines are those of stacks, so that a selection of samples has lines of its own. Costs by line in a file are
/// those of the whole run.
pub fn has_lines_of_stacks(opened: &Opened<'_>) -> bool {
    match &opened.profile.details {
        Details::Loaded(detail) => {
            detail.lines.function.is_empty() && detail.sites.caller.is_empty() && opened.profile.has_stacks()
        }
        Details::OnDemand(_) => false,
    }
}

/// The costliest lines of the chosen parts, from the file's costs by line, or else from stacks.
pub fn ranked_lines(
    opened: &Opened<'_>,
    analysis: &Analysis<'_>,
    query: &LinesQuery<'_>,
) -> Result<RankedLines, FormatError> {
    let mut sums = LineSums::new(analysis);
    match &opened.profile.details {
        Details::Loaded(detail) => sums.add_detail(analysis, detail),
        Details::OnDemand(_) => {
            for function in opened.profile.functions.ids().checked() {
                sums.add_detail(analysis, &opened.detail(function)?);
            }
        }
    }
    match sums.of_functions.is_empty() && analysis.profile.has_stacks() {
        true => sums.add_stacks(analysis),
        false => sums.find_inexact(analysis),
    }
    Ok(sums.ranked(analysis, query))
}

/// A file and a line.
type LineKey = (FileId, u32);

/// The sums of lines.
struct LineSums {
    own: KeyedCosts<LineKey>,
    of_functions: KeyedCosts<(LineKey, FunctionId)>,
    /// Self costs with calls.
    inclusive: KeyedCosts<LineKey>,
    /// Lines whose inclusive costs are not known.
    inexact: HashSet<LineKey>,
    has_inclusive: bool,
}

impl LineSums {
    fn new(analysis: &Analysis<'_>) -> Self {
        let (width, signed) = (analysis.own.width(), analysis.own.signed());
        Self {
            own: KeyedCosts::new(width, signed),
            of_functions: KeyedCosts::new(width, signed),
            inclusive: KeyedCosts::new(width, signed),
            inexact: HashSet::new(),
            has_inclusive: !analysis.origin.lacks_calls(),
        }
    }

    /// Adds a self cost.
    fn add_own(&mut self, place: CodePosition, function: FunctionId, costs: &[u64]) {
        if let Some(key) = known_line(place) {
            self.own.add(key, costs);
            self.of_functions.add((key, function), costs);
        }
    }

    fn add_detail(&mut self, analysis: &Analysis<'_>, detail: &Detail) {
        let (lines, sites) = (&detail.lines, &detail.sites);
        let is_chosen = |part: PartId| analysis.parts.contains(&part);
        let nothing = vec![0; analysis.own.width()];
        for row in (0..lines.function.len()).filter(|&row| is_chosen(lines.part[row])).checked() {
            let costs = if lines.costs.width() > 0 { lines.costs.row(row) } else { &nothing };
            self.add_own(lines.place[row], lines.function[row], costs);
            known_line(lines.place[row]).into_iter().for_each(|key| self.inclusive.add(key, costs));
        }
        for row in (0..sites.caller.len()).filter(|&row| is_chosen(sites.part[row])).checked() {
            let Some(key) = known_line(sites.place[row]) else { continue };
            self.add_own(sites.place[row], sites.caller[row], &nothing);
            match sites.costs.width() {
                0 => drop(self.inexact.insert(key)),
                _ => self.inclusive.add(key, sites.costs.row(row)),
            }
        }
    }

    /// Marks lines of several functions, and of functions that recur.
    fn find_inexact(&mut self, analysis: &Analysis<'_>) {
        let mut function_at: HashMap<LineKey, FunctionId> = HashMap::new();
        let cycles = &analysis.cycles;
        for ((key, function), _) in self.of_functions.iter().checked() {
            let recurs = cycles.recursive[function.index()] || cycles.cycle[function.index()].is_some();
            if recurs || *function_at.entry(key).or_insert(function) != function {
                self.inexact.insert(key);
            }
        }
    }

    fn add_stacks(&mut self, analysis: &Analysis<'_>) {
        if analysis.own.width() > 0 {
            let stacks = StackLines::new(analysis);
            stacks.for_each_innermost(|place, function, costs| self.add_own(place, function, costs));
            let nothing = vec![0; analysis.own.width()];
            stacks.for_each_outermost(known_line, |key, function, costs| {
                // A line that only calls is listed, too.
                self.own.add(key, &nothing);
                self.of_functions.add((key, function), &nothing);
                self.inclusive.add(key, costs);
            });
        }
    }

    /// The lines in the order of the query.
    fn ranked(&self, analysis: &Analysis<'_>, query: &LinesQuery<'_>) -> RankedLines {
        let costs = |row: &[u64]| costs_of(analysis, query.columns, row);
        let at = ranking(query.columns);
        let mut keys: Vec<(Cost, Cost, LineKey)> = Vec::new();
        for (key, own) in self.own.iter().checked() {
            let own = costs(own).get(at).copied().unwrap_or(Cost::ABSENT);
            let inclusive = self.inclusive_of(analysis, query, key).and_then(|all| all.get(at).copied());
            let rank = match query.order {
                LineOrder::Own => own,
                LineOrder::Inclusive => inclusive.unwrap_or(Cost::ABSENT),
            };
            keys.push((rank, own, key));
        }
        let place = |key: LineKey| (analysis.profile.file_name(key.0), key.1);
        keys.sort_by(|a, b| {
            b.0.compare(&a.0).then_with(|| b.1.compare(&a.1)).then_with(|| place(a.2).cmp(&place(b.2)))
        });
        let count = keys.len();
        let shown = query.limit.unwrap_or(count).min(count);
        let functions = self.functions();
        let line = |(_, _, key): &(Cost, Cost, LineKey)| self.line(analysis, query, *key, &functions);
        RankedLines {
            lines: keys[..shown].iter().filter_map(line).collect(),
            count,
            hidden: costs(&self.sum(analysis, keys[shown..].iter().map(|key| key.2))),
            without_line: self.without_line(analysis, query),
            by_line: self
                .sum(analysis, self.own.iter().map(|(key, _)| key))
                .iter()
                .map(|&sum| sum != 0)
                .collect(),
        }
    }

    fn inclusive_of(
        &self,
        analysis: &Analysis<'_>,
        query: &LinesQuery<'_>,
        key: LineKey,
    ) -> Option<Vec<Cost>> {
        let known = self.has_inclusive && !self.inexact.contains(&key);
        let row = self.inclusive.get(key).filter(|_| known)?;
        let inherited =
            |(cost, column): (Cost, &Column)| if column.has_inclusive() { cost } else { Cost::ABSENT };
        Some(costs_of(analysis, query.columns, row).into_iter().zip(query.columns).map(inherited).collect())
    }

    /// For each line its functions.
    fn functions(&self) -> HashMap<LineKey, Vec<FunctionId>> {
        let mut functions: HashMap<LineKey, Vec<FunctionId>> = HashMap::new();
        for ((key, function), _) in self.of_functions.iter() {
            functions.entry(key).or_default().push(function);
        }
        functions
    }

    /// A line as a row; its function is the one with the greatest self cost there, of equal ones the first.
    fn line(
        &self,
        analysis: &Analysis<'_>,
        query: &LinesQuery<'_>,
        key: LineKey,
        functions: &HashMap<LineKey, Vec<FunctionId>>,
    ) -> Option<RankedLine> {
        let at = ranking(query.columns);
        let all = functions.get(&key)?;
        let cost = |function: &FunctionId| {
            let row = self.of_functions.get((key, *function)).unwrap_or(&[]);
            costs_of(analysis, query.columns, row).get(at).copied().unwrap_or(Cost::ABSENT)
        };
        let costliest = all.iter().copied().max_by(|a, b| cost(a).compare(&cost(b)).then(b.cmp(a)))?;
        Some(RankedLine {
            file: analysis.profile.file_name(key.0).unwrap_or("").to_owned(),
            line: key.1,
            function: FunctionName::new(analysis.profile, costliest),
            id: costliest,
            functions: all.len(),
            own: costs_of(analysis, query.columns, self.own.get(key)?),
            inclusive: self.inclusive_of(analysis, query, key),
        })
    }

    fn sum(&self, analysis: &Analysis<'_>, keys: impl Iterator<Item = LineKey>) -> Vec<u64> {
        let mut sum = Costs::zeros(analysis.own.width(), analysis.own.signed(), 1);
        keys.filter_map(|key| self.own.get(key)).for_each(|row| sum.add(0, row));
        sum.row(0).to_vec()
    }

    /// The total without the self costs of all lines.
    fn without_line(&self, analysis: &Analysis<'_>, query: &LinesQuery<'_>) -> Vec<Cost> {
        let mut rest: Vec<i128> = analysis.own.totals();
        for (_, row) in self.own.iter() {
            let number = |&cost: &u64| analysis.profile.value(cost);
            rest.iter_mut().zip(row).for_each(|(rest, cost)| *rest -= number(cost));
        }
        query.columns.iter().map(|column| column.total(&rest)).collect()
    }
}

/// The line of a place, if it is known.
fn known_line(place: CodePosition) -> Option<LineKey> {
    (place.line != 0).then_some((place.file, place.line))
}

fn costs_of(analysis: &Analysis<'_>, columns: &[Column], costs: &[u64]) -> Vec<Cost> {
    let row = CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls: None };
    columns.iter().map(|column| column.value(&row)).collect()
}

#[cfg(test)]
mod tests;
