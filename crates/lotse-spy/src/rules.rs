//! What histories show that can be acted on, as rules.
//!
//! A rule is a file with its text ([`Rule`]), its `find` function and its tests, and a line in [`RULES`]. Most rules look at one
//! history at a time; some look at all sites together, since the loops behind them use several structures.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_model::rule::Prior;
use lotse_model::site::SourceSite;
use lotse_report::number::format_count;
use serde::{Deserialize, Serialize};

use crate::instance::{CodeId, CodeTable, InstanceId, LoopId};
use crate::program::SiteSummary;
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::Thresholds;
use crate::severity::{Cost, RunTime};
use crate::tally::Tally;

mod double_lookup;
mod frequent_long_read;
mod frequent_search;
mod front_access;
mod independent_iterations;
mod linear_search_in_sorted;
mod long_insert;
mod map_into_new_vec;
mod missing_capacity;
mod queue;
mod reduction;
mod remove_front;
mod sort_after_insert;
mod stack;
mod vec_as_set;
mod write_without_read;

/// A rule with the code that applies it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its text.
    pub rule: &'static Rule,
    pub(crate) find: Find,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Find {
    /// The history of one instance that passed the filters.
    History(fn(&Context<'_>) -> Option<Match>),
    /// All sites.
    Program(fn(&Whole<'_>) -> Result<Vec<Found>, CannotLook>),
}

/// Why a rule cannot look at a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CannotLook {
    #[error("the recording has no borders of loop iterations")]
    NoIterations,
}

/// A match at a site, with the order number and the instance it is about.
pub(crate) type Found = (usize, (u64, InstanceId), Match);

/// All rules of spy.
pub const RULES: &[Entry] = &[
    Entry { rule: &long_insert::RULE, find: Find::History(long_insert::find) },
    Entry { rule: &queue::RULE, find: Find::History(queue::find) },
    Entry { rule: &sort_after_insert::RULE, find: Find::History(sort_after_insert::find) },
    Entry { rule: &frequent_search::RULE, find: Find::History(frequent_search::find) },
    Entry { rule: &frequent_long_read::RULE, find: Find::History(frequent_long_read::find) },
    Entry { rule: &front_access::RULE, find: Find::History(front_access::find) },
    Entry { rule: &stack::RULE, find: Find::History(stack::find) },
    Entry { rule: &write_without_read::RULE, find: Find::History(write_without_read::find) },
    Entry { rule: &missing_capacity::RULE, find: Find::Program(missing_capacity::find) },
    Entry { rule: &vec_as_set::RULE, find: Find::History(vec_as_set::find) },
    Entry { rule: &remove_front::RULE, find: Find::History(remove_front::find) },
    Entry { rule: &double_lookup::RULE, find: Find::History(double_lookup::find) },
    Entry { rule: &linear_search_in_sorted::RULE, find: Find::History(linear_search_in_sorted::find) },
    Entry { rule: &map_into_new_vec::RULE, find: Find::Program(map_into_new_vec::find) },
    Entry { rule: &reduction::RULE, find: Find::Program(reduction::find) },
    Entry { rule: &independent_iterations::RULE, find: Find::Program(independent_iterations::find) },
];

/// The rules, and the text about histories and phases.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    std::iter::once(&crate::phases::RULE).chain(RULES.iter().map(|entry| entry.rule))
}

/// Nothing was learned about a rule yet; its author expects its advice to help every other time.
pub(crate) const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

/// The thesis's own evaluation: 24 findings, 20 of them useful.
const THESIS_PRIOR: Prior = Prior { helped: 20.0, failed: 4.0 };

/// A history that rules look at.
pub(crate) struct Context<'a> {
    pub(crate) protocol: &'a Protocol,
    pub(crate) thresholds: &'a Thresholds,
    pub(crate) codes: &'a CodeTable,
}

/// All sites of a program.
pub(crate) struct Whole<'a> {
    pub(crate) sites: &'a [SiteSummary],
    pub(crate) thresholds: &'a Thresholds,
    pub(crate) codes: &'a CodeTable,
    pub(crate) time: RunTime,
}

impl Whole<'_> {
    /// The kept protocols that pass the filters, each with the number of its site.
    fn relevant(&self) -> impl Iterator<Item = (usize, &Protocol)> {
        let sites = self.sites.iter().enumerate();
        let all =
            sites.flat_map(|(number, site)| site.protocols.iter().map(move |protocol| (number, protocol)));
        all.filter(|(_, protocol)| protocol.is_relevant(self.thresholds))
    }
}

/// The place that a finding names first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Main {
    /// Where the structure is created: another type or a capacity is chosen there.
    Creation,
    /// The line that accesses it.
    Cause,
    /// A loop in a function further out, which accesses it through that line.
    Loop(LoopId),
}

/// The loop whose iterations would be divided among threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Carried {
    /// None, or it is not known.
    NotKnown,
    By(LoopId),
    Phases(PhaseLoops),
}

