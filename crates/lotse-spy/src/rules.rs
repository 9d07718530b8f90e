//! The rules that detect improvable uses of data structures.
//!
//! A rule consists of a file with its text ([`Rule`]), its `find` function and its tests, and a line in [`RULES`]. Most rules
//! examine one history at a time; some examine all sites together, because a loop may use several structures.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_model::rule::Prior;
use lotse_model::site::SourceSite;
use lotse_report::number::format_count;
use serde::{Deserialize, Serialize};

use crate::instance::{CodeId, CodeTable, InstanceId, LoopId};
use crate::key_counts::KeyCounts;
use crate::program::SiteSummary;
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::Thresholds;
use crate::severity::{FindingCost, RunTime};

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
pub struct SpyRule {
    /// Its text.
    pub rule: &'static Rule,
    pub(crate) find: Finder,
}

/// The function that applies a rule, and what it examines.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Finder {
    /// Examines the history of one instance that passed the filters.
    History(fn(&HistoryContext<'_>) -> Option<RuleMatch>),
    /// Examines all sites.
    Program(fn(&ProgramContext<'_>) -> Result<Vec<SiteMatch>, NotApplicable>),
}

/// Why a rule cannot be applied to a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotApplicable {
    #[error("the recording has no borders of loop iterations")]
    NoIterations,
}

/// The number of a site, the order number and instance, and the match.
pub(crate) type SiteMatch = (usize, (u64, InstanceId), RuleMatch);

/// All rules of `lotse spy`.
pub const RULES: &[SpyRule] = &[
    SpyRule { rule: &long_insert::RULE, find: Finder::History(long_insert::find) },
    SpyRule { rule: &queue::RULE, find: Finder::History(queue::find) },
    SpyRule { rule: &sort_after_insert::RULE, find: Finder::History(sort_after_insert::find) },
    SpyRule { rule: &frequent_search::RULE, find: Finder::History(frequent_search::find) },
    SpyRule { rule: &frequent_long_read::RULE, find: Finder::History(frequent_long_read::find) },
    SpyRule { rule: &front_access::RULE, find: Finder::History(front_access::find) },
    SpyRule { rule: &stack::RULE, find: Finder::History(stack::find) },
    SpyRule { rule: &write_without_read::RULE, find: Finder::History(write_without_read::find) },
    SpyRule { rule: &missing_capacity::RULE, find: Finder::Program(missing_capacity::find) },
    SpyRule { rule: &vec_as_set::RULE, find: Finder::History(vec_as_set::find) },
    SpyRule { rule: &remove_front::RULE, find: Finder::History(remove_front::find) },
    SpyRule { rule: &double_lookup::RULE, find: Finder::History(double_lookup::find) },
    SpyRule { rule: &linear_search_in_sorted::RULE, find: Finder::History(linear_search_in_sorted::find) },
    SpyRule { rule: &map_into_new_vec::RULE, find: Finder::Program(map_into_new_vec::find) },
    SpyRule { rule: &reduction::RULE, find: Finder::Program(reduction::find) },
    SpyRule { rule: &independent_iterations::RULE, find: Finder::Program(independent_iterations::find) },
];

/// The texts of all rules, preceded by that about histories and phases.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    std::iter::once(&crate::phases::RULE).chain(RULES.iter().map(|entry| entry.rule))
}

/// The prior of a rule without evidence: its advice is expected to help half of the time.
pub(crate) const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

/// The evaluation in the thesis that the rule is from: 24 findings, of which 20 were useful.
const THESIS_PRIOR: Prior = Prior { helped: 20.0, failed: 4.0 };

/// A history that a rule examines.
pub(crate) struct HistoryContext<'a> {
    pub(crate) protocol: &'a Protocol,
    pub(crate) thresholds: &'a Thresholds,
    pub(crate) codes: &'a CodeTable,
}

/// All sites of a program, for rules that examine them together.
pub(crate) struct ProgramContext<'a> {
    pub(crate) sites: &'a [SiteSummary],
    pub(crate) thresholds: &'a Thresholds,
    pub(crate) codes: &'a CodeTable,
    pub(crate) time: RunTime,
}

