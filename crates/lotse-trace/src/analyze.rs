//! The way through all analyses: from a trace in memory to the answer of `lotse trace analyze`.
//!
//! Waits are searched with the clocks as recorded. Where these show effects before their causes, they are corrected
//! in place and the waits searched again; everything else reads corrected times unless raw ones are asked for. No
//! step copies the store, except that one phase is cut out of it where one is asked for.

use lotse_model::rule::Thresholds;
use lotse_model::trace::Ticks;
use lotse_model::work::{self, Sequential};
use lotse_model::{Invocation, Workers};

use crate::answer::{self, Answer, CorrectedAnswer, Facts, SeverityAnswer, ZeroAnswer};
use crate::clock::{self, Correction};
use crate::critical::critical_path;
use crate::delay::{Delays, delays};
use crate::efficiency::{Efficiency, efficiency};
use crate::focus::Focus;
use crate::phases::{self, PhaseAnswer};
use crate::retime::{Change, Factor, Graph};
use crate::rules::{self, Context};
use crate::store::Trace;
use crate::tree::TimeTree;
use crate::waits::{self, Waits};

pub(crate) mod alike;
mod blame;
mod bounding;
mod other;
pub(crate) mod rows;
mod what_if;

pub use bounding::{CriticalPathAnswer, ImpactAnswer, PairAnswer, ProcessTimeAnswer, critical};
pub use other::{EfficiencyAnswer, LevelAnswer, OverheadsAnswer, PhasesAnswer, efficiency_of};
pub(crate) use what_if::place_name;
pub use what_if::{
    BalancedAnswer, Latency, OutsideLockAnswer, PiecesAnswer, Request, ScaledAnswer, SharedWorkAnswer,
    WhatIfAnswer, WhatIfError, what_if,
};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// By which clocks.
    pub clock: Clocks,
    /// Only this phase, from 1.
    pub phase: Option<usize>,
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

/// By which clocks to analyse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// As recorded.
    Raw,
    /// Corrected where effects come before their causes.
    Corrected,
}

/// A phase was asked for that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no phase {asked}: the run has {count}, which `lotse trace phases` lists")]
pub struct NoSuchPhase {
    asked: usize,
    count: usize,
}

