//! Sums the chosen parts of a profile: self and inclusive cost of every function, calls, cycles.
//!
//! Inclusive cost comes from the first of these that the file has:
//!
//! 1. stacks; a function counts once per stack;
//! 2. inclusive costs that the file states for each function;
//! 3. inclusive costs of calls, without calls inside a cycle (`entering` has the rule for members of cycles);
//! 4. numbers of calls: self costs are spread over callers in proportion to them, as gprof does.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use lotse_model::Profile;
use lotse_model::id::{FunctionId, PartId};
use lotse_model::profile::{Calls, Costs};

use crate::convert::KeptStacks;
use crate::graph::FunctionGraph;
use crate::names::{DemangledNames, FunctionLabels, NameCounts};
use crate::unfold::{CallFlow, call_flow};

mod adjacency;
mod circles;
mod cycles;
mod entering;
mod flat;
mod grouping;
mod inclusive;
mod missing;
mod parts;
mod propagation;
mod reentry;
mod stacks;
mod stated;
mod summary;
mod sums;

pub use adjacency::Adjacency;
pub use cycles::Cycles;
pub use grouping::{GroupCosts, Grouping, cycle_name};
pub use parts::{PartChoice, UnknownPart};
pub use summary::{PartSum, Summary};

/// How recursion is counted in inclusive costs (`--cycles`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CycleMode {
    /// Calls inside a cycle are not counted; the cycle is an element of its own.
    #[default]
    Folded,
    /// As gprof: costs are spread over callers in proportion to the number of calls.
    Gprof,
    /// Every call is added, even recursive ones, so that inclusive costs may exceed the total.
    Raw,
}

impl CycleMode {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Gprof => "gprof",
            Self::Raw => "raw",
        }
    }
}

/// Where inclusive costs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InclusiveOrigin {
    /// Self costs and the inclusive costs of calls.
    #[default]
    Calls,
    Stacks,
    /// Inclusive costs that the file states.
    File,
    /// Self costs spread over callers by numbers of calls: an estimate.
    Counts,
    /// The file has no calls: inclusive costs are unknown, and self costs are used in their place.
    Nothing,
    /// The file has no calls, but inlined functions: inclusive costs include those and lack calls.
    Inlined,
}

impl InclusiveOrigin {
    /// All origins.
    pub const ALL: [Self; 6] =
        [Self::Calls, Self::Stacks, Self::File, Self::Counts, Self::Nothing, Self::Inlined];

    /// Whether calls are missing in inclusive costs.
    pub fn lacks_calls(self) -> bool {
        matches!(self, Self::Nothing | Self::Inlined)
    }

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Stacks => "stacks",
            Self::File => "file",
            Self::Counts => "counts",
            Self::Nothing => "nothing",
            Self::Inlined => "inlined",
        }
    }
}

/// The chosen parts of a profile, summed: costs of functions, calls and cycles.
#[derive(Debug, Clone)]
pub struct Analysis<'a> {
    pub profile: &'a Profile,
    /// The chosen parts.
    pub parts: Vec<PartId>,
    pub cycle_mode: CycleMode,
    pub origin: InclusiveOrigin,
    /// Self cost of every function.
    pub own: Arc<Costs>,
    /// Inclusive cost of every function.
    pub inclusive: Arc<Costs>,
    /// Calls, one row with a cost for every pair of caller and callee.
    pub calls: Cow<'a, Calls>,
    /// Rows of `calls` by caller.
    pub outgoing: Adjacency,
    pub cycles: Cycles,
    /// The sum of all self costs, per event type.
    pub totals: Vec<i128>,
    /// Whether counts of calls are known.
    pub counted: bool,
    /// Calls without a caller in the profile, for every function.
    pub(crate) entries: Vec<u64>,
    /// Whether only some samples count. Numbers of calls are then unknown, because the file counts those of the whole.
    pub(crate) selection: bool,
    /// Stack samples in the chosen parts.
    pub samples: Option<usize>,
    /// Distinct stacks among them.
    pub stacks: Option<usize>,
    /// What a reader of the numbers must know: estimates, bounds, cut values.
    pub notes: Vec<String>,
    pub(crate) lazy: LazyTables,
}

