//! Runs all analyses in their order: from a trace in memory to the answer of `lotse trace analyze`.
//!
//! Waits are first searched with the clocks as recorded. If these clocks show effects before their causes, they are
//! corrected in place and the waits are searched again; all further analyses read the corrected times unless the options
//! ask for raw ones. No step copies the store, except that a requested phase or region is cut out of it.

use lotse_model::rule::Thresholds;
use lotse_model::work;
use lotse_model::{Invocation, Workers};

use crate::answer::{self, Answer, Facts, SeverityAnswer};
use crate::clock::{self, Correction};
use crate::contention::Contention;
use crate::critical::critical_path;
use crate::efficiency::{Efficiency, efficiency};
use crate::farm::farms;
use crate::focus::{Focus, FocusOn, NoSuchRegion, RegionInterval, RegionPart};
use crate::kept_order::kept_orders;
use crate::phases::{self, PhaseAnswer};
use crate::polling_work::polling_work;
use crate::rules::{self, Context};
use crate::sleeping::sleeping;
use crate::store::Trace;
use crate::tree::TimeTree;
use crate::waits::{self, Waits};

mod blame;
mod bounding;
mod late_end;
mod other;
mod retimed;
pub(crate) mod rows;
mod what_if;

pub use bounding::{CriticalPathAnswer, ImpactAnswer, PairAnswer, ProcessTimeAnswer, critical};
pub use other::{EfficiencyAnswer, LevelAnswer, OverheadsAnswer, PhasesAnswer, RunEfficiency, efficiency_of};
pub(crate) use retimed::paths_of_same_name;
use retimed::{Retimed, delayed_and_retimed};
pub use what_if::{
    BalancedAnswer, ConditionBarrierAnswer, GainBounds, KeptBroadcastsAnswer, Latency, OutsideLockAnswer,
    PiecesAnswer, Request, ScaledAnswer, SharedWorkAnswer, WhatIfAnswer, WhatIfError, what_if,
};
pub(crate) use what_if::{evened_out, place_name};

/// Options of an analysis.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    pub clock: Clocks,
    /// Restricts the analysis to this phase, counted from 1.
    pub phase: Option<usize>,
    /// The part of the run that shares and efficiencies refer to; a region is cut out of the run like a phase.
    pub focus: FocusOn<'o>,
    /// How phases are searched for.
    pub phases: phases::Options,
    /// Changed limits of patterns.
    pub thresholds: &'o Thresholds,
    /// Waits below this share of the time of all locations are not reported as findings.
    pub least_share: f64,
    /// Only waits, critical path and delays: no re-timed runs, hence no reachable gains, and no phases.
    pub quick: bool,
    /// The trace's name as printed in the commands that verify a finding.
    pub name: &'o str,
    /// How Lotse was invoked, for the same commands.
    pub call: &'o Invocation,
}

impl<'o> Options<'o> {
    /// What is analysed, in words: the whole run, or the part of it that is cut out.
    pub(crate) fn analysed(&self) -> &'static str {
        match (self.phase, self.focus) {
            (Some(_), _) => "this phase",
            (_, FocusOn::Region(_)) => "this part of the run",
            _ => "the whole run",
        }
    }

    /// The default options for a trace of this name.
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

/// Which clocks the analysis uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// As recorded.
    Raw,
    /// Corrected where effects come before their causes.
    Corrected,
}

/// The requested part of the run does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchPart {
    #[error("there is no phase {asked}: the run has {count}, which `lotse trace phases` lists")]
    Phase { asked: usize, count: usize },
    #[error(transparent)]
    Region(#[from] NoSuchRegion),
}

/// A trace with its waits, ready for every analysis.
#[derive(Debug)]
pub struct Subject {
    /// The trace with corrected clocks, cut to the requested phase or region.
    pub trace: Trace,
    pub waits: Waits,
    /// What the trace contains, by the clocks as recorded.
    pub facts: Facts,
    /// How the clocks were corrected; absent where nothing had to be.
    pub correction: Option<Correction>,
    /// The phases of the run, where they were computed to cut one of them or a region out.
    pub phases: Option<Vec<PhaseAnswer>>,
    /// The part of the run that shares and efficiencies refer to.
    pub(crate) focus: Focus,
    /// Results about the whole run, where `trace` is only a region of it.
    pub(crate) part: Option<RegionPart>,
    raw: Option<RawResults>,
}

/// Results by the clocks as recorded, before they were corrected.
#[derive(Debug)]
struct RawResults {
    severities: Vec<SeverityAnswer>,
    totals: std::collections::BTreeMap<&'static str, f64>,
    pop: Option<Efficiency>,
}

