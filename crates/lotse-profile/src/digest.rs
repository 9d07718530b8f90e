//! The digest of a profile: its costliest functions as a small profile. An index stores the digest at its front, so that
//! the usual list of functions reads a few pages of the index instead of all functions.

use std::sync::Arc;

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Builder, Costs, Part};

use crate::analysis::Summary;
use crate::answer::FunctionAnswer;
use crate::events::{Cost, ranking};
use crate::top::{TopOrder, TopQuery};

/// The longest list that a digest can answer.
pub const LONGEST_LIST: usize = 100;

/// If a digest had more functions than this, none is made.
const MOST_FUNCTIONS: usize = 20_000;

/// Functions below `total / NEGLIGIBLE` of every event type are ignored by all rules.
pub(crate) const NEGLIGIBLE: u64 = 2000;

/// The functions at the top of any list, and those that rules examine; `None` if these are too many.
pub(crate) fn digest(profile: &Profile, summary: &Summary) -> Option<(Profile, Summary)> {
    if profile.signed || profile.events.is_empty() {
        return None;
    }
    let mut kept = vec![false; profile.functions.len()];
    let limits = limits(summary);
    for (row, kept) in kept.iter_mut().enumerate() {
        *kept = matters(summary, &limits, row);
    }
    for event in 0..profile.events.len() {
        for costs in [&summary.own, &summary.inclusive] {
            keep_leaders(&mut kept, |row| costs.row(row)[event]);
        }
    }
    if let Some(called) = &summary.called {
        keep_leaders(&mut kept, |row| called[row]);
    }
    let rows: Vec<usize> = (0..kept.len()).filter(|&row| kept[row] && summary.active[row]).collect();
    (rows.len() <= MOST_FUNCTIONS).then(|| (small_profile(profile, &rows), small_summary(summary, &rows)))
}

/// The smallest cost that is not negligible, per event type.
pub(crate) fn limits(summary: &Summary) -> Vec<u64> {
    let limit = |&total: &i128| u64::try_from(total / i128::from(NEGLIGIBLE)).map_or(1, |limit| limit.max(1));
    summary.totals.iter().map(limit).collect()
}

/// Whether the self or inclusive cost of a function is not negligible for any event type.
pub(crate) fn matters(summary: &Summary, limits: &[u64], row: usize) -> bool {
    let above = |costs: &Costs| costs.row(row).iter().zip(limits).any(|(cost, limit)| cost >= limit);
    above(&summary.own) || above(&summary.inclusive)
}

/// Keeps the rows with the greatest values, and all that are equal to the last of them.
fn keep_leaders(kept: &mut [bool], value: impl Fn(usize) -> u64) {
    let mut values: Vec<u64> = (0..kept.len()).map(&value).filter(|&value| value > 0).collect();
    let least = if values.len() > LONGEST_LIST {
        *values.select_nth_unstable_by(LONGEST_LIST, |a, b| b.cmp(a)).1
    } else {
        1
    };
    kept.iter_mut().enumerate().for_each(|(row, kept)| *kept |= value(row) >= least);
}

/// A profile of the functions in `rows`, with the labels of all parts but without their costs.
fn small_profile(profile: &Profile, rows: &[usize]) -> Profile {
    let mut builder = Builder::new();
    for &row in rows {
        let id = FunctionId::from(row);
        let object = builder.object(profile.function_object(id).unwrap_or(""));
        let file = builder.file(profile.function_file(id).unwrap_or(""));
        let name = builder.name(profile.function_name(id));
        let place = (profile.functions.line[row], profile.functions.column[row]);
        builder.profile.functions.push(name, object, file, place);
    }
    builder.profile.parts = parts_without_costs(profile);
    builder.profile.events = profile.events.clone();
    builder.profile.default_event = profile.default_event;
    builder.profile.formulas = profile.formulas.clone();
    builder.profile.command = profile.command.clone();
    builder.profile.creator = profile.creator.clone();
    builder.finish()
}

/// The parts of a profile with their labels only.
pub(crate) fn parts_without_costs(profile: &Profile) -> Vec<Part> {
    let without_costs = |part: &Part| {
        let empty = Part::new(&part.name, profile.events.len(), profile.signed);
        Part {
            number: part.number,
            process: part.process,
            thread: part.thread,
            source: part.source.clone(),
            trigger: part.trigger.clone(),
            time: part.time,
            selected: part.selected,
            stated: part.stated.clone(),
            ..empty
        }
    };
    profile.parts.iter().map(without_costs).collect()
}

