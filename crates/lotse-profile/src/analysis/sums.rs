//! Parts added up: self costs per function, one row per pair of functions that call each other.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use lotse_model::Profile;
use lotse_model::id::{FunctionId, PartId};
use lotse_model::profile::{Calls, Costs, Part};

use super::stacks;
use super::stated::{StatedInclusive, stated};

/// What the parts add up to.
pub(super) struct Sums<'a> {
    pub(super) own: Costs,
    pub(super) calls: Cow<'a, Calls>,
    pub(super) totals: Vec<i128>,
    pub(super) counted: bool,
    /// Calls without a caller, for every function.
    pub(super) entries: Vec<u64>,
    /// Whether the files tell the inclusive costs of calls.
    pub(super) told: bool,
    pub(super) samples: Option<usize>,
    pub(super) stacks: Option<usize>,
    /// For every row of `calls` whether it is part of a recursion, where stacks tell it.
    pub(super) circular: Option<Vec<bool>>,
    /// Inclusive costs, where stacks tell them exactly.
    pub(super) from_stacks: Option<stacks::Inclusive>,
    /// Inclusive costs, where the files state them.
    pub(super) stated: Option<StatedInclusive>,
    pub(super) notes: Vec<String>,
}

pub(super) fn sum<'a>(profile: &'a Profile, parts: &[PartId]) -> Sums<'a> {
    let chosen: Vec<&Part> = parts.iter().map(|part| &profile.parts[part.index()]).collect();
    if chosen.iter().any(|part| !part.samples.is_empty()) {
        from_stacks(profile, &chosen)
    } else {
        from_totals(profile, &chosen)
    }
}

fn from_totals<'a>(profile: &'a Profile, parts: &[&'a Part]) -> Sums<'a> {
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
    let told = parts.iter().all(|part| part.calls.is_empty() || part.calls.has_costs());
    Sums {
        own,
        calls,
        totals,
        counted,
        entries,
        told,
        samples: None,
        stacks: None,
        circular: None,
        from_stacks: None,
        stated: stated(profile, parts),
        notes,
    }
}

fn from_stacks<'a>(profile: &'a Profile, parts: &[&'a Part]) -> Sums<'a> {
    let mut flat = stacks::flatten(profile, parts);
    let counts = merged(profile, parts);
    let entries = entries(profile, parts);
    let counted = counts.count.iter().chain(&entries).any(|&count| count > 0);
    if counted {
        copy_counts(&counts, &mut flat.calls);
    }
    let used: HashSet<_> = parts.iter().flat_map(|part| part.samples.stack.iter().flatten()).collect();
    Sums {
        own: flat.own,
        calls: Cow::Owned(flat.calls),
        totals: flat.totals,
        counted,
        entries,
        told: true,
        samples: Some(parts.iter().map(|part| part.samples.len()).sum()),
        stacks: Some(used.len()),
        circular: Some(flat.circular),
        from_stacks: Some(flat.inclusive),
        stated: None,
        notes: Vec::new(),
    }
}

/// Self costs of all functions.
fn own(profile: &Profile, parts: &[&Part]) -> Costs {
    let mut own = Costs::zeros(profile.events.len(), profile.signed, profile.functions.len());
    for part in parts {
        for (row, function) in part.own.function.iter().enumerate() {
            if own.width() > 0 {
                own.add(function.index(), part.own.costs.row(row));
            }
        }
    }
    own
}

/// Calls without a caller, for every function.
fn entries(profile: &Profile, parts: &[&Part]) -> Vec<u64> {
    let mut entries = vec![0_u64; profile.functions.len()];
    for (function, count) in parts.iter().flat_map(|part| part.entries.rows()) {
        let sum = &mut entries[function.index()];
        *sum = sum.saturating_add(count);
    }
    entries
}

/// Calls of several parts with one row per pair; parts without costs add zeros.
fn merged(profile: &Profile, parts: &[&Part]) -> Calls {
    let mut calls = Calls { costs: Costs::new(profile.events.len(), profile.signed), ..Calls::default() };
    let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
    for part in parts {
        for at in 0..part.calls.len() {
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

/// Gives pairs that stacks showed the counts that the format tells, and adds pairs that no stack showed.
fn copy_counts(counts: &Calls, calls: &mut Calls) {
    let pairs = calls.caller.iter().copied().zip(calls.callee.iter().copied());
    let rows: HashMap<(FunctionId, FunctionId), usize> = pairs.zip(0..).collect();
    for at in 0..counts.len() {
        let pair = (counts.caller[at], counts.callee[at]);
        let row = rows.get(&pair).copied().unwrap_or_else(|| add_pair(calls, pair));
        calls.count[row] = counts.count[at];
    }
}
