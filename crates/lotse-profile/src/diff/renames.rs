//! Hints which gone and new functions may be the same under another name. They are only listed, never merged.

use std::sync::Arc;

use std::cmp::Ordering;

use hashbrown::HashSet;
use lotse_model::id::FunctionId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::DiffSide;
use super::functions::{Comparison, MeasuredRow};
use super::names::{overlap, similarity};
use crate::analysis::Adjacency;
use crate::names::display;
use crate::report::base_name;

/// A function that may have been renamed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RenameHint {
    /// Its name in the first profile.
    pub old: String,
    /// Its name in another.
    pub new: String,
    /// The name of its source file in the first profile, without directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_file: Option<String>,
    /// The name of its source file in the other, without directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_file: Option<String>,
    /// The strength of the evidence, 0 to 1.
    pub score: f64,
    /// The evidence.
    pub reasons: Vec<&'static str>,
}

/// Only the costliest functions of each side are compared.
const MOST_CANDIDATES: usize = 60;
/// Weaker hints are dropped.
const LEAST_SCORE: f64 = 0.5;

struct RenameCandidate {
    display: String,
    file: String,
    class: Option<String>,
    /// Self and inclusive share of the total.
    shares: (f64, f64),
    neighbours: HashSet<String>,
    /// Whether it is in a library of the system or in the kernel.
    in_system: bool,
}

/// The best pairs first, each function at most once (greedy by score).
pub(super) fn hints(
    comparison: &Comparison<'_>,
    gone: &[MeasuredRow],
    new: &[MeasuredRow],
) -> Vec<RenameHint> {
    let (gone, new) = (candidates(comparison, gone, true), candidates(comparison, new, false));
    let mut pairs: Vec<(usize, usize, RenameHint)> = Vec::new();
    for (one, old) in gone.iter().enumerate() {
        let hints = new.iter().enumerate().filter_map(|(two, new)| Some((one, two, hint(old, new)?)));
        pairs.extend(hints);
    }
    pairs.sort_by(|a, b| b.2.score.partial_cmp(&a.2.score).unwrap_or(Ordering::Equal));
    let (mut olds, mut news) = (HashSet::new(), HashSet::new());
    pairs.retain(|(one, two, _)| {
        let free = !olds.contains(one) && !news.contains(two);
        if free {
            olds.insert(*one);
            news.insert(*two);
        }
        free
    });
    pairs.into_iter().map(|(_, _, hint)| hint).collect()
}

/// The costliest rows that can have been renamed, with what is compared of them.
fn candidates(comparison: &Comparison<'_>, rows: &[MeasuredRow], old: bool) -> Vec<RenameCandidate> {
    let incoming: Vec<Arc<Adjacency>> = if rows.is_empty() {
        Vec::new()
    } else {
        comparison.sides.iter().map(|side| side.analysis.incoming()).collect()
    };
    let ranked = comparison.ranked();
    let candidate = |row: &MeasuredRow| {
        let places = comparison.rows[row.row].iter().zip(comparison.sides).zip(&incoming);
        let ((functions, side), incoming) =
            places.into_iter().find(|((functions, _), _)| !functions.is_empty())?;
        let name = comparison.name(row.row)?;
        let change = |changes: &[super::Change]| {
            changes.get(ranked).and_then(|it| if old { it.old_share } else { it.new_share }).unwrap_or(0.0)
        };
        let share = |kind: fn(&super::Versus) -> &Vec<super::Change>| {
            row.versus.iter().map(|versus| change(kind(versus))).fold(0.0, f64::max)
        };
        Some(RenameCandidate {
            file: name.file.as_deref().map(base_name).unwrap_or("").to_owned(),
            in_system: name.object.as_deref().is_some_and(is_system_object),
            class: name.class,
            display: name.display,
            shares: (share(|versus| &versus.own), share(|versus| &versus.inclusive)),
            neighbours: neighbours(side, incoming, functions),
        })
    };
    // Addresses differ between builds, and libraries of the system are not rebuilt.
    let named = rows.iter().filter_map(candidate).filter(|it| !it.display.starts_with("0x") && !it.in_system);
    named.take(MOST_CANDIDATES).collect()
}

/// Whether an object belongs to the system, so that all recordings on a machine use the same.
fn is_system_object(object: &str) -> bool {
    ["/usr/lib", "/lib", "["].iter().any(|start| object.starts_with(start))
}

/// Names of direct callers and callees.
fn neighbours(side: &DiffSide<'_>, incoming: &Adjacency, functions: &[FunctionId]) -> HashSet<String> {
    let analysis = side.analysis;
    let mut names = HashSet::new();
    for &function in functions {
        let callers = incoming.rows_of(function).iter().map(|&row| analysis.calls.caller[row as usize]);
        let callees =
            analysis.outgoing.rows_of(function).iter().map(|&row| analysis.calls.callee[row as usize]);
        for other in callers.chain(callees).filter(|&other| other != function).take(1000) {
            names.insert(lotse_symbols::without_hash(&display(analysis.profile, other)).into_owned());
        }
    }
    names
}

/// A hint if the evidence that two functions are the same is strong enough. The weights are a judgement: the name is the
/// strongest evidence, and costs alone prove nothing, because the change may have been made to change them.
fn hint(old: &RenameCandidate, new: &RenameCandidate) -> Option<RenameHint> {
    let same_name = similarity(&old.display, &new.display);
    let same_file = !old.file.is_empty() && old.file == new.file;
    let same_class = old.class.is_some() && old.class == new.class;
    let same_cost = nearness(old.shares.0, new.shares.0).max(nearness(old.shares.1, new.shares.1));
    let same_neighbours = overlap(&old.neighbours, &new.neighbours);
    let same_place = same_file || same_class;
    let is_plausible =
        (same_place && same_name >= 0.4) || same_name >= 0.75 || (same_neighbours >= 0.5 && same_cost >= 0.5);
    let score =
        0.4 * same_name + 0.2 * f64::from(u8::from(same_place)) + 0.15 * same_cost + 0.25 * same_neighbours;
    let all = [
        (same_name >= 0.5, "similar name"),
        (same_file, "same file"),
        (same_class && !same_file, "same class"),
        (same_neighbours >= 0.5, "same callers and callees"),
        (same_cost >= 0.8, "similar cost"),
    ];
    let reasons = all.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect();
    (is_plausible && score >= LEAST_SCORE).then(|| RenameHint {
        old: old.display.clone(),
        new: new.display.clone(),
        old_file: known(&old.file),
        new_file: known(&new.file),
        score,
        reasons,
    })
}

fn known(file: &str) -> Option<String> {
    (!file.is_empty()).then(|| file.to_owned())
}

/// The smaller number over the greater, so that equal ones give 1.
fn nearness(one: f64, other: f64) -> f64 {
    let greater = one.max(other);
    if greater > 0.0 { one.min(other) / greater } else { 0.0 }
}