impl ProgramContext<'_> {
    /// The kept protocols that pass the filters, with the number of their site.
    fn relevant(&self) -> impl Iterator<Item = (usize, &Protocol)> {
        let sites = self.sites.iter().enumerate();
        let all =
            sites.flat_map(|(number, site)| site.protocols.iter().map(move |protocol| (number, protocol)));
        all.filter(|(_, protocol)| protocol.is_relevant(self.thresholds))
    }
}

/// The place that a finding names first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrimarySite {
    /// Where the structure is created: that is where another type or a capacity is chosen.
    Creation,
    /// The line that accesses it.
    Cause,
    /// A loop in a calling function, which accesses the structure through that line.
    Loop(LoopId),
}

/// The loop whose iterations would be divided among threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParallelLoop {
    /// There is no such loop, or it is not known.
    Unknown,
    Single(LoopId),
    OfPhases(PhaseLoops),
}

/// The loops that make phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseLoops {
    /// The loop of which one execution makes a phase; `None` if it is not known.
    pub(crate) made_by: Option<LoopId>,
    pub(crate) innermost: InnermostLoops,
}

/// The innermost loops around accesses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InnermostLoops {
    pub(crate) loops: BTreeSet<LoopId>,
    /// Number of accesses that are not known to be in one of these loops.
    pub(crate) others: u64,
}

impl InnermostLoops {
    fn from_phases(phases: &PhaseSum) -> Self {
        let counted = phases.loops.total() - phases.loops.others;
        let loops = phases.loops.sorted().into_iter().map(|(loop_id, _)| loop_id).collect();
        Self { loops, others: phases.events.saturating_sub(counted) }
    }

    /// Adds the loops of further accesses.
    pub(crate) fn add(&mut self, other: &Self) {
        self.loops.extend(&other.loops);
        self.others += other.others;
    }
}

impl ParallelLoop {
    fn from_phases(codes: &CodeTable, phases: &PhaseSum) -> Self {
        let made_by = crate::places::loop_of_phases(codes, phases);
        Self::OfPhases(PhaseLoops { made_by, innermost: InnermostLoops::from_phases(phases) })
    }

    /// The innermost loops around the accesses of phases, or the loop itself; empty if unknown.
    pub(crate) fn innermost(&self) -> InnermostLoops {
        match self {
            Self::OfPhases(phases) => phases.innermost.clone(),
            Self::Single(loop_id) => InnermostLoops { loops: BTreeSet::from([*loop_id]), others: 0 },
            Self::Unknown => InnermostLoops::default(),
        }
    }
}

/// The match of a rule that fired.
#[derive(Debug, Clone)]
pub(crate) struct RuleMatch {
    pub(crate) primary_site: PrimarySite,
    pub(crate) parallel_loop: ParallelLoop,
    pub(crate) level: Level,
    pub(crate) cost: FindingCost,
    pub(crate) certainty: f64,
    pub(crate) text: String,
    pub(crate) data: Vec<(&'static str, f64)>,
    pub(crate) recommendation: String,
    /// The accesses that caused it, by code place.
    pub(crate) codes: KeyCounts<CodeId>,
}

/// `the Vec created at main.rs:12`.
fn subject(codes: &CodeTable, protocol: &Protocol) -> String {
    let name = protocol.instance.container.name();
    match place(codes, protocol.instance.site) {
        Some(place) => format!("the {name} created at {place}"),
        None => format!("a {name} whose place of creation is not known"),
    }
}

/// Whether a library call writes many elements without computing each of them.
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

/// The calls that can insert or delete at the front, judging by the method; all of them if no method can.
fn at_front(codes: &CodeTable, calls: &KeyCounts<CodeId>) -> KeyCounts<CodeId> {
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
    let mut front = KeyCounts::default();
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

/// The same for a source position.
pub(crate) fn place_of_site(site: &SourceSite) -> String {
    let file = file_of_dependency(&site.file);
    let file = file.or_else(|| site.file.rsplit(['/', '\\']).next()).unwrap_or(&site.file);
    site.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// The path of a dependency's file below cargo's registry folder.
pub(crate) fn file_of_dependency(file: &str) -> Option<&str> {
    let (_, in_registries) = file.split_once("/registry/src/")?;
    in_registries.split_once('/').map(|(_, file)| file)
}

/// The line with the most accesses.
fn cause(codes: &CodeTable, causes: &KeyCounts<CodeId>) -> String {
    crate::places::cause_at(codes, causes, PrimarySite::Cause)
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