/// Tables that several questions about one analysis need; each is made by the first of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LazyTables {
    /// Consistent costs of calls, for trees.
    pub(crate) flow: OnceLock<Arc<CallFlow>>,
    /// Elements and edges of graphs of functions.
    pub(crate) graph: OnceLock<Arc<FunctionGraph>>,
    /// How many functions share a name.
    pub(crate) names: OnceLock<Arc<NameCounts>>,
    /// Stacks estimated from calls, for filters of functions.
    pub(crate) stacks: KeptStacks,
    /// Displayed names, for filters.
    pub(crate) demangled: OnceLock<Arc<DemangledNames>>,
    /// Rows of calls by callee.
    incoming: OnceLock<Arc<Adjacency>>,
    /// Whether each function has any cost or call.
    active: OnceLock<Arc<Vec<bool>>>,
    /// Whether the inclusive cost of each function is only a lower bound; empty if none is.
    lower_bounds: OnceLock<Arc<Vec<bool>>>,
}

impl<'a> Analysis<'a> {
    /// Sums the chosen parts.
    pub fn new(
        profile: &'a Profile,
        choice: &PartChoice,
        cycle_mode: CycleMode,
    ) -> Result<Self, UnknownPart> {
        let parts = choice.resolve(profile)?;
        Ok(Self::of_parts(profile, parts, cycle_mode))
    }

    /// Sums all parts that count unless others are chosen.
    pub fn of_default_parts(profile: &'a Profile, cycle_mode: CycleMode) -> Self {
        Self::of_parts(profile, parts::selected(profile), cycle_mode)
    }

    /// The analysis of the default parts, with sums that are known from an index: only cycles are found again. `None` if
    /// the sums are not those of one part whose calls have costs; the costs of calls may then have been changed.
    pub(crate) fn of_summary(profile: &'a Profile, summary: &Summary) -> Option<Self> {
        let parts = parts::selected(profile);
        let [only] = parts[..] else { return None };
        let calls = &profile.parts[only.index()].calls;
        let is_plain = summary.origin == InclusiveOrigin::Calls && summary.cycle_mode == CycleMode::Folded;
        if !is_plain || summary.samples.is_some() || !calls.has_costs() {
            return None;
        }
        let entries = sums::entries(profile, &[&profile.parts[only.index()]]);
        let outgoing = Adjacency::new(profile.functions.len(), &calls.caller);
        Some(Self {
            profile,
            parts,
            cycle_mode: summary.cycle_mode,
            origin: summary.origin,
            own: Arc::clone(&summary.own),
            inclusive: Arc::clone(&summary.inclusive),
            cycles: Cycles::find(&outgoing, &calls.callee),
            outgoing,
            totals: summary.totals.clone(),
            counted: calls.count.iter().chain(&entries).any(|&count| count > 0),
            calls: Cow::Borrowed(calls),
            entries,
            selection: false,
            samples: None,
            stacks: None,
            notes: summary.notes.clone(),
            lazy: LazyTables::default(),
        })
    }

    /// Sums parts, finds cycles and computes inclusive costs.
    fn of_parts(profile: &'a Profile, parts: Vec<PartId>, cycle_mode: CycleMode) -> Self {
        let sums = sums::sum(profile, &parts);
        let outgoing = Adjacency::new(profile.functions.len(), &sums.calls.caller);
        let cycles = match &sums.circular {
            // Spreading costs as gprof does needs the components of the whole graph.
            Some(circular) if cycle_mode != CycleMode::Gprof => {
                Cycles::of_calls(profile, &sums.calls, circular)
            }
            _ => Cycles::find(&outgoing, &sums.calls.callee),
        };
        let mut analysis = Self {
            profile,
            parts,
            cycle_mode,
            origin: InclusiveOrigin::Calls,
            own: Arc::new(sums.own),
            inclusive: Arc::default(),
            calls: sums.calls,
            outgoing,
            cycles,
            totals: sums.totals,
            counted: sums.counted,
            entries: sums.entries,
            selection: false,
            samples: sums.samples,
            stacks: sums.stacks,
            notes: sums.notes,
            lazy: LazyTables::default(),
        };
        let known = inclusive::KnownInclusive {
            stacks: sums.from_stacks,
            stated: sums.stated,
            calls_have_costs: sums.calls_have_costs,
        };
        analysis.inclusive = Arc::new(inclusive::inclusive(&mut analysis, known));
        if let Some(origin) = flat::flat_origin(profile, &analysis.totals) {
            analysis.origin = origin;
            analysis.notes.extend(flat::note(origin).map(str::to_owned));
        }
        analysis
    }

