//! Matches of one rule at one site, and the finding they become.

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
use crate::nesting::Order;
use crate::protocol::Protocol;
use crate::rules::{Carried, Innermost, Main, Match, PhaseLoops};
use crate::samples::Sampled;
use crate::settings::Thresholds;
use crate::severity::{self, Busy, Calls, Cost, RunTime};
use crate::tally::Tally;

/// Matches of one rule at one site.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Merged {
    /// That of the instance with the most accesses.
    #[serde(with = "super::stored::history")]
    pub(super) shown: Shown,
    order: u64,
    instance: InstanceId,
    instances: u64,
    /// The instance of the last match.
    last: InstanceId,
    weight: Weight,
}

/// What matches cost, and where.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Weight {
    cost: Cost,
    /// Loops around the accesses of all phases.
    innermost: Innermost,
    /// Accesses by code.
    codes: Tally<CodeId>,
}

impl Weight {
    pub(super) fn new(found: &Match) -> Self {
        Self { cost: found.cost, innermost: found.carried.innermost(), codes: found.codes.clone() }
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

/// By how much less certain is it that what is too short for threads gets faster by them.
const SHORT: f64 = 0.2;

/// What a finding shows.
#[derive(Debug)]
pub(super) enum Shown {
    /// A match of a rule about the whole program.
    Match(Box<Match>),
    /// The history that a rule about one history matches.
    History(Arc<Protocol>),
}

/// Takes a match in. It is the one to show if its instance has more accesses than those before.
pub(super) fn merge(
    matches: &mut BTreeMap<MatchKey, Merged>,
    key: MatchKey,
    weight: Weight,
    (order, instance): (u64, InstanceId),
    shown: impl FnOnce() -> Shown,
) {
    match matches.entry(key) {
        Entry::Vacant(entry) => {
            let (shown, instances, last) = (shown(), 1, instance);
            entry.insert(Merged { shown, order, instance, instances, last, weight });
        }
        Entry::Occupied(entry) => {
            let merged = entry.into_mut();
            merged.add(&weight, instance);
            if order > merged.order {
                (merged.shown, merged.order, merged.instance) = (shown(), order, instance);
            }
        }
    }
}

impl Merged {
    fn add(&mut self, weight: &Weight, instance: InstanceId) {
        // Matches of one instance come one after the other.
        self.instances += u64::from(instance != self.last);
        self.last = instance;
        self.weight.add(weight);
    }

    /// The calls of the library that it is about.
    pub(super) fn calls(&self) -> Option<(Calls, &Tally<CodeId>)> {
        Some((self.weight.cost.calls?, &self.weight.codes))
    }

    /// The cost with the whole time of the loop that makes the phases, if its iterations can be divided among threads: what it
    /// does between two accesses is divided too, however long it takes. Phases take no longer than their loops.
    fn cost(&self, first: &Match, codes: &CodeTable, time: RunTime) -> Cost {
        let Some(busy) = self.weight.cost.busy else { return self.weight.cost };
        let (loops, is_one) = match &first.carried {
            Carried::NotKnown => return self.weight.cost,
            // A loop for each of the matches.
            Carried::By(_) if self.instances > 1 => {
                let loops: Vec<LoopId> = self.weight.innermost.loops.iter().copied().collect();
                let sampled = codes.samples.of_loops(&loops);
                return Cost { within: Some(busy.time), sampled, ..self.weight.cost };
            }
            Carried::By(of_loop) => (vec![*of_loop], true),
            Carried::Phases(phases) => {
                let loops = self.loops(phases);
                let is_one = loops.len() == 1 && phases.by.is_some();
                (loops, is_one)
            }
        };
        let all: Option<Vec<LoopTime>> = loops.iter().map(|it| LoopTime::new(*it, codes, time)).collect();
        match all.filter(|all| !all.is_empty()) {
            Some(all) => {
                let (busy, loops) = in_loops(busy, &all, is_one);
                let within = all.iter().map(|it| it.whole.time).sum();
                Cost { busy, within: Some(within), sampled: sampled(busy, &loops, codes), ..self.weight.cost }
            }
            None => self.weight.cost,
        }
    }

    /// The loops that make phases: the one that makes those which are shown, and those around accesses elsewhere; none where they
    /// are not known.
    fn loops(&self, shown: &PhaseLoops) -> Vec<LoopId> {
        let further = || self.weight.innermost.loops.difference(&shown.innermost.loops).copied();
        match shown.by {
            Some(by) if self.instances == 1 => vec![by],
            _ if self.weight.innermost.others > 0 => Vec::new(),
            Some(by) => std::iter::once(by).chain(further()).collect(),
            None => self.weight.innermost.loops.iter().copied().collect(),
        }
    }

    /// The finding about these matches, with the words of one of them.
    pub(super) fn finish(
        &self,
        first: &Match,
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
        let cost = Cost { in_calls: first.cost.in_calls, ..self.cost(first, codes, time) };
        let sampled = severity::told_calls(&cost, all, time).or(cost.sampled);
        data.push(("access_seconds", cost.accesses / 1e9));
        data.extend(cost.busy.map(|busy| ("phase_seconds", busy.time as f64 / 1e9)));
        data.extend(sampled.iter().flat_map(Sampled::data));
        let short = too_short(&cost, thresholds.grain, time);
        data.extend(short.map(|each| ("one_phase_seconds", each / 1e9)));
        let is_doubtful = short.is_some() && cost.busy.is_some_and(|busy| !busy.has_alternative);
        let certainty = if is_doubtful { SHORT * first.certainty } else { first.certainty };
        let but = short.map_or_else(String::new, |each| {
            format!("; but one lasts about {}, too short to start threads for", format_seconds(each / 1e9))
        });
        let finding = Finding {
            rule: rule.into(),
            level: first.level,
            sites: sites(first, site, codes),
            severity: severity::share(&cost, all, time, codes.samples.count()),
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

/// The time in a loop, and what the order of its iterations matters for.
#[derive(Debug, Clone, Copy)]
struct LoopTime {
    of_loop: LoopId,
    whole: Busy,
    order: Order,
}

impl LoopTime {
    /// A loop of the library that several lines call takes the time of all of them, and tells nothing.
    fn new(of_loop: LoopId, codes: &CodeTable, time: RunTime) -> Option<Self> {
        let run = codes.loops.site(of_loop).and_then(|_| codes.loops.run(of_loop))?;
        Some(Self { of_loop, whole: Busy::of_loop(&run, time), order: run.order })
    }
}

/// The time of phases that these loops make, and the loops that it is in; nothing where they need their order and there is advice
/// that does not change it. Where one loop makes them all, what it does between phases counts too.
fn in_loops(busy: Busy, all: &[LoopTime], is_one: bool) -> (Option<Busy>, Vec<LoopTime>) {
    let (needed, free): (Vec<LoopTime>, Vec<LoopTime>) =
        all.iter().partition(|of_loop| of_loop.order == Order::Needed);
    let Some(whole) = free.iter().map(|of_loop| of_loop.whole).reduce(Busy::plus) else {
        // One loop, divided if what it hands on can be divided: a sum, say.
        let whole = needed.iter().map(|of_loop| of_loop.whole).reduce(Busy::plus);
        let whole = whole.filter(|_| is_one && !busy.has_alternative);
        return (whole.map(|whole| if whole.time > busy.time { whole } else { busy }), needed);
    };
    if is_one && whole.time > busy.time {
        return (Some(Busy { has_alternative: busy.has_alternative, ..whole }), free);
    }
    (Some(Busy { time: busy.time.min(whole.time), ..busy }), free)
}

/// The time in loops by samples of the unrecorded run: all of it, or the part that phases had of it in the recording.
fn sampled(busy: Option<Busy>, loops: &[LoopTime], codes: &CodeTable) -> Option<Sampled> {
    let whole: u64 = loops.iter().map(|of_loop| of_loop.whole.time).sum();
    let numbers: Vec<LoopId> = loops.iter().map(|of_loop| of_loop.of_loop).collect();
    let sampled = codes.samples.of_loops(&numbers)?;
    Some(sampled.part(busy.map_or(1.0, |busy| busy.time as f64 / whole.max(1) as f64)))
}

/// Nanoseconds of a phase, if they are too few to divide it among threads.
fn too_short(cost: &Cost, grain: f64, time: RunTime) -> Option<f64> {
    let each = cost.busy.filter(|busy| busy.parts > 0)?.of_each(cost.sampled, time);
    // Less than a nanosecond is what nobody saw.
    (1.0..grain).contains(&each).then_some(each)
}

fn through(first: &Match, codes: &CodeTable) -> Option<SourceSite> {
    let is_loop = matches!(first.main, Main::Loop(_));
    let line = first.codes.most().filter(|_| is_loop).and_then(|code| codes.site(code));
    line.cloned()
}

/// The place to change first: the code that accesses most, or where the structure is created.
fn sites(first: &Match, site: &SiteSummary, codes: &CodeTable) -> Vec<Site> {
    let created = codes.site(site.site);
    let causes: Vec<&SourceSite> =
        first.codes.sorted().iter().filter_map(|(code, _)| codes.site(*code)).take(3).collect();
    let ordered = match first.main {
        Main::Creation => created.into_iter().chain(causes).collect(),
        Main::Cause => causes.into_iter().chain(created).collect::<Vec<_>>(),
        Main::Loop(of_loop) => {
            let around = codes.loops.site(of_loop).into_iter();
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
