//! Adds up the chosen parts: self costs per function, and one row of calls per pair of caller and callee.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use lotse_model::Profile;
use lotse_model::id::{FunctionId, PartId};
use lotse_model::profile::{Calls, Costs, Part};
use lotse_model::progress::Checked as _;

use super::stacks;
use super::stated::{StatedInclusive, stated};

/// What the parts add up to.
pub(super) struct SummedParts<'a> {
    pub(super) own: Costs,
    pub(super) calls: Cow<'a, Calls>,
    pub(super) totals: Vec<i128>,
    pub(super) counted: bool,
    /// Calls without a caller, for every function.
    pub(super) entries: Vec<u64>,
    /// Whether the files have inclusive costs of calls.
    pub(super) calls_have_costs: bool,
    pub(super) samples: Option<usize>,
    pub(super) stacks: Option<usize>,
    /// For every row of `calls`, whether it is part of a recursion; known only from stacks.
    pub(super) circular: Option<Vec<bool>>,
    /// Exact inclusive costs, if there are stacks.
    pub(super) from_stacks: Option<stacks::StackInclusive>,
    /// Inclusive costs, if the files state them.
    pub(super) stated: Option<StatedInclusive>,
    pub(super) notes: Vec<String>,
}

/// Sums the parts, from their stacks if they have any, else from their tables of self costs and calls.
pub(super) fn sum<'a>(profile: &'a Profile, parts: &[PartId]) -> SummedParts<'a> {
    let chosen: Vec<&Part> = parts.iter().map(|part| &profile.parts[part.index()]).collect();
    if chosen.iter().any(|part| !part.samples.is_empty()) {
        from_stacks(profile, &chosen)
    } else {
        from_totals(profile, &chosen)
    }
}

/// Sums the tables of self costs and calls. The calls of a single part are borrowed, not copied.
fn from_totals<'a>(profile: &'a Profile, parts: &[&'a Part]) -> SummedParts<'a> {
    let own = own(profile, parts);
    let totals = own.totals();
    let calls = match parts {
        [only] if only.calls.has_costs() || only.calls.is_empty() => Cow::Borrowed(&only.calls),
        _ => Cow::Owned(merged(profile, parts)),
    };
    let mut notes = Vec::new();
    if own.saturated() || calls.costs.saturated() {
        notes.push("a sum of costs does not fit 64 bits and was cut at the largest number".to_owned());
    }
    let entries = entries(profile, parts);
    let counted = calls.count.iter().chain(&entries).any(|&count| count > 0);
    let calls_have_costs = parts.iter().all(|part| part.calls.is_empty() || part.calls.has_costs());
    SummedParts {
        own,
        calls,
        totals,
        counted,
        entries,
        calls_have_costs,
        samples: None,
        stacks: None,
        circular: None,
        from_stacks: None,
        stated: stated(profile, parts),
        notes,
    }
}

/// Sums stacks. Numbers of calls come from the tables of calls, because samples do not count calls.
fn from_stacks<'a>(profile: &'a Profile, parts: &[&'a Part]) -> SummedParts<'a> {
    let mut sums = stacks::sum_stacks(profile, parts);
    let counts = merged(profile, parts);
    let entries = entries(profile, parts);
    let counted = counts.count.iter().chain(&entries).any(|&count| count > 0);
    if counted {
        copy_counts(&counts, &mut sums.calls);
    }
    let used: HashSet<_> =
        parts.iter().flat_map(|part| part.samples.stack.iter().flatten()).checked().collect();
    SummedParts {
        own: sums.own,
        calls: Cow::Owned(sums.calls),
        totals: sums.totals,
        counted,
        entries,
        calls_have_costs: true,
        samples: Some(parts.iter().map(|part| part.samples.len()).sum()),
        stacks: Some(used.len()),
        circular: Some(sums.circular),
        from_stacks: Some(sums.inclusive),
        stated: None,
        notes: Vec::new(),
    }
}

/// Self costs of all functions.
fn own(profile: &Profile, parts: &[&Part]) -> Costs {
    let mut own = Costs::zeros(profile.events.len(), profile.signed, profile.functions.len());
    for part in parts {
        for (row, function) in part.own.function.iter().enumerate().checked() {
            if own.width() > 0 {
                own.add(function.index(), part.own.costs.row(row));
            }
        }
    }
    own
}

/// Calls without a caller, for every function.
pub(super) fn entries(profile: &Profile, parts: &[&Part]) -> Vec<u64> {
    let mut entries = vec![0_u64; profile.functions.len()];
    for (function, count) in parts.iter().flat_map(|part| part.entries.rows()).checked() {
        let sum = &mut entries[function.index()];
        *sum = sum.saturating_add(count);
    }
    entries
}

/// The calls of several parts with one row per pair of caller and callee; parts without costs of calls add zeros.
fn merged(profile: &Profile, parts: &[&Part]) -> Calls {
    let mut calls = Calls { costs: Costs::new(profile.events.len(), profile.signed), ..Calls::default() };
    let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
    for part in parts {
        for at in (0..part.calls.len()).checked() {
            let pair = (part.calls.caller[at], part.calls.callee[at]);
            let row = *rows.entry(pair).or_insert_with(|| add_pair(&mut calls, pair));
            calls.count[row] = calls.count[row].saturating_add(part.calls.count[at]);
            if part.calls.has_costs() && calls.costs.width() > 0 {
                calls.costs.add(row, part.calls.costs.row(at));
            }
        }
    }
    calls
}

fn add_pair(calls: &mut Calls, (caller, callee): (FunctionId, FunctionId)) -> usize {
    calls.caller.push(caller);
    calls.callee.push(callee);
    calls.count.push(0);
    calls.costs.push(&[]);
    calls.len() - 1
}

/// Copies numbers of calls to the pairs found in stacks, and adds pairs that are in no stack.
fn copy_counts(counts: &Calls, calls: &mut Calls) {
    let pairs = calls.caller.iter().copied().zip(calls.callee.iter().copied());
    let rows: HashMap<(FunctionId, FunctionId), usize> = pairs.zip(0..).checked().collect();
    for at in (0..counts.len()).checked() {
        let pair = (counts.caller[at], counts.callee[at]);
        let row = rows.get(&pair).copied().unwrap_or_else(|| add_pair(calls, pair));
        calls.count[row] = counts.count[at];
    }
}
