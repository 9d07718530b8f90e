//! Answers of `lotse spy` as JSON has them.
//!
//! Places are spelled out (`src/main.rs:12`), so that a reader needs no table of numbers. Times are nanoseconds since an
//! arbitrary moment that all accesses of one recording share. The schemas are published in `docs/schema`.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::AccessRun;
use crate::container::{AccessKind, Container};
use crate::decode::Coverage;
use crate::instance::{CodeId, CodeTable};
use crate::key_counts::KeyCounts;
use crate::phases::Phase;
use crate::program::{Outcome, SiteSummary};
use crate::protocol::Protocol;
use crate::report::place;
use crate::severity::RunTime;

/// What `lotse spy analyze --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AnalyzeAnswer<'a> {
    schema: &'static str,
    /// The command that was recorded.
    command: &'a [String],
    /// How long it ran, in seconds.
    run_time: RunTime,
    /// Why something is missing, as clauses; empty for a complete recording.
    incomplete: &'a [String],
    /// Accesses to all structures.
    events: u64,
    #[serde(flatten)]
    outcome: &'a Outcome,
    coverage: &'a Coverage,
}

impl<'a> AnalyzeAnswer<'a> {
    /// What was found in a recording.
    #[must_use]
    pub fn new(
        command: &'a [String],
        run_time: RunTime,
        incomplete: &'a [String],
        events: u64,
        outcome: &'a Outcome,
        coverage: &'a Coverage,
    ) -> Self {
        Self { schema: "lotse.spy.analyze/1", command, run_time, incomplete, events, outcome, coverage }
    }
}

/// What `lotse spy coverage --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CoverageAnswer<'a> {
    schema: &'static str,
    #[serde(flatten)]
    coverage: &'a Coverage,
}

impl<'a> CoverageAnswer<'a> {
    /// How much has a name.
    #[must_use]
    pub fn new(coverage: &'a Coverage) -> Self {
        Self { schema: "lotse.spy.coverage/1", coverage }
    }
}

/// What `lotse spy sites --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SitesAnswer {
    schema: &'static str,
    /// Where structures are made; the site with the most accesses first.
    sites: Vec<SiteAnswer>,
}

/// The structures that are made at one site.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SiteAnswer {
    /// File and line.
    place: String,
    container: Container,
    /// How many are made there.
    instances: u64,
    /// How many of them are long enough and accessed often enough for findings.
    relevant: u64,
    /// Accesses to all of them.
    events: u64,
    /// The most elements that one of them had.
    max_length: u64,
    /// Accesses by kind; kinds without accesses are left out.
    kinds: BTreeMap<&'static str, u64>,
    /// Times that memory was replaced by a larger block.
    reallocations: u64,
}

impl SitesAnswer {
    /// The answer about these sites.
    #[must_use]
    pub fn new(sites: &[&SiteSummary], codes: &CodeTable) -> Self {
        let mut sorted: Vec<&&SiteSummary> = sites.iter().collect();
        sorted.sort_by_key(|site| std::cmp::Reverse(site.events));
        let sites = sorted.into_iter().map(|site| SiteAnswer::new(site, codes)).collect();
        Self { schema: "lotse.spy.sites/1", sites }
    }
}

impl SiteAnswer {
    fn new(site: &SiteSummary, codes: &CodeTable) -> Self {
        let kinds = AccessKind::ALL.iter().map(|kind| (kind.name(), site.counts.kind(*kind).events));
        Self {
            place: place(codes, site.site),
            container: site.container,
            instances: site.instances,
            relevant: site.relevant,
            events: site.events,
            max_length: site.max_length,
            kinds: kinds.filter(|(_, events)| *events > 0).collect(),
            reallocations: site.growth.reallocations,
        }
    }
}

/// What `lotse spy phases --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PhasesAnswer {
    schema: &'static str,
    /// Structures; that with the most accesses first. Of each site those with the most accesses are here.
    structures: Vec<StructureAnswer>,
}

impl PhasesAnswer {
    /// The answer about structures of these sites.
    #[must_use]
    pub fn new(sites: &[&SiteSummary], codes: &CodeTable) -> Self {
        let mut protocols: Vec<&Protocol> = sites.iter().flat_map(|site| &site.protocols).collect();
        protocols.sort_by_key(|protocol| std::cmp::Reverse(protocol.events));
        let structures =
            protocols.into_iter().map(|protocol| StructureAnswer::new(protocol, codes)).collect();
        Self { schema: "lotse.spy.phases/1", structures }
    }
}

/// One structure and its phases.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StructureAnswer {
    /// Its number, as `--instance` takes it.
    instance: u64,
    /// Where it is made.
    site: String,
    container: Container,
    /// Bytes of an element; 0 where unknown.
    element_size: u32,
    /// Accesses to it.
    events: u64,
    /// The most elements it ever had.
    max_length: u64,
    /// Its phases, by characteristic and then in the order of time.
    phases: Vec<PhaseAnswer>,
    /// Phases that were found but are not listed, for there are too many; the longest are listed.
    phases_left_out: u64,
}

