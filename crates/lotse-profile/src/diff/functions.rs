//! The functions of several profiles compared.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::change::Scale;
use super::function_answer::{FunctionDiff, HiddenChanges, Status, Versus};
use super::matching::matching;
use super::units::{MatchUnit, NameRules, plain_names, units};
use super::variants::Variants;
use super::{
    Basis, Change, ComparedFile, Counts, DiffAnswer, DiffQuery, DiffSide, KindCounts, NoiseCounts, Rename,
    order, renames,
};
use crate::answer::FunctionName;
use crate::bound::Bound;
use crate::events::{Column, Cost, CostRow, ranking};
use crate::names::display;

/// Profiles whose functions are matched: each row is a function, with its ids in every profile.
#[derive(Debug)]
pub struct Comparison<'s> {
    pub(super) sides: &'s [DiffSide<'s>],
    pub(super) basis: Basis,
    pub(super) scales: Vec<Vec<Scale>>,
    /// For every side, how often each function was called; `None` where not counted.
    called: Vec<Option<Vec<u64>>>,
    /// For every side, the costs of functions that have several variants.
    variants: Vec<Variants>,
    /// `rows[row][side]` are the variants of the row's function in a profile; empty if the profile does not have it.
    pub(super) rows: Vec<Vec<Vec<FunctionId>>>,
    /// The name of every row.
    pub(super) names: Vec<String>,
}

/// A row with its changes.
#[derive(Debug, Clone)]
pub(super) struct MeasuredRow {
    pub(super) row: usize,
    pub(super) status: Status,
    pub(super) versus: Vec<Versus>,
}

impl MeasuredRow {
    fn is_noise(&self) -> bool {
        self.versus.iter().all(Versus::is_noise)
    }
}

