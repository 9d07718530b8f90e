//! Merges the matches of one rule at one site into a finding.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Reason};
use lotse_model::site::{Site, SourceSite};
use lotse_model::unit::Share;
use lotse_report::number::format_seconds;
use serde::{Deserialize, Serialize};

use super::{MatchKey, SiteSummary, SpyFinding, Status};
use crate::instance::{CodeId, CodeTable, InstanceId, LoopId};
use crate::key_counts::KeyCounts;
use crate::nesting::IterationOrder;
use crate::protocol::Protocol;
use crate::rules::{InnermostLoops, ParallelLoop, PhaseLoops, PrimarySite, RuleMatch};
use crate::samples::SampledTime;
use crate::settings::Thresholds;
use crate::severity::{self, CallPart, FindingCost, ParallelTime, RunTime};

/// The merged matches of one rule at one site and line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MergedMatches {
    /// The match of the instance with the most accesses.
    #[serde(with = "super::stored::history")]
    pub(super) representative: Representative,
    order: u64,
    instance: InstanceId,
    instances: u64,
    /// The instance of the last match.
    last: InstanceId,
    weight: MergedCost,
}

/// The summed cost of matches, and the loops and code places of their accesses.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MergedCost {
    cost: FindingCost,
    /// The innermost loops around the accesses.
    innermost: InnermostLoops,
    /// Accesses by code place.
    codes: KeyCounts<CodeId>,
}

impl MergedCost {
    pub(super) fn new(found: &RuleMatch) -> Self {
        Self { cost: found.cost, innermost: found.parallel_loop.innermost(), codes: found.codes.clone() }
    }

    fn add(&mut self, other: &Self) {
        self.cost.accesses += other.cost.accesses;
        self.cost.busy = match (self.cost.busy, other.cost.busy) {
            (Some(before), Some(busy)) => Some(before.plus(busy)),
            (before, busy) => before.or(busy),
        };
        self.innermost.add(&other.innermost);
        self.codes.merge(&other.codes);
    }
}

/// Factor on the certainty of findings about phases that are too short to be divided among threads.
const SHORT: f64 = 0.2;

const NO_RUN_TIME: &str = "the run time without recording was not measured";

/// The match that a finding is formulated from.
#[derive(Debug)]
pub(super) enum Representative {
    /// A match of a rule about the whole program.
    Match(Box<RuleMatch>),
    /// The history that a rule about one history matched.
    History(Arc<Protocol>),
}

/// Merges a match. It becomes the representative if its instance has more accesses than those before.
pub(super) fn add_match(
    matches: &mut BTreeMap<MatchKey, MergedMatches>,
    key: MatchKey,
    weight: MergedCost,
    (order, instance): (u64, InstanceId),
    representative: impl FnOnce() -> Representative,
) {
    match matches.entry(key) {
        Entry::Vacant(entry) => {
            let (representative, instances, last) = (representative(), 1, instance);
            entry.insert(MergedMatches { representative, order, instance, instances, last, weight });
        }
        Entry::Occupied(entry) => {
            let merged = entry.into_mut();
            merged.add(&weight, instance);
            if order > merged.order {
                (merged.representative, merged.order, merged.instance) = (representative(), order, instance);
            }
        }
    }
}

impl MergedMatches {
    fn add(&mut self, weight: &MergedCost, instance: InstanceId) {
        // The matches of one instance are added consecutively.
        self.instances += u64::from(instance != self.last);
        self.last = instance;
        self.weight.add(weight);
    }

    /// The library calls that the matches are about.
    pub(super) fn calls(&self) -> Option<(CallPart, &KeyCounts<CodeId>)> {
        Some((self.weight.cost.calls?, &self.weight.codes))
    }