impl Subject {
    /// Corrects the clocks, searches the waits, and cuts out the requested phase or region.
    pub fn new(mut trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Self, NoSuchPart> {
        let violations = clock::violations(&trace, workers);
        let facts = Facts::new(&trace, violations.messages);
        let mut waits = waits::search(&trace, options.thresholds, workers);
        let (mut raw, mut correction) = (None, None);
        if options.clock == Clocks::Corrected && !violations.is_none() {
            raw = Some(RawResults::new(&trace, &waits));
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

    /// Reduces the trace to one phase. Results by raw clocks refer to the whole run, so they are dropped.
    fn cut(&mut self, number: usize, options: &Options<'_>, workers: &dyn Workers) -> Result<(), NoSuchPart> {
        let phases = phases::phases(&self.trace, &self.waits, options.phases, workers);
        let chosen = number.checked_sub(1).and_then(|at| phases.get(at));
        let phase = chosen.ok_or(NoSuchPart::Phase { asked: number, count: phases.len() })?.phase();
        (self.trace, self.waits) = phases::cut_with_waits(&self.trace, phase, options.thresholds, workers);
        // Corrected clocks show no violations, and the missing half of a record may lie outside the phase: these facts stay
        // those of the whole run.
        let phase_facts = Facts::new(&self.trace, self.facts.clock_violations);
        let (unrecorded, gaps) =
            (std::mem::take(&mut self.facts.unrecorded), std::mem::take(&mut self.facts.gaps));
        self.facts = Facts { unrecorded, gaps, hidden: self.facts.hidden, ..phase_facts };
        (self.phases, self.raw) = (Some(phases), None);
        Ok(())
    }

    /// Reduces the trace to the time from the first enter to the last leave of a region. The results by raw clocks and
    /// the facts stay those of the whole run.
    fn cut_region(
        &mut self,
        name: &str,
        options: &Options<'_>,
        workers: &dyn Workers,
    ) -> Result<(), NoSuchRegion> {
        let interval = RegionInterval::of_region(&self.trace, name)?;
        if self.phases.is_none() && !options.quick {
            self.phases = Some(phases::phases(&self.trace, &self.waits, options.phases, workers));
        }
        self.raw.get_or_insert_with(|| RawResults::new(&self.trace, &self.waits));
        let part = RegionPart::new(self, &interval, options.quick);
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

impl RawResults {
    fn new(trace: &Trace, waits: &Waits) -> Self {
        Self {
            severities: answer::severities(trace, waits, None),
            totals: answer::totals(trace, waits),
            pop: efficiency(trace, None),
        }
    }
}

/// Runs all analyses of a trace and gathers their answer.
pub fn analyze(trace: Trace, options: &Options<'_>, workers: &dyn Workers) -> Result<Answer, NoSuchPart> {
    Ok(answer_about(&mut Subject::new(trace, options, workers)?, options, workers))
}

/// Runs all analyses of a subject, which stays usable for further questions.
pub fn answer_about(subject: &mut Subject, options: &Options<'_>, workers: &dyn Workers) -> Answer {
    let phases = if options.quick { Vec::new() } else { subject.phases(options.phases, workers) };
    let (trace, waits, facts) = (&subject.trace, &subject.waits, &subject.facts);
    let correction = subject.correction.as_ref();
    let tables = || (TimeTree::new(trace, waits), answer::severities(trace, waits, correction));
    let (path, (tree, corrected)) = work::both(workers, || critical_path(trace, waits), tables);
    let (focus, contention) = (subject.focus, &Contention::new(trace));
    let context =
        Context { trace, waits, facts, path: &path, correction, options, focus, contention, spread: &[] };
    let losses = rules::losses(&context);
    let (delays, retimed) = delayed_and_retimed(&context, &losses, workers);
    let Retimed { zeroed, ideal, focused, gains, spread } = retimed;
    let context = Context { spread: &spread, ..context };
    let (losses, findings) = rules::findings(&context, &losses, &gains, workers);
    let locks = rules::lock_answers(&context);
    let raw = subject.raw.take().unwrap_or_else(|| RawResults {
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
    let farms = farms(trace);
    // The ideal run is by the clocks that the analysis uses; how much shorter it is does not depend on them.
    let ideal_gain = ideal.map(|ideal| by_used_clocks.runtime - trace.seconds(ideal));
    Answer {
        schema: "lotse.trace/1",
        focus: subject.focus_answer(focused),
        analysed: options.analysed(),
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
        pop: raw.pop.map(|pop| pop.with_ideal_gain(ideal_gain).only_bounds(&subject.facts)),
        phases,
        time_tree: answer::time_tree(trace, &tree),
        accelerators: answer::streams(trace),
        losses,
        locks,
        findings,
        kept_order: kept_orders(trace, &farms),
        dynamic_distribution: farms,
        late_end: is_whole.then(|| late_end::late_end(&subject.trace)).flatten(),
        polling_work: polling_work(&subject.trace),
        sleeping: sleeping(&subject.trace),
        facts: subject.facts.clone(),
    }
}
