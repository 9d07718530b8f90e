//! Which new function may be which gone one: hints, never merged.

use std::cmp::Ordering;

use hashbrown::HashSet;
use lotse_model::id::FunctionId;
use schemars::JsonSchema;
use serde::Serialize;

use super::Side;
use super::functions::{Comparison, Measured};
use super::names::{likeness, overlap};
use crate::analysis::Adjacency;
use crate::names::display;
use crate::report::base_name;

/// A function that may have a new name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RenameHint {
    /// Its name in the first profile.
    pub old: String,
    /// Its name in another.
    pub new: String,
    /// The last piece of the path of its source file in the first profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_file: Option<String>,
    /// The last piece of the path of its source file in the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_file: Option<String>,
    /// How much speaks for it, 0 to 1.
    pub score: f64,
    /// What does.
    pub reasons: Vec<&'static str>,
}

/// Only the costliest of each side are looked at: the others matter to nobody.
const MOST_CANDIDATES: usize = 60;
/// Weaker hints are not worth reading.
const LEAST_SCORE: f64 = 0.5;

struct Candidate {
    display: String,
    file: String,
    class: Option<String>,
    shares: (f64, f64),
    neighbours: HashSet<String>,
    /// Whether it is in a library of the system or in the kernel.
    of_system: bool,
}

/// The best pairs first, each function at most once.
pub(super) fn hints(comparison: &Comparison<'_>, gone: &[Measured], new: &[Measured]) -> Vec<RenameHint> {
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

fn candidates(comparison: &Comparison<'_>, rows: &[Measured], old: bool) -> Vec<Candidate> {
    let incoming: Vec<Adjacency> = if rows.is_empty() {
        Vec::new()
    } else {
        comparison.sides.iter().map(|side| side.analysis.incoming()).collect()
    };
    let ranked = comparison.ranked();
    let candidate = |row: &Measured| {
        let places = comparison.rows[row.row].iter().zip(comparison.sides).zip(&incoming);
        let ((functions, side), incoming) =
            places.into_iter().find(|((functions, _), _)| !functions.is_empty())?;
        let name = comparison.name(row.row)?;
        let change = |changes: &[super::Change]| {
            changes.get(ranked).and_then(|it| if old { it.old_share } else { it.new_share }).unwrap_or(0.0)
        };
        let share = |of: fn(&super::Versus) -> &Vec<super::Change>| {
            row.versus.iter().map(|versus| change(of(versus))).fold(0.0, f64::max)
        };
        Some(Candidate {
            file: name.file.as_deref().map(base_name).unwrap_or("").to_owned(),
            of_system: name.object.as_deref().is_some_and(is_of_system),
            class: name.class,
            display: name.display,
            shares: (share(|versus| &versus.own), share(|versus| &versus.inclusive)),
            neighbours: neighbours(side, incoming, functions),
        })
    };
    // An address says nothing about what lies there in another build, and libraries of the system are not rebuilt.
    let named = rows.iter().filter_map(candidate).filter(|it| !it.display.starts_with("0x") && !it.of_system);
    named.take(MOST_CANDIDATES).collect()
}

/// Whether a library came with the system: two recordings of one machine have the same.
fn is_of_system(object: &str) -> bool {
    ["/usr/lib", "/lib", "["].iter().any(|start| object.starts_with(start))
}

/// Names of direct callers and callees.
fn neighbours(side: &Side<'_>, incoming: &Adjacency, functions: &[FunctionId]) -> HashSet<String> {
    let analysis = side.analysis;
    let mut names = HashSet::new();
    for &function in functions {
        let callers = incoming.of(function).iter().map(|&row| analysis.calls.caller[row as usize]);
        let callees = analysis.outgoing.of(function).iter().map(|&row| analysis.calls.callee[row as usize]);
        for other in callers.chain(callees).filter(|&other| other != function).take(1000) {
            names.insert(lotse_symbols::without_hash(&display(analysis.profile, other)).into_owned());
        }
    }
    names
}

/// How much speaks for two names of one function. The weights are a judgement: a name says the most, costs alone
/// prove nothing, for the change may have been made to change them.
fn hint(old: &Candidate, new: &Candidate) -> Option<RenameHint> {
    let same_name = likeness(&old.display, &new.display);
    let same_file = !old.file.is_empty() && old.file == new.file;
    let same_class = old.class.is_some() && old.class == new.class;
    let same_cost = nearness(old.shares.0, new.shares.0).max(nearness(old.shares.1, new.shares.1));
    let around = overlap(&old.neighbours, &new.neighbours);
    let together = same_file || same_class;
    let told = (together && same_name >= 0.4) || same_name >= 0.75 || (around >= 0.5 && same_cost >= 0.5);
    let score = 0.4 * same_name + 0.2 * f64::from(u8::from(together)) + 0.15 * same_cost + 0.25 * around;
    let all = [
        (same_name >= 0.5, "similar name"),
        (same_file, "same file"),
        (same_class && !same_file, "same class"),
        (around >= 0.5, "same callers and callees"),
        (same_cost >= 0.8, "similar cost"),
    ];
    let reasons = all.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect();
    (told && score >= LEAST_SCORE).then(|| RenameHint {
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

/// The smaller over the greater.
fn nearness(one: f64, other: f64) -> f64 {
    let greater = one.max(other);
    if greater > 0.0 { one.min(other) / greater } else { 0.0 }
}