    /// The cost, with the time in the loops that make the phases where these are known.
    ///
    /// If the iterations of a loop can be divided among threads, everything that the loop does between two accesses is divided,
    /// too, so the whole time of the loop counts. Phases never take longer than their loops.
    fn cost(&self, first: &RuleMatch, codes: &CodeTable, time: RunTime) -> FindingCost {
        let Some(busy) = self.weight.cost.busy else { return self.weight.cost };
        let (loops, is_single) = match &first.parallel_loop {
            ParallelLoop::Unknown => return self.weight.cost,
            // Each match has a loop of its own.
            ParallelLoop::Single(_) if self.instances > 1 => {
                let loops: Vec<LoopId> = self.weight.innermost.loops.iter().copied().collect();
                let sampled = codes.samples.time_in_loops(&loops);
                return FindingCost { within: Some(busy.time), sampled, ..self.weight.cost };
            }
            ParallelLoop::Single(loop_id) => (vec![*loop_id], true),
            ParallelLoop::OfPhases(phases) => {
                let loops = self.loops(phases);
                let is_single = loops.len() == 1 && phases.made_by.is_some();
                (loops, is_single)
            }
        };
        let all: Option<Vec<LoopTime>> = loops.iter().map(|it| LoopTime::new(*it, codes, time)).collect();
        match all.filter(|all| !all.is_empty()) {
            Some(all) => {
                let (busy, loops) = in_loops(busy, &all, is_single);
                let within = all.iter().map(|it| it.spent.time).sum();
                FindingCost {
                    busy,
                    within: Some(within),
                    sampled: sampled(busy, &loops, codes),
                    ..self.weight.cost
                }
            }
            None => self.weight.cost,
        }
    }

    /// The loops that make the phases: that of the representative match and those around the accesses of the others; empty if they
    /// are not all known.
    fn loops(&self, representative: &PhaseLoops) -> Vec<LoopId> {
        let further = || self.weight.innermost.loops.difference(&representative.innermost.loops).copied();
        match representative.made_by {
            Some(by) if self.instances == 1 => vec![by],
            _ if self.weight.innermost.others > 0 => Vec::new(),
            Some(by) => std::iter::once(by).chain(further()).collect(),
            None => self.weight.innermost.loops.iter().copied().collect(),
        }
    }

    /// The finding about these matches, in the words of the representative one (`first`). `all` is the modelled cost of all
    /// accesses of the program in nanoseconds.
    pub(super) fn finish(
        &self,
        first: &RuleMatch,
        rule: &'static Rule,
        site: &SiteSummary,
        codes: &CodeTable,
        (all, time, thresholds): (f64, RunTime, &Thresholds),
    ) -> SpyFinding {
        let more = match self.instances {
            1 => String::new(),
            2 => "; 1 more instance of this site does so too".to_owned(),
            count => format!("; {} more instances of this site do so too", count - 1),
        };
        let name = rule.id.trim_start_matches("spy-").replace('-', " ");
        let mut data = first.data.clone();
        data.extend([("order_number", self.order as f64), ("instances", self.instances as f64)]);
        let cost = FindingCost { in_calls: first.cost.in_calls, ..self.cost(first, codes, time) };
        let sampled = severity::sampled_calls(&cost, all, time).or(cost.sampled);
        data.push(("access_seconds", cost.accesses / 1e9));
        data.extend(cost.busy.map(|busy| ("phase_seconds", busy.time as f64 / 1e9)));
        data.extend(sampled.iter().flat_map(SampledTime::data));
        let short = too_short(&cost, thresholds.grain, time);
        data.extend(short.map(|each| ("one_phase_seconds", each / 1e9)));
        let is_doubtful = short.is_some() && cost.busy.is_some_and(|busy| !busy.has_alternative);
        let certainty = if is_doubtful { SHORT * first.certainty } else { first.certainty };
        let but = short.map_or_else(String::new, |each| {
            format!("; but one lasts about {}, too short to start threads for", format_seconds(each / 1e9))
        });
        let severity = severity::severity(&cost, all, time, codes.samples.count());
        let finding = Finding {
            rule: rule.into(),
            level: first.level,
            sites: sites(first, site, codes),
            no_severity: severity.is_none().then(|| NO_RUN_TIME.to_owned()),
            severity,
            certainty: Share::clamped(certainty),
            reason: Reason::new(format!("{name}: {}{more}", first.text), data),
            recommendation: first.recommendation.clone() + &but,
            evidence: Vec::new(),
            verification: Some("lotse bench ./before ./after".to_owned()),
        };
        let (order, instances, instance) = (self.order, self.instances, self.instance);
        let through = through(first, codes);
        SpyFinding { finding, order, instances, instance, through, status: Status::Unverified }
    }
}

/// The time in a loop, and whether its iterations must run in order.
#[derive(Debug, Clone, Copy)]
struct LoopTime {
    loop_id: LoopId,
    spent: ParallelTime,
    order: IterationOrder,
}