impl<'s> Comparison<'s> {
    /// Matches the functions of all profiles with those of the first.
    pub fn new(sides: &'s [DiffSide<'s>], basis: Basis) -> Self {
        Self::renamed(sides, basis, &[])
    }

    /// The same as [`new`](Self::new), after `renames` changed the names of functions in the first profile.
    pub fn renamed(sides: &'s [DiffSide<'s>], basis: Basis, renames: &[Rename]) -> Self {
        let scales = sides.iter().map(Scale::for_columns).collect();
        let called = sides.iter().map(|side| side.analysis.called()).collect();
        let (rows, names) = rows(sides, renames);
        let variants_of_side = |(at, side): (usize, &DiffSide<'_>)| {
            Variants::new(side.analysis, rows.iter().map(|row| &row[at]))
        };
        let variants = sides.iter().enumerate().map(variants_of_side).collect();
        Self { sides, basis, scales, called, variants, rows, names }
    }

    /// The answer, without findings and diagnostics.
    pub fn answer(&self, query: &DiffQuery<'_>) -> DiffAnswer {
        let accepted = (0..self.rows.len()).filter(|&row| self.accepts(row, query));
        let all: Vec<MeasuredRow> = accepted.checked().map(|row| self.measured(row)).collect();
        let counts = counts(&all);
        let with_status = |status: Status| self.costliest(&all, status, query);
        let (mut gone, mut new) = (with_status(Status::Gone), with_status(Status::New));
        let renames = renames::hints(self, &gone, &new);
        // Noise comes last, so that a limit cuts it first.
        gone.sort_by_key(MeasuredRow::is_noise);
        new.sort_by_key(MeasuredRow::is_noise);
        let limited = |rows: &[MeasuredRow]| {
            let limit = query.limit.unwrap_or(rows.len()).min(rows.len());
            rows[..limit].iter().checked().map(|row| self.function_diff(row)).collect::<Vec<_>>()
        };
        let (gone, new) = (limited(&gone), limited(&new));
        let (mut shown, hidden) = self.split_hidden(all, query);
        order::sort(self, &mut shown, query);
        DiffAnswer {
            schema: "lotse.profile.diff/1",
            by: self.basis,
            ranked: self.ranked(),
            files: self.sides.iter().map(ComparedFile::from_side).collect(),
            totals: self.totals(),
            functions: limited(&shown),
            function_count: shown.len(),
            gone,
            new,
            counts,
            hidden,
            renames,
            calls: None,
            lines: None,
            findings: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Whether the filter accepts a row.
    pub(super) fn accepts(&self, row: usize, query: &DiffQuery<'_>) -> bool {
        let accepts = |(side, functions): (&DiffSide<'_>, &Vec<FunctionId>)| {
            functions.iter().any(|&function| query.filter.accepts(side.analysis.profile, function))
        };
        self.sides.iter().zip(&self.rows[row]).any(accepts)
    }

    /// The changes of a row from the first profile to each of the others.
    fn measured(&self, row: usize) -> MeasuredRow {
        let functions = &self.rows[row];
        let status = match (functions[0].is_empty(), functions[1..].iter().all(Vec::is_empty)) {
            (true, _) => Status::New,
            (false, true) => Status::Gone,
            (false, false) => Status::Matched,
        };
        let values_in = |(at, side): (usize, &DiffSide<'_>)| {
            values(side, self.called[at].as_deref(), &self.variants[at], &functions[at])
        };
        let values: Vec<Option<RowValues>> = self.sides.iter().enumerate().map(values_in).collect();
        MeasuredRow {
            row,
            status,
            versus: (1..self.sides.len()).map(|at| self.versus(&values, at)).collect(),
        }
    }

    fn versus(&self, values: &[Option<RowValues>], at: usize) -> Versus {
        let (old, new) = (values[0].as_ref(), values[at].as_ref());
        let changes = |kind: fn(&RowValues) -> &Vec<Cost>| self.changes(old.map(kind), new.map(kind), at);
        // A cost that a profile does not have is 0, exactly.
        let bound = |values: Option<&RowValues>| values.map_or(Bound::Exact, |values| values.bound);
        let (old_bound, new_bound) = (bound(old), bound(new));
        let inclusive = changes(|values| &values.inclusive).into_iter();
        Versus {
            own: changes(|values| &values.own),
            inclusive: inclusive.map(|change| change.of_bounds(old_bound, new_bound)).collect(),
            calls: Counts { old: old.and_then(|it| it.calls), new: new.and_then(|it| it.calls) },
        }
    }

    /// The change of every event type from the first profile to another.
    pub(super) fn changes(&self, old: Option<&Vec<Cost>>, new: Option<&Vec<Cost>>, at: usize) -> Vec<Change> {
        let change = |(event, (from, to)): (usize, (&Scale, &Scale))| {
            let cost = |costs: Option<&Vec<Cost>>| costs.and_then(|costs| costs.get(event)).copied();
            Change::between((cost(old), from), (cost(new), to), self.basis)
        };
        self.scales[0].iter().zip(&self.scales[at]).enumerate().map(change).collect()
    }

    fn totals(&self) -> Vec<Vec<Change>> {
        let totals = |at: usize| self.scales[at].iter().map(Scale::total).collect::<Vec<_>>();
        (1..self.sides.len())
            .map(|at| {
                let change = |(old, new)| Change::between(old, new, Basis::Cost);
                let old = totals(0).into_iter().map(Some).zip(&self.scales[0]);
                old.zip(totals(at).into_iter().map(Some).zip(&self.scales[at])).map(change).collect()
            })
            .collect()
    }

    /// Rows of a status, the costliest first.
    fn costliest(&self, all: &[MeasuredRow], status: Status, query: &DiffQuery<'_>) -> Vec<MeasuredRow> {
        let mut rows: Vec<MeasuredRow> = all.iter().filter(|row| row.status == status).cloned().collect();
        let query = DiffQuery { order: order::DiffOrder::Difference, ..*query };
        order::sort(self, &mut rows, &query);
        rows
    }

    /// Splits rows into those to show and the sum of the others.
    fn split_hidden(
        &self,
        all: Vec<MeasuredRow>,
        query: &DiffQuery<'_>,
    ) -> (Vec<MeasuredRow>, HiddenChanges) {
        let mut hidden = HiddenChanges::default();
        let is_shown = |row: &MeasuredRow| {
            query.min_change <= 0.0
                || is_unknown(row, query)
                || (self.relative(row, query) >= query.min_change && !is_noise(row, query))
        };
        let (shown, little): (Vec<_>, Vec<_>) = all.into_iter().partition(is_shown);
        let width = self.scales[0].len();
        let mut sums = vec![vec![Cost::Exact(0); width]; self.sides.len() - 1];
        for row in little {
            let mut changes = row.versus.iter().flat_map(|versus| versus.ranked_by(query));
            if changes.all(|change| change.difference == Cost::Exact(0)) {
                hidden.unchanged += 1;
                continue;
            }
            hidden.changed += 1;
            hidden.noise += usize::from(is_noise(&row, query));
            for (sums, versus) in sums.iter_mut().zip(&row.versus) {
                sums.iter_mut()
                    .zip(&versus.own)
                    .for_each(|(sum, change)| *sum = add(*sum, change.difference));
            }
        }
        hidden.difference = sums;
        (shown, hidden)
    }

    /// The greatest change of a row, relative to the total.
    fn relative(&self, row: &MeasuredRow, query: &DiffQuery<'_>) -> f64 {
        let greatest = |(at, versus): (usize, &Versus)| {
            let relative = |(event, change): (usize, &Change)| {
                change.relative(
                    (self.scales[0][event].share_base(), self.scales[at + 1][event].share_base()),
                    self.basis,
                )
            };
            versus.ranked_by(query).iter().enumerate().map(relative).fold(0.0, f64::max)
        };
        row.versus.iter().enumerate().map(greatest).fold(0.0, f64::max)
    }

    /// The index of the event type that rows are ranked by.
    pub(super) fn ranked(&self) -> usize {
        self.sides.first().map_or(0, |side| ranking(side.columns))
    }

    /// A change of the event type that rows are ranked by, relative to the total.
    pub(super) fn relative_to_total(&self, change: &Change, at: usize) -> f64 {
        let ranked = self.ranked();
        let totals = self.scales[0].get(ranked).zip(self.scales[at].get(ranked));
        totals.map_or(0.0, |(old, new)| change.relative((old.share_base(), new.share_base()), self.basis))
    }

    /// The names of a row in the first profile that has it.
    pub(super) fn name(&self, row: usize) -> Option<FunctionName> {
        let mut known = self.sides.iter().zip(&self.rows[row]);
        known
            .find_map(|(side, functions)| Some(FunctionName::new(side.analysis.profile, *functions.first()?)))
    }

    /// A row as an answer, with the names of the first profile that has it.
    fn function_diff(&self, row: &MeasuredRow) -> FunctionDiff {
        let nameless = || FunctionName {
            id: FunctionId(0),
            name: String::new(),
            display: String::new(),
            class: None,
            file: None,
            line: None,
            column: None,
            object: None,
        };
        let mut function = self.name(row.row).unwrap_or_else(nameless);
        let names = self.all_names(row.row);
        if !names.is_empty() {
            function.display.clone_from(&self.names[row.row]);
        }
        FunctionDiff {
            function,
            ids: self.rows[row.row].clone(),
            status: row.status,
            variants: self.rows[row.row].iter().map(Vec::len).max().unwrap_or(1),
            names,
            versus: row.versus.clone(),
        }
    }

    /// The names that a row has in the profiles; empty if there is only one.
    pub(super) fn all_names(&self, row: usize) -> Vec<String> {
        let named = |(side, functions): (&DiffSide<'_>, &Vec<FunctionId>)| {
            let shown = |&function: &FunctionId| display(side.analysis.profile, function).into_owned();
            functions.iter().map(shown).collect::<Vec<_>>()
        };
        let all: BTreeSet<String> = self.sides.iter().zip(&self.rows[row]).flat_map(named).collect();
        if all.len() > 1 { all.into_iter().collect() } else { Vec::new() }
    }
}

/// Whether it is not known how much a row changed.
fn is_unknown(row: &MeasuredRow, query: &DiffQuery<'_>) -> bool {
    row.versus.iter().flat_map(|versus| versus.ranked_by(query)).any(|change| change.bound().is_none())
}

/// Whether chance explains all changes that the query ranks by.
fn is_noise(row: &MeasuredRow, query: &DiffQuery<'_>) -> bool {
    row.versus.iter().all(|versus| versus.ranked_by(query).iter().all(|change| change.noise))
}

fn counts(all: &[MeasuredRow]) -> KindCounts {
    let count = |status| all.iter().filter(|row| row.status == status).count();
    let by_chance = |status| {
        all.iter().filter(|row| row.status == status && row.versus.iter().all(Versus::is_noise)).count()
    };
    KindCounts {
        matched: count(Status::Matched),
        gone: count(Status::Gone),
        new: count(Status::New),
        noise: NoiseCounts { gone: by_chance(Status::Gone), new: by_chance(Status::New) },
    }
}

fn add(one: Cost, other: Cost) -> Cost {
    let exact = match (one, other) {
        (Cost::Exact(one), Cost::Exact(other)) => one.checked_add(other),
        _ => None,
    };
    exact.map_or_else(|| Cost::Real(one.as_f64() + other.as_f64()), Cost::Exact)
}

/// Matches the functions of all sides with those of the first. Rows are those of the first side in its order, then
/// those it does not have; functions of equal name and object that only later sides have share a row.
fn rows(sides: &[DiffSide<'_>], renames: &[Rename]) -> (Vec<Vec<Vec<FunctionId>>>, Vec<String>) {
    let known: HashSet<String> = sides.iter().flat_map(|side| plain_names(side.analysis)).collect();
    let naming = |at: usize| NameRules::new(&known, if at == 0 { renames } else { &[] });
    let units: Vec<Vec<MatchUnit<'_>>> =
        sides.iter().enumerate().map(|(at, side)| units(side.analysis, &naming(at))).collect();
    let mut names: Vec<String> =
        units.first().into_iter().flatten().map(|unit| unit.name.to_string()).collect();
    let empty = || vec![Vec::new(); sides.len()];
    let mut rows: Vec<Vec<Vec<FunctionId>>> = vec![empty(); units.first().map_or(0, Vec::len)];
    rows.iter_mut()
        .zip(units.first().into_iter().flatten())
        .for_each(|(row, unit)| row[0].clone_from(&unit.functions));
    let mut rows_of_new: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, new) in units.iter().enumerate().skip(1) {
        let matched = matching(&units[0], new, sides[at].format != sides[0].format);
        let mut place: Vec<Option<usize>> = vec![None; new.len()];
        matched.iter().enumerate().for_each(|(old, to)| to.iter().for_each(|&to| place[to] = Some(old)));
        for (unit, place) in new.iter().zip(place).checked() {
            let place = place.unwrap_or_else(|| {
                let known = rows_of_new.entry((unit.name.as_ref(), unit.object)).or_default();
                let free = known.iter().copied().find(|&row: &usize| rows[row][at].is_empty());
                free.unwrap_or_else(|| {
                    known.push(rows.len());
                    rows.push(empty());
                    names.push(unit.name.to_string());
                    rows.len() - 1
                })
            });
            rows[place][at].clone_from(&unit.functions);
        }
    }
    (rows, names)
}

/// The costs of a row in one profile.
struct RowValues {
    own: Vec<Cost>,
    inclusive: Vec<Cost>,
    /// Of the inclusive costs.
    bound: Bound,
    calls: Option<u64>,
}

/// The costs of a row's functions in one profile; `None` if it has none. Variants are summed.
fn values(
    side: &DiffSide<'_>,
    called: Option<&[u64]>,
    variants: &Variants,
    functions: &[FunctionId],
) -> Option<RowValues> {
    let analysis = side.analysis;
    let first = functions.first()?.index();
    let sums = variants.sums_of(functions);
    let calls = called.map(|called| sums.map_or(called[first], |it| it.calls));
    let row = |costs| CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls };
    let inclusive = sums.map_or_else(|| row_of(&analysis.inclusive, first), |it| it.inclusive.as_slice());
    let own = sum(&analysis.own, functions);
    let bound = sums.map_or_else(
        || Bound::at_least(analysis.is_lower_bound(FunctionId::from(first))),
        |sums| Bound::at_most_unless(sums.exact),
    );
    let known = if bound.is_exact() { Column::inclusive_value } else { Column::bound_value };
    Some(RowValues {
        own: side.columns.iter().map(|column| column.value(&row(&own))).collect(),
        inclusive: side.columns.iter().map(|column| known(column, &row(inclusive))).collect(),
        bound,
        calls,
    })
}

fn row_of(costs: &Costs, row: usize) -> &[u64] {
    if costs.width() == 0 { &[] } else { costs.row(row) }
}

/// The sum of the self costs of variants.
fn sum(costs: &Costs, functions: &[FunctionId]) -> Vec<u64> {
    if costs.width() == 0 {
        return Vec::new();
    }
    let mut sum = Costs::zeros(costs.width(), costs.signed(), 1);
    functions.iter().for_each(|function| sum.add(0, costs.row(function.index())));
    sum.row(0).to_vec()
}
