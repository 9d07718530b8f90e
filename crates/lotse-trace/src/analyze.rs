//! The way through all analyses: from a trace in memory to the answer of `lotse trace analyze`.
//!
//! Waits are searched with the clocks as recorded. Where these show effects before their causes, they are corrected
//! in place and the waits searched again; everything else reads corrected times unless raw ones are asked for. No
//! step copies the store, except that one phase is cut out of it where one is asked for.

use hashbrown::HashMap;
use lotse_model::id::PathId;
use lotse_model::rule::Thresholds;
use lotse_model::trace::Ticks;
use lotse_model::work::{self, Sequential};
use lotse_model::{Invocation, Workers};

use crate::answer::{self, Answer, Facts, SeverityAnswer, ZeroAnswer};
use crate::clock::{self, Correction};
use crate::contention::Contention;
use crate::critical::critical_path;
use crate::delay::{Delays, delays};
use crate::efficiency::{Efficiency, efficiency};
use crate::focus::{Focus, FocusOn, Interval, NoSuchRegion, Part};
use crate::phases::{self, PhaseAnswer};
use crate::polling_work::polling_work;
use crate::retime::{Change, Factor, Graph, recorded_under_change};
use crate::rules::{self, Context};
use crate::store::Trace;
use crate::tree::TimeTree;
use crate::waits::{self, Waits};

mod blame;
mod bounding;
mod late_end;
mod other;
pub(crate) mod rows;
mod what_if;

pub use bounding::{CriticalPathAnswer, ImpactAnswer, PairAnswer, ProcessTimeAnswer, critical};
pub use other::{EfficiencyAnswer, LevelAnswer, OverheadsAnswer, PhasesAnswer, RunEfficiency, efficiency_of};
pub(crate) use what_if::place_name;
pub use what_if::{
    BalancedAnswer, ConditionBarrierAnswer, KeptBroadcastsAnswer, Latency, OutsideLockAnswer, PiecesAnswer,
    Request, ScaledAnswer, SharedWorkAnswer, WhatIfAnswer, WhatIfError, what_if,
};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// By which clocks.
    pub clock: Clocks,
    /// Only this phase, from 1.
    pub phase: Option<usize>,
    /// What shares and efficiencies are about; a region is cut out of the run as a phase is.
    pub focus: FocusOn<'o>,
    /// How phases are looked for.
    pub phases: phases::Options,
    /// Changed limits of patterns.
    pub thresholds: &'o Thresholds,
    /// Waits below this share of all locations' time are no findings.
    pub least_share: f64,
    /// Only waits, critical path and delays: no changed runs, so no reachable gains, and no phases.
    pub quick: bool,
    /// What the trace is called, for commands that verify.
    pub name: &'o str,
    /// The call that asked, for commands that verify.
    pub call: &'o Invocation,
}

impl<'o> Options<'o> {
    /// What is asked of a trace unless something else is said.
    pub fn usual(name: &'o str) -> Self {
        Self {
            clock: Clocks::Corrected,
            phase: None,
            focus: FocusOn::Program,
            phases: phases::Options::default(),
            thresholds: Thresholds::DEFAULT,
            least_share: 0.01,
            quick: false,
            name,
            call: Invocation::NONE,
        }
    }
}

/// By which clocks to analyse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// As recorded.
    Raw,
    /// Corrected where effects come before their causes.
    Corrected,
}

/// A part of the run was asked for that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchPart {
    /// There are fewer phases.
    #[error("there is no phase {asked}: the run has {count}, which `lotse trace phases` lists")]
    Phase {
        /// Its number.
        asked: usize,
        /// How many there are.
        count: usize,
    },
    /// Nothing is called so.
    #[error(transparent)]
    Region(#[from] NoSuchRegion),
}

/// A trace with its waits, ready for every analysis.
#[derive(Debug)]
pub struct Subject {
    /// The trace, its clocks corrected, cut to the phase or to the focus asked for.
    pub trace: Trace,
    /// Who waited for whom in it.
    pub waits: Waits,
    /// What it holds, by the clocks as recorded.
    pub facts: Facts,
    /// What was done to its clocks.
    pub correction: Option<Correction>,
    /// Its phases, where one was asked for.
    pub phases: Option<Vec<PhaseAnswer>>,
    /// What shares and efficiencies are about.
    pub(crate) focus: Focus,
    /// The run that the trace is a part of, where a region was asked for.
    pub(crate) part: Option<Part>,
    raw: Option<Raw>,
}