impl LoopTime {
    /// `None` for a library loop that is called from several lines, because its time is that of all of them.
    fn new(loop_id: LoopId, codes: &CodeTable, time: RunTime) -> Option<Self> {
        let stats = codes.loops.site(loop_id).and_then(|_| codes.loops.stats(loop_id))?;
        Some(Self { loop_id, spent: ParallelTime::from_loop(&stats, time), order: stats.order })
    }
}

/// The time of phases that could be divided among threads, and the loops it is spent in.
///
/// Loops whose iterations must run in order do not count if other loops make the phases, too. If all must run in order, the
/// time counts only for a single loop and if threads are the only advice; otherwise it is `None`. Where one loop makes all
/// phases (`is_single`), the time that it spends between phases counts, too.
fn in_loops(busy: ParallelTime, all: &[LoopTime], is_single: bool) -> (Option<ParallelTime>, Vec<LoopTime>) {
    let (ordered, free): (Vec<LoopTime>, Vec<LoopTime>) =
        all.iter().partition(|it| it.order == IterationOrder::Required);
    let Some(whole) = free.iter().map(|it| it.spent).reduce(ParallelTime::plus) else {
        // A single loop may still be divided if it only carries a reduction, such as a sum.
        let whole = ordered.iter().map(|it| it.spent).reduce(ParallelTime::plus);
        let whole = whole.filter(|_| is_single && !busy.has_alternative);
        return (whole.map(|whole| if whole.time > busy.time { whole } else { busy }), ordered);
    };
    if is_single && whole.time > busy.time {
        return (Some(ParallelTime { has_alternative: busy.has_alternative, ..whole }), free);
    }
    (Some(ParallelTime { time: busy.time.min(whole.time), ..busy }), free)
}

/// The time in loops by samples of the unrecorded run, scaled by the share of that time that the phases had in the recording.
fn sampled(busy: Option<ParallelTime>, loops: &[LoopTime], codes: &CodeTable) -> Option<SampledTime> {
    let whole: u64 = loops.iter().map(|it| it.spent.time).sum();
    let numbers: Vec<LoopId> = loops.iter().map(|it| it.loop_id).collect();
    let sampled = codes.samples.time_in_loops(&numbers)?;
    Some(sampled.with_part(busy.map_or(1.0, |busy| busy.time as f64 / whole.max(1) as f64)))
}

/// The duration of one phase in nanoseconds, if it is too short to be divided among threads.
fn too_short(cost: &FindingCost, grain: f64, time: RunTime) -> Option<f64> {
    let each = cost.busy.filter(|busy| busy.parts > 0)?.per_part(cost.sampled, time);
    // Less than a nanosecond means that there was no sample.
    (1.0..grain).contains(&each).then_some(each)
}

/// The line through which the loop accesses the structure, if a loop is the primary site.
fn through(first: &RuleMatch, codes: &CodeTable) -> Option<SourceSite> {
    let is_loop = matches!(first.primary_site, PrimarySite::Loop(_));
    let line = first.codes.most().filter(|_| is_loop).and_then(|code| codes.site(code));
    line.cloned()
}

/// The sites of a finding, the primary one first: loop, code that accesses most, or creation site.
fn sites(first: &RuleMatch, site: &SiteSummary, codes: &CodeTable) -> Vec<Site> {
    let created = codes.site(site.site);
    let causes: Vec<&SourceSite> =
        first.codes.sorted().iter().filter_map(|(code, _)| codes.site(*code)).take(3).collect();
    let ordered = match first.primary_site {
        PrimarySite::Creation => created.into_iter().chain(causes).collect(),
        PrimarySite::Cause => causes.into_iter().chain(created).collect::<Vec<_>>(),
        PrimarySite::Loop(loop_id) => {
            let around = codes.loops.site(loop_id).into_iter();
            around.chain(causes).chain(created).collect()
        }
    };
    let mut sites: Vec<Site> = Vec::new();
    for place in ordered {
        let place = Site::Source(place.clone());
        if !sites.contains(&place) {
            sites.push(place);
        }
    }
    if sites.is_empty() {
        sites.push(Site::Region {
            process: None,
            path: vec![format!("a {} without a known place", site.container.name())],
        });
    }
    sites
}