/// The loops that make phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseLoops {
    /// The loop of which one execution makes a phase; nothing where it is not known.
    pub(crate) by: Option<LoopId>,
    pub(crate) innermost: Innermost,
}

/// The innermost loops around accesses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Innermost {
    pub(crate) loops: BTreeSet<LoopId>,
    /// Accesses that are in none of these loops, as far as is known.
    pub(crate) others: u64,
}

impl Innermost {
    fn of_phases(phases: &PhaseSum) -> Self {
        let counted = phases.loops.total() - phases.loops.others;
        let loops = phases.loops.sorted().into_iter().map(|(of_loop, _)| of_loop).collect();
        Self { loops, others: phases.events.saturating_sub(counted) }
    }

    /// Takes those of further accesses in.
    pub(crate) fn add(&mut self, other: &Self) {
        self.loops.extend(&other.loops);
        self.others += other.others;
    }
}

impl Carried {
    fn of_phases(codes: &CodeTable, phases: &PhaseSum) -> Self {
        let by = crate::places::loop_of_phases(codes, phases);
        Self::Phases(PhaseLoops { by, innermost: Innermost::of_phases(phases) })
    }

    /// The innermost loops around the accesses of phases, or the loop itself; none where nothing is known.
    pub(crate) fn innermost(&self) -> Innermost {
        match self {
            Self::Phases(phases) => phases.innermost.clone(),
            Self::By(of_loop) => Innermost { loops: BTreeSet::from([*of_loop]), others: 0 },
            Self::NotKnown => Innermost::default(),
        }
    }
}

/// A rule that fired.
#[derive(Debug, Clone)]
pub(crate) struct Match {
    pub(crate) main: Main,
    pub(crate) carried: Carried,
    pub(crate) level: Level,
    pub(crate) cost: Cost,
    pub(crate) certainty: f64,
    pub(crate) text: String,
    pub(crate) data: Vec<(&'static str, f64)>,
    pub(crate) recommendation: String,
    /// Which code caused it.
    pub(crate) codes: Tally<CodeId>,
}

/// `the Vec created at main.rs:12`.
fn subject(codes: &CodeTable, protocol: &Protocol) -> String {
    let name = protocol.instance.container.name();
    match place(codes, protocol.instance.site) {
        Some(place) => format!("the {name} created at {place}"),
        None => format!("a {name} whose place of creation is not known"),
    }
}

/// Whether one call of the library writes many elements of which none is computed.
pub(crate) fn is_fill(codes: &CodeTable, code: CodeId) -> bool {
    const METHODS: [&str; 9] = [
        "append",
        "clone",
        "extend_from_slice",
        "extend_from_within",
        "from_elem",
        "into_boxed_slice",
        "push_str",
        "resize",
        "to_vec",
    ];
    codes.method(code).is_some_and(|method| METHODS.contains(&method))
}

/// The calls that can insert or delete at the front of a row; all of them where none of their names tells.
fn at_front(codes: &CodeTable, calls: &Tally<CodeId>) -> Tally<CodeId> {
    const AT_BACK: [&str; 10] = [
        "append",
        "extend",
        "extend_from_slice",
        "pop",
        "push",
        "push_str",
        "resize",
        "resize_with",
        "split_off",
        "truncate",
    ];
    let mut front = Tally::default();
    for (code, count) in calls.sorted() {
        if codes.method(code).is_none_or(|method| !AT_BACK.contains(&method)) {
            front.add(code, count);
        }
    }
    front.others = calls.others;
    if front.total() == 0 { calls.clone() } else { front }
}

/// `main.rs:12`; a dependency's file with its crate, `delaunator-1.1.0/src/lib.rs:495`: most crates have a lib.rs.
pub(crate) fn place(codes: &CodeTable, code: CodeId) -> Option<String> {
    codes.site(code).map(place_of_site)
}

pub(crate) fn place_of_site(site: &SourceSite) -> String {
    let file = file_of_dependency(&site.file);
    let file = file.or_else(|| site.file.rsplit(['/', '\\']).next()).unwrap_or(&site.file);
    site.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// What follows cargo's folder of a registry.
pub(crate) fn file_of_dependency(file: &str) -> Option<&str> {
    let (_, in_registries) = file.split_once("/registry/src/")?;
    in_registries.split_once('/').map(|(_, file)| file)
}

/// The place that caused most.
fn cause(codes: &CodeTable, causes: &Tally<CodeId>) -> String {
    crate::places::cause_at(codes, causes, Main::Cause)
}

/// `1 phase`, `1,200 phases`.
fn counted(count: u64, one: &str) -> String {
    let ending = if count == 1 {
        ""
    } else if one.ends_with("ss") {
        "es"
    } else {
        "s"
    };
    format!("{} {one}{ending}", format_count(count as f64))
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
mod tests;