/// A trace with its waits, ready for every analysis.
#[derive(Debug)]
pub struct Subject {
    /// The trace, its clocks corrected, cut to the phase asked for.
    pub trace: Trace,
    /// Who waited for whom in it.
    pub waits: Waits,
    /// What it holds, by the clocks as recorded.
    pub facts: Facts,
    /// What was done to its clocks.
    pub correction: Option<Correction>,
    /// Its phases, where one was asked for.
    pub phases: Option<Vec<PhaseAnswer>>,
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
    pub fn new(mut trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Self, NoSuchPhase> {
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
        let mut subject = Self { trace, waits, facts, correction, phases: None, raw };
        if let Some(number) = options.phase {
            subject.cut(number, options, workers)?;
        }
        Ok(subject)
    }

    /// Keeps one phase. What was found by raw clocks was found in all of the run, so it is forgotten.
    fn cut(
        &mut self,
        number: usize,
        options: &Options<'_>,
        workers: &dyn Workers,
    ) -> Result<(), NoSuchPhase> {
        let phases = phases::phases(&self.trace, &self.waits, options.phases, workers);
        let chosen = number.checked_sub(1).and_then(|at| phases.get(at));
        let phase = chosen.ok_or(NoSuchPhase { asked: number, count: phases.len() })?.phase();
        (self.trace, self.waits) = phases::cut_with_waits(&self.trace, phase, options.thresholds, workers);
        // Corrected clocks show no violations, and records may lie beyond the border: these stay those of the run.
        let unrecorded = std::mem::take(&mut self.facts.unrecorded);
        self.facts = Facts { unrecorded, ..Facts::new(&self.trace, self.facts.clock_violations) };
        (self.phases, self.raw) = (Some(phases), None);
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
pub fn analyze(trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Answer, NoSuchPhase> {
    let mut subject = Subject::new(trace, options, workers)?;
    let phases = if options.quick { Vec::new() } else { subject.phases(options.phases, workers) };
    let (trace, waits, facts) = (&subject.trace, &subject.waits, &subject.facts);
    let correction = subject.correction.as_ref();
    let tables = || (TimeTree::new(trace, waits), answer::severities(trace, waits, correction));
    let (path, (tree, corrected)) = work::both(workers, || critical_path(trace, waits), tables);
    let focus = Focus::new(trace);
    let context = Context { trace, waits, facts, path: &path, correction, options, focus };
    let losses = rules::losses(&context);
    let (delays, Retimed { zeroed, ideal, focused, gains }) = delayed_and_retimed(&context, &losses, workers);
    let (losses, findings) = rules::findings(&context, &losses, &gains, workers);
    let raw = subject.raw.take().unwrap_or_else(|| Raw {
        severities: corrected.clone(),
        totals: answer::totals(&subject.trace, &subject.waits),
        pop: efficiency(&subject.trace, None),
    });
    let trace = &subject.trace;
    let by_used_clocks = CorrectedAnswer {
        clocks: subject.correction.is_some(),
        runtime: trace.seconds(trace.runtime()),
        pop: efficiency(trace, ideal),
    };
    Ok(Answer {
        schema: "lotse.trace/1",
        focus: focus.answer(trace, focused),
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
        pop: raw.pop.map(|pop| with_ideal(pop, ideal.map(|ideal| trace.seconds(ideal)))),
        phases,
        time_tree: answer::time_tree(trace, &tree),
        losses,
        findings,
        dynamic_distribution: crate::farm::farms(&subject.trace),
        facts: subject.facts,
    })
}

/// The delays and the changed runs. Playing a graph is work for one hand: another does the delays meanwhile.
fn delayed_and_retimed(
    context: &Context<'_>,
    losses: &[rules::Loss],
    workers: &dyn Workers,
) -> (Delays, Retimed) {
    if context.options.quick {
        return (delays(context.trace, context.waits, workers), Retimed::default());
    }
    let others: &dyn Workers = if workers.hands() > 2 { workers } else { &Sequential };
    let delayed = || delays(context.trace, context.waits, others);
    let (retimed, delays) = work::both(workers, || retimed(context, losses), delayed);
    (delays, retimed)
}

/// What the run would be if it were changed.
#[derive(Default)]
struct Retimed {
    zeroed: Vec<ZeroAnswer>,
    /// How long it is on an ideal network.
    ideal: Option<Ticks>,
    /// How much shorter it is where only starting and ending MPI takes time.
    focused: Option<Ticks>,
    /// How much shorter it is without each of the first losses.
    gains: Vec<Ticks>,
}

/// The run without each of the paths that are longest on the critical path, without each of the greatest losses, and
/// on an ideal network.
fn retimed(context: &Context<'_>, losses: &[rules::Loss]) -> Retimed {
    let trace = context.trace;
    let longest = rows::longest_paths(trace, context.path, ZEROED);
    let zero = longest.iter().map(|(path, _)| Change::scaled(alike::paths(trace, *path), Factor::ZERO));
    let without = losses.iter().take(rules::GAINED).map(|loss| rules::without(context, loss));
    let usual = [Change::none(), Change::ideal_network(), Focus::ideal_network(trace)];
    let changes = usual.into_iter().chain(zero).chain(without);
    let changes: Vec<Change> = changes.collect();
    let graph = Graph::new(trace, context.waits);
    let lengths: Vec<Ticks> = graph.run(trace, &changes).iter().map(|outcome| outcome.length).collect();
    let gain = |length: &Ticks| lengths[0].saturating_sub(*length);
    let (of_paths, of_losses) = lengths[3..].split_at(longest.len());
    let zeroed = longest.into_iter().zip(of_paths).map(|((_, callpath), length)| ZeroAnswer {
        callpath,
        critical_path_length: trace.seconds(*length),
        gain: trace.seconds(gain(length)),
    });
    Retimed {
        zeroed: zeroed.collect(),
        ideal: Some(lengths[1]),
        focused: Some(gain(&lengths[2])),
        gains: of_losses.iter().map(gain).collect(),
    }
}

/// The efficiencies that need the run time on an ideal network.
fn with_ideal(pop: Efficiency, ideal: Option<f64>) -> Efficiency {
    let longest = pop.useful.iter().copied().fold(0.0, f64::max);
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    Efficiency {
        serialisation_efficiency: ideal.and_then(|ideal| ratio(longest, ideal)),
        transfer_efficiency: ideal.and_then(|ideal| ratio(ideal, pop.runtime)),
        ..pop
    }
}