/// The rows of a summary, with its totals and notes.
fn small_summary(summary: &Summary, rows: &[usize]) -> Summary {
    let costs = |costs: &Costs| {
        let mut small = Costs::new(costs.width(), costs.signed());
        rows.iter().for_each(|&row| small.push(costs.row(row)));
        small
    };
    let column = |column: &Option<Vec<u64>>| {
        column.as_ref().map(|column| rows.iter().map(|&row| column[row]).collect())
    };
    Summary {
        cycle_mode: summary.cycle_mode,
        origin: summary.origin,
        own: Arc::new(costs(&summary.own)),
        inclusive: Arc::new(costs(&summary.inclusive)),
        called: column(&summary.called),
        recursed: column(&summary.recursed),
        cycle: rows.iter().map(|&row| summary.cycle[row]).collect(),
        lower_bounds: Arc::new(match summary.lower_bounds.is_empty() {
            true => Vec::new(),
            false => rows.iter().map(|&row| summary.lower_bounds[row]).collect(),
        }),
        active: vec![true; rows.len()],
        functions: summary.functions,
        totals: summary.totals.clone(),
        pairs: summary.pairs,
        samples: summary.samples,
        stacks: summary.stacks,
        parts: summary.parts.clone(),
        notes: summary.notes.clone(),
    }
}

/// Whether a digest can answer a query.
pub fn can_answer(query: &TopQuery<'_>) -> bool {
    let plain = query
        .columns
        .get(ranking(query.columns))
        .is_some_and(|column| column.event().is_some() && !column.is_mixed());
    let short = query.limit.is_some_and(|limit| limit <= LONGEST_LIST);
    let ordered = match query.order {
        TopOrder::Own | TopOrder::Inclusive => plain,
        TopOrder::Calls => true,
        TopOrder::Name => false,
    };
    short && ordered && query.filter.is_empty()
}

/// Whether a list from a digest is the same as from all functions: it has the requested length, and its last row costs
/// more than 0, as functions without cost were left out.
pub fn is_complete(rows: &[FunctionAnswer], query: &TopQuery<'_>) -> bool {
    let at = ranking(query.columns);
    let positive = |row: &FunctionAnswer| match query.order {
        TopOrder::Own => row.own.get(at).is_some_and(|cost| *cost > Cost::Exact(0)),
        TopOrder::Inclusive => row.inclusive.get(at).is_some_and(|cost| *cost > Cost::Exact(0)),
        TopOrder::Calls => row.calls.is_some_and(|calls| calls > 0),
        TopOrder::Name => false,
    };
    Some(rows.len()) == query.limit && rows.last().is_some_and(positive)
}

#[cfg(test)]
mod tests {
    use super::{can_answer, digest, is_complete};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};
    use crate::events::EventTypes;
    use crate::filter::{Filter, Pattern};
    use crate::top::{TopOrder, TopQuery, top};

    /// Many functions with many equal costs, some without any.
    fn many() -> lotse_model::Profile {
        let names: Vec<String> = (0..3000).map(|number| format!("f{number}")).collect();
        let own: Vec<(&str, u64)> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), (at as u64 * 7919) % 60)).collect();
        let calls: Vec<(&str, &str, u64, u64)> =
            (1..2000).map(|at| (names[at - 1].as_str(), names[at].as_str(), at as u64 % 9, 1)).collect();
        summed(&own, &calls)
    }

    #[test]
    fn a_digest_gives_the_same_list() {
        let profile = many();
        let summary = Analysis::of_default_parts(&profile, CycleMode::Folded).into_summary();
        let (small_profile, small) = digest(&profile, &summary).unwrap();
        small_profile.check().unwrap();
        assert_eq!(small.functions, summary.functions);
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        for order in [TopOrder::Own, TopOrder::Inclusive, TopOrder::Calls] {
            for limit in [1, 20, 100] {
                let query =
                    TopQuery { columns: &columns, order, limit: Some(limit), filter: &Filter::default() };
                assert!(can_answer(&query));
                let rows = top(&small_profile, &small, &query);
                assert!(is_complete(&rows, &query));
                assert_eq!(rows, top(&profile, &summary, &query), "{order:?} {limit}");
            }
        }
    }

    #[test]
    fn other_questions_need_all_functions() {
        let profile = many();
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let ratio = EventTypes::new(&profile, &[]).unwrap().choose(&["Ir / calls".to_owned()]).unwrap();
        let all = Filter::default();
        let some = Filter { name: Some(Pattern::Text("f1".into())), ..Filter::default() };
        let query = TopQuery { columns: &columns, order: TopOrder::Own, limit: Some(5), filter: &all };
        assert!(!can_answer(&TopQuery { limit: None, ..query.clone() }));
        assert!(!can_answer(&TopQuery { limit: Some(101), ..query.clone() }));
        assert!(!can_answer(&TopQuery { order: TopOrder::Name, ..query.clone() }));
        assert!(!can_answer(&TopQuery { filter: &some, ..query.clone() }));
        assert!(!can_answer(&TopQuery { columns: &ratio, ..query }));
    }

    #[test]
    fn a_list_that_reaches_functions_without_cost_is_not_complete() {
        let profile = summed(&[("a", 3), ("b", 0), ("c", 0)], &[("a", "b", 1, 0)]);
        let summary = Analysis::of_default_parts(&profile, CycleMode::Folded).into_summary();
        let (small_profile, small) = digest(&profile, &summary).unwrap();
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let filter = Filter::default();
        for (limit, expected) in [(1, true), (2, false)] {
            let query =
                TopQuery { columns: &columns, order: TopOrder::Own, limit: Some(limit), filter: &filter };
            assert_eq!(is_complete(&top(&small_profile, &small, &query), &query), expected, "{limit}");
        }
    }
}