/// What was found by the clocks as recorded, before they were corrected.
#[derive(Debug)]
struct Raw {
    severities: Vec<SeverityAnswer>,
    totals: std::collections::BTreeMap<&'static str, f64>,
    pop: Option<Efficiency>,
}

impl Subject {
    /// Corrects the clocks, cuts the phase, searches the waits.
    pub fn new(mut trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Self, NoSuchPart> {
        let violations = clock::violations(&trace, workers);
        let facts = Facts::new(&trace, violations.messages);
        let mut waits = waits::search(&trace, options.thresholds, workers);
        let (mut raw, mut correction) = (None, None);
        if options.clock == Clocks::Corrected && !violations.is_none() {
            raw = Some(Raw::of(&trace, &waits));
            drop(waits);
            correction = Some(clock::correct(&mut trace, workers));
            waits = waits::search(&trace, options.thresholds, workers);
        }
        let focus = Focus::new(&trace, options.focus);
        let mut subject = Self { trace, waits, facts, correction, phases: None, focus, part: None, raw };
        if let Some(number) = options.phase {
            subject.cut(number, options, workers)?;
            subject.focus = Focus::new(&subject.trace, options.focus);
        }
        if let FocusOn::Region(name) = options.focus {
            subject.cut_region(name, options, workers)?;
        }
        Ok(subject)
    }

    /// Keeps one phase. What was found by raw clocks was found in all of the run, so it is forgotten.
    fn cut(&mut self, number: usize, options: &Options<'_>, workers: &dyn Workers) -> Result<(), NoSuchPart> {
        let phases = phases::phases(&self.trace, &self.waits, options.phases, workers);
        let chosen = number.checked_sub(1).and_then(|at| phases.get(at));
        let phase = chosen.ok_or(NoSuchPart::Phase { asked: number, count: phases.len() })?.phase();
        (self.trace, self.waits) = phases::cut_with_waits(&self.trace, phase, options.thresholds, workers);
        // Corrected clocks show no violations, and records may lie beyond the border: these stay those of the run.
        let of_part = Facts::new(&self.trace, self.facts.clock_violations);
        let (unrecorded, gaps) =
            (std::mem::take(&mut self.facts.unrecorded), std::mem::take(&mut self.facts.gaps));
        self.facts = Facts { unrecorded, gaps, hidden: self.facts.hidden, ..of_part };
        (self.phases, self.raw) = (Some(phases), None);
        Ok(())
    }

    /// Keeps the time from the first enter to the last leave of a region. What was found by raw clocks and the facts
    /// stay those of the run.
    fn cut_region(
        &mut self,
        name: &str,
        options: &Options<'_>,
        workers: &dyn Workers,
    ) -> Result<(), NoSuchRegion> {
        let interval = Interval::of_region(&self.trace, name)?;
        if self.phases.is_none() && !options.quick {
            self.phases = Some(phases::phases(&self.trace, &self.waits, options.phases, workers));
        }
        self.raw.get_or_insert_with(|| Raw::of(&self.trace, &self.waits));
        let part = Part::new(self, &interval, options.quick);
        let phase = phases::Phase { begin: interval.begin, end: interval.end };
        (self.trace, self.waits) = phases::cut_with_waits(&self.trace, phase, options.thresholds, workers);
        (self.focus, self.part) = (Focus::new(&self.trace, FocusOn::Run), Some(part));
        Ok(())
    }

    /// The phases of the run.
    pub fn phases(&mut self, options: phases::Options, workers: &dyn Workers) -> Vec<PhaseAnswer> {
        let known = self.phases.take();
        known.unwrap_or_else(|| phases::phases(&self.trace, &self.waits, options, workers))
    }
}

impl Raw {
    fn of(trace: &Trace, waits: &Waits) -> Self {
        Self {
            severities: answer::severities(trace, waits, None),
            totals: answer::totals(trace, waits),
            pop: efficiency(trace, None),
        }
    }
}

/// Call paths for which zeroing is tried.
const ZEROED: usize = 6;

/// Analyses a trace.
pub fn analyze(trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Answer, NoSuchPart> {
    let mut subject = Subject::new(trace, options, workers)?;
    let phases = if options.quick { Vec::new() } else { subject.phases(options.phases, workers) };
    let (trace, waits, facts) = (&subject.trace, &subject.waits, &subject.facts);
    let correction = subject.correction.as_ref();
    let tables = || (TimeTree::new(trace, waits), answer::severities(trace, waits, correction));
    let (path, (tree, corrected)) = work::both(workers, || critical_path(trace, waits), tables);
    let focus = subject.focus;
    let contention = Contention::new(trace);
    let context =
        Context { trace, waits, facts, path: &path, correction, options, focus, contention: &contention };
    let losses = rules::losses(&context);
    let (delays, Retimed { zeroed, ideal, focused, gains }) = delayed_and_retimed(&context, &losses, workers);
    let (losses, findings) = rules::findings(&context, &losses, &gains, workers);
    let locks = rules::lock_answers(&context);
    let raw = subject.raw.take().unwrap_or_else(|| Raw {
        severities: corrected.clone(),
        totals: answer::totals(&subject.trace, &subject.waits),
        pop: efficiency(&subject.trace, None),
    });
    let trace = &subject.trace;
    let (by_used_clocks, ideal) = match &subject.part {
        Some(part) => (part.run.clone(), part.ideal),
        None => (subject.by_used_clocks(ideal), ideal),
    };
    let is_whole = subject.part.is_none() && options.phase.is_none();
    // The ideal run is by the clocks that the analysis uses; how much shorter it is does not depend on them.
    let ideal_gain = ideal.map(|ideal| by_used_clocks.runtime - trace.seconds(ideal));
    Ok(Answer {
        schema: "lotse.trace/1",
        focus: subject.focus_answer(focused),
        corrected: by_used_clocks,
        severities: raw.severities,
        totals: raw.totals,
        corrected_severities: corrected,
        clock_offsets: rows::offsets(trace, subject.correction.as_ref()),
        blame: blame::blame(trace, &delays),
        delay_costs: rows::delay_costs(trace, &delays),
        wait_propagation: rows::propagation(trace, &delays),
        critical_path: rows::path_times(trace, &path.rows),
        critical_path_length: trace.seconds(path.length),
        critical_path_imbalance: rows::imbalances(trace, &path),
        what_if_zero: zeroed,
        pop: raw.pop.map(|pop| pop.with_ideal_gain(ideal_gain).only_bounds(subject.facts.hidden)),
        phases,
        time_tree: answer::time_tree(trace, &tree),
        accelerators: answer::streams(trace),
        losses,
        locks,
        findings,
        dynamic_distribution: crate::farm::farms(&subject.trace),
        late_end: is_whole.then(|| late_end::late_end(&subject.trace)).flatten(),
        polling_work: polling_work(&subject.trace),
        facts: subject.facts,
    })
}

/// The delays and the changed runs. Playing several changes together is work for one worker: another one does the
/// delays meanwhile. Changes that are played alone are shared by all workers afterwards. The graph is as large as the
/// store: it is there only while it is played.
fn delayed_and_retimed(
    context: &Context<'_>,
    losses: &[rules::Loss],
    workers: &dyn Workers,
) -> (Delays, Retimed) {
    if context.options.quick {
        return (delays(context.trace, context.waits, workers), Retimed::default());
    }
    let others: &dyn Workers = if workers.threads() > 2 { workers } else { &Sequential };
    let delayed = || delays(context.trace, context.waits, others);
    let changed = || {
        let changed = Changed::new(context, losses);
        match changed.graph.needs_separate_simulations() && workers.threads() > 1 {
            true => Err(Box::new(changed)),
            false => Ok(changed.retimed(context.trace, &Sequential)),
        }
    };
    let (retimed, delays) = work::both(workers, changed, delayed);
    (delays, retimed.unwrap_or_else(|changed| changed.retimed(context.trace, workers)))
}

/// What the run would be if it were changed.
#[derive(Default)]
struct Retimed {
    zeroed: Vec<ZeroAnswer>,
    /// How long it is on an ideal network.
    ideal: Option<Ticks>,
    /// How much shorter it is where only starting and ending MPI takes time.
    focused: Option<Ticks>,
    /// How much shorter it is without each of the first losses, where that can be computed.
    gains: Vec<Option<Ticks>>,
}

/// The call paths that `what-if` changes when it is asked for one by its name: recorders may number the same function
/// differently on each location, and a name may be the end of another.
pub(crate) fn alike(trace: &Trace, path: PathId) -> Vec<PathId> {
    trace.paths_named(&trace.name_to_ask_for(path))
}

/// The changes that are tried: the run without each of the paths that are longest on the critical path, without each
/// of the greatest losses, and on an ideal network.
struct Changed {
    graph: Graph,
    /// The names of the longest paths.
    longest: Vec<String>,
    /// None, two ideal networks, those of the longest paths, those of the losses that have one.
    changes: Vec<Change>,
    /// By loss: the place of the change without it, where there is one.
    of_loss: Vec<Option<usize>>,
    /// Which of the two ideal networks the efficiencies of the focus use.
    focused: usize,
}

impl Changed {
    fn new(context: &Context<'_>, losses: &[rules::Loss]) -> Self {
        let trace = context.trace;
        let graph = Graph::new(trace, context.waits);
        let longest = rows::longest_paths(trace, context.path, ZEROED);
        let zero = longest.iter().map(|(path, _)| Change::scaled(alike(trace, *path), Factor::ZERO));
        let usual = [Change::none(), Change::ideal_network(), Focus::ideal_network(trace)];
        let mut changes: Vec<Change> = usual.into_iter().chain(zero).collect();
        let of_loss = without_losses(context, &graph, losses, &mut changes);
        let longest = longest.into_iter().map(|(_, callpath)| callpath).collect();
        let focused = if context.focus.is_whole { 1 } else { 2 };
        Self { graph, longest, changes, of_loss, focused }
    }

    fn lengths(&self, trace: &Trace, workers: &dyn Workers) -> Vec<Ticks> {
        let outcomes = self.graph.run_on(trace, &self.changes, workers);
        outcomes.iter().map(|outcome| outcome.length).collect()
    }

    fn retimed(self, trace: &Trace, workers: &dyn Workers) -> Retimed {
        let lengths = self.lengths(trace, workers);
        let gain = |length: &Ticks| lengths[0].saturating_sub(*length);
        let of_paths = &lengths[3..][..self.longest.len()];
        let gains = self.of_loss.iter().map(|place| place.map(|place| gain(&lengths[place])));
        let zeroed = self.longest.into_iter().zip(of_paths).map(|(callpath, length)| ZeroAnswer {
            callpath,
            critical_path_length: trace.seconds(*length),
            gain: trace.seconds(gain(length)),
        });
        Retimed {
            zeroed: zeroed.collect(),
            ideal: Some(recorded_under_change(trace, lengths[0], lengths[1])),
            focused: Some(gain(&lengths[self.focused])),
            gains: gains.collect(),
        }
    }
}

/// Adds the changes without each of the greatest losses; gives their places. Losses by locks often have the same one,
/// which is as large as the trace.
fn without_losses(
    context: &Context<'_>,
    graph: &Graph,
    losses: &[rules::Loss],
    changes: &mut Vec<Change>,
) -> Vec<Option<usize>> {
    let mut of_path: HashMap<PathId, Option<usize>> = HashMap::new();
    let mut places = Vec::new();
    for loss in losses.iter().take(rules::GAINED) {
        let moved = rules::moved_out_of_lock(context, loss);
        let known = moved.and_then(|path| of_path.get(&path).copied());
        let place = known.unwrap_or_else(|| {
            let change = rules::without(context, graph, loss)?;
            changes.push(change);
            Some(changes.len() - 1)
        });
        places.push(place);
        of_path.extend(moved.map(|path| (path, place)));
    }
    places
}