impl StructureAnswer {
    fn new(protocol: &Protocol, codes: &CodeTable) -> Self {
        let instance = &protocol.instance;
        Self {
            instance: instance.id.0,
            site: place(codes, instance.site),
            container: instance.container,
            element_size: instance.element_size,
            events: protocol.events,
            max_length: protocol.max_length,
            phases: protocol.all_phases().map(|phase| PhaseAnswer::new(phase, codes)).collect(),
            phases_left_out: protocol.phases.iter().map(|list| list.dropped()).sum(),
        }
    }
}

/// One phase, and which code caused it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PhaseAnswer {
    /// What its accesses have in common, such as `linear-read-forward`.
    characteristic: String,
    /// How many accesses belong to it. An access may be in several phases: in a strict and a tolerant one, and in two where the
    /// direction turns.
    events: u64,
    /// The number of its first access in the history, from 0.
    first_event: u64,
    /// The number of its last access.
    last_event: u64,
    begin_ns: u64,
    end_ns: u64,
    /// Nanoseconds of its accesses and of the work between them, long pauses cut.
    busy_ns: u64,
    smallest_index: u64,
    largest_index: u64,
    /// The length of the structure when the phase ended.
    length: u64,
    /// Share of the structure's elements that it passes over.
    coverage: f64,
    /// Which code caused it, most accesses first.
    causes: Vec<CauseAnswer>,
    /// Accesses of further code that is not listed.
    other_causes: u64,
    /// Threads that took part.
    threads: usize,
}

impl PhaseAnswer {
    fn new(phase: &Phase, codes: &CodeTable) -> Self {
        Self {
            characteristic: phase.characteristic.name().to_owned(),
            events: phase.events,
            first_event: phase.span.0,
            last_event: phase.span.1,
            begin_ns: phase.time.0,
            end_ns: phase.time.1,
            busy_ns: phase.busy,
            smallest_index: phase.indices.0,
            largest_index: phase.indices.1,
            length: phase.length,
            coverage: phase.coverage(),
            causes: causes(&phase.codes, codes),
            other_causes: phase.codes.others,
            threads: phase.threads.sorted().len(),
        }
    }
}

/// A place of the code, and how often it accessed a structure.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CauseAnswer {
    place: String,
    /// The library method that is called there, where one is.
    method: Option<String>,
    events: u64,
}

fn causes(counts: &KeyCounts<CodeId>, codes: &CodeTable) -> Vec<CauseAnswer> {
    let cause = |(code, events)| CauseAnswer {
        place: place(codes, code),
        method: codes.method(code).map(str::to_owned),
        events,
    };
    counts.sorted().into_iter().map(cause).collect()
}

/// What `lotse spy history --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HistoryAnswer {
    schema: &'static str,
    #[serde(flatten)]
    structure: StructureAnswer,
    /// All accesses in the order of time, those that differ by equal steps together.
    accesses: Vec<AccessAnswer>,
}

/// Accesses of one kind, thread and call site that follow each other directly, each one step further than the last.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AccessAnswer {
    /// The number of the first, from 0.
    event: u64,
    /// How many.
    count: u64,
    kind: AccessKind,
    /// The system's number of the thread.
    thread: u32,
    /// The position of the first, where there is one and it is known.
    index: Option<u64>,
    /// From one position to the next.
    index_stride: i64,
    /// Elements before the first.
    length: u64,
    /// From one length to the next.
    length_stride: i64,
    begin_ns: u64,
    end_ns: u64,
    place: String,
    method: Option<String>,
}

impl HistoryAnswer {
    /// The history of a structure.
    #[must_use]
    pub fn new(protocol: &Protocol, runs: &[AccessRun], codes: &CodeTable) -> Self {
        let mut event = 0;
        let accesses = runs.iter().map(|run| {
            let answer = AccessAnswer::new(event, run, codes);
            event += run.count;
            answer
        });
        let accesses = accesses.collect();
        Self { schema: "lotse.spy.history/1", structure: StructureAnswer::new(protocol, codes), accesses }
    }
}

impl AccessAnswer {
    fn new(event: u64, run: &AccessRun, codes: &CodeTable) -> Self {
        let first = &run.first;
        Self {
            event,
            count: run.count,
            kind: first.kind,
            thread: first.thread.0,
            index: first.index,
            index_stride: run.index_stride,
            length: first.length,
            length_stride: run.length_stride,
            begin_ns: first.time,
            end_ns: run.last_time,
            place: place(codes, first.code),
            method: codes.method(first.code).map(str::to_owned),
        }
    }
}