    /// Removes the note that the file has no calls: the whole file has some, only the selection has none.
    pub(crate) fn forget_flat(&mut self) {
        if let Some(note) = flat::note(self.origin) {
            self.notes.retain(|it| it != note);
            self.origin = InclusiveOrigin::Stacks;
        }
    }

    /// Makes the tables that several pictures need, so that the first picture does not have to wait for them.
    pub fn prepare_pictures(&self) {
        if self.samples.is_none() {
            call_flow(self);
        }
        FunctionLabels::of_analysis(self);
        FunctionGraph::of_analysis(self);
    }

    /// Whether cycles are those of all calls, not only of calls that recur on one stack.
    pub(crate) fn cycles_are_of_all_calls(&self) -> bool {
        self.samples.is_none() || self.cycle_mode == CycleMode::Gprof
    }

    /// Rows of `calls` by callee.
    pub fn incoming(&self) -> Arc<Adjacency> {
        let made = || Arc::new(Adjacency::new(self.profile.functions.len(), &self.calls.callee));
        Arc::clone(self.lazy.incoming.get_or_init(made))
    }

    /// How often each function was called; `None` where the format does not count. An event type `calls` counts all
    /// calls, including calls by code that was not profiled, which are in no row of `calls`.
    pub fn called(&self) -> Option<Vec<u64>> {
        if self.selection {
            return None;
        }
        if let Some(event) = self.profile.events.iter().position(|event| event.name == "calls") {
            let count = |row: usize| u64::try_from(self.own.value(row, event)).unwrap_or(0);
            return Some((0..self.own.rows()).map(count).collect());
        }
        let mut called = self.entries.clone();
        for (callee, count) in self.calls.callee.iter().zip(&self.calls.count) {
            let called = &mut called[callee.index()];
            *called = called.saturating_add(*count);
        }
        self.counted.then_some(called)
    }

    /// A function's self and inclusive share of the total; 0 if the total is 0.
    pub fn shares(&self, function: FunctionId, event: usize) -> (f64, f64) {
        let share = |costs: &Costs| share(costs.value(function.index(), event), self.totals[event]);
        (share(&self.own), share(&self.inclusive))
    }

    /// Functions that have any cost or call.
    pub fn active(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let active = Arc::clone(self.lazy.active.get_or_init(|| Arc::new(self.active_flags())));
        self.profile.functions.ids().filter(move |id| active[id.index()])
    }

    fn active_flags(&self) -> Vec<bool> {
        let mut linked = vec![false; self.profile.functions.len()];
        for function in self.calls.caller.iter().chain(&self.calls.callee) {
            linked[function.index()] = true;
        }
        let costly =
            |row: usize| self.own.row(row).iter().chain(self.inclusive.row(row)).any(|&cost| cost != 0);
        let entered = |row: usize| self.entries[row] > 0;
        let active = |id: FunctionId| linked[id.index()] || costly(id.index()) || entered(id.index());
        self.profile.functions.ids().map(active).collect()
    }
}

/// `part / whole`, or 0 if the whole is 0.
pub fn share(part: i128, whole: i128) -> f64 {
    if whole == 0 { 0.0 } else { nearest(part) / nearest(whole) }
}

/// The nearest floating-point number. Nearly all numbers have 64 bits, for which processors have an instruction.
fn nearest(number: i128) -> f64 {
    i64::try_from(number).map_or(number as f64, |small| small as f64)
}

#[cfg(test)]
pub(crate) mod tests;
