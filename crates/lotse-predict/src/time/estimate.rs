//! The seconds of each loop.

use std::collections::BTreeMap;

use super::access::compare;
use super::body::{Body, Work};
use super::case::Case;
use super::chain::{self, Chain};
use super::compiled as compiled_loop;
use super::outer::outer_lanes;
use super::throughput::{Throughput, throughput};
use super::transfers::{Followed, Moved, moved as moved_lines};
use super::tree::{LoopId, Row, Tree};
use super::vector::{Lanes, alias_reason, is_within, lanes};
use super::{Assumptions, Compiler, Limit, LoopTime, bounds, sentence};
use crate::compiled::Match;
use crate::concrete::{Domain, Instance};
use crate::locality::{Classes, LocalityError};
use crate::nest::{NumberType, Place, RefusedPart};

pub(super) struct Estimator<'a> {
    instance: &'a Instance<'a>,
    assumptions: Assumptions<'a>,
    tree: Tree<'a>,
    moved: BTreeMap<LoopId, Moved>,
    case: Case,
}

/// Cycles of one execution of a loop.
struct Execution {
    cycles: f64,
    limit: Limit,
}

/// What is known about one loop before its time is.
pub(super) struct Parts<'a> {
    pub(super) row: &'a Row<'a>,
    pub(super) body: Body,
    pub(super) chain: Option<Chain>,
    pub(super) lanes: Lanes,
    pub(super) throughput: Throughput,
    /// The compiled loop, or why there is none; `None` where nothing was compiled.
    pub(super) compiled: Option<Result<Match, &'static str>>,
}

/// Iterations that a pass of a vectorised loop does.
const SOON: i128 = 16;

impl Parts<'_> {
    /// Whether what was compiled of it calls nothing.
    fn inlines(&self) -> bool {
        self.compiled.as_ref().is_some_and(|found| found.as_ref().is_ok_and(|it| it.occupation.calls <= 0.0))
    }

    /// Why it is predicted from the source although something was compiled. A call of memcpy or memset is expected to have no loop.
    fn unmatched(&self) -> Option<&'static str> {
        let reason = self.compiled.as_ref()?.as_ref().err().copied()?;
        (!self.lanes.library).then_some(reason)
    }

    /// Whether the source computes with floating-point numbers.
    pub(super) fn has_floats(&self) -> bool {
        let is_float = |work: &Work| matches!(work, Work::Compute(_, NumberType::F32 | NumberType::F64));
        self.body.nodes.iter().any(|node| is_float(&node.work))
    }

    /// Iterations between two jumps back.
    fn iterations_of_a_pass(&self, compiler: Compiler) -> f64 {
        match &self.compiled {
            Some(Ok(found)) => found.iterations / found.outer,
            _ if self.lanes.outer => 1.0,
            _ if self.chain.is_none() => self.lanes.count * compiler.unrolled(),
            _ => self.lanes.count,
        }
    }
}

impl<'a> Estimator<'a> {
    pub(super) fn new(
        instance: &'a Instance<'a>,
        classes: &Classes,
        assumptions: Assumptions<'a>,
        case: Case,
    ) -> Result<Self, LocalityError> {
        let (tree, moved) = (Tree::new(instance)?, BTreeMap::new());
        let mut estimator = Self { instance, assumptions, tree, moved, case };
        let followed = estimator.followed();
        estimator.moved = moved_lines(instance, classes, (assumptions, case), (&estimator.tree, &followed))?;
        Ok(estimator)
    }

    /// Arrays whose loads wait for each other, because one gives the address of the next.
    fn followed(&self) -> Followed {
        let mut found = Followed::new();
        for (id, row) in self.tree.loops.iter().enumerate() {
            let body = self.body(row, Case::Typical);
            if let Some(chain) = chain::longest(&body, &self.assumptions.machine.core) {
                found.extend(chain.loads.iter().map(|load| (id, body.accesses[*load].array)));
            }
        }
        found
    }

    pub(super) fn loops(&self) -> Vec<LoopTime> {
        (0..self.tree.loops.len()).map(|id| self.time_of(id)).collect()
    }

    fn time_of(&self, id: LoopId) -> LoopTime {
        let parts = self.parts(id);
        let execution = self.execution(&parts);
        let row = parts.row;
        let core = &self.assumptions.machine.core;
        let iterations = row.iterations();
        let share = self.share(id);
        let computing =
            if iterations > 0.0 { share * core.seconds(execution.cycles * row.entries) } else { 0.0 };
        // A loop that touches no array moves nothing.
        let mut moved = self.moved.get(&id).map_or_else(Moved::default, Clone::clone);
        if parts.lanes.outer {
            moved = moved.across(iterations, parts.lanes.count);
        }
        let transferring = share * moved.total();
        let (longer, shorter) = (computing.max(transferring), computing.min(transferring));
        let limit = match moved.costliest().filter(|_| transferring > computing) {
            _ if transferring > computing && moved.is_by_pages() => Limit::Pages,
            Some(level) => Limit::Transfer(self.source_of(level)),
            None => execution.limit,
        };
        let why = sentence::why(&parts, &limit, &moved, self.instance, self.assumptions);
        let symbols = &self.instance.function.symbols;
        let levels = self.assumptions.machine.caches.len();
        let misses = if moved.misses.is_empty() { vec![0.0; levels] } else { moved.misses.clone() };
        let seconds = longer + core.serial_share * shorter;
        LoopTime {
            place: row.source.place,
            variable: symbols.name(row.source.source_variable).to_owned(),
            depth: row.depth,
            is_innermost: row.is_innermost,
            iterations,
            iterations_formula: row.points.display(symbols),
            entries: row.entries,
            operations: parts.throughput.operations * iterations,
            footprint_bytes: 0.0,
            footprint_lines: 0.0,
            misses,
            seconds,
            range: (seconds, seconds),
            because: self.reasons(&parts),
            computing,
            transferring,
            limit,
            why,
            lanes: parts.lanes.count,
            not_vectorised: parts.lanes.refused,
            reduction: sentence::reduction(&parts, self.instance),
            unmatched: parts.unmatched(),
            inlined: parts.inlines().then(|| compiled_loop::lines(&self.tree, id)),
            blocked: parts.body.blocked,
        }
    }

    /// What data decide about: what the source says, or the branches that were compiled.
    fn reasons(&self, parts: &Parts<'_>) -> Vec<(Place, String)> {
        let mut found = bounds::reasons(self.instance, parts.row);
        let branches = match &parts.compiled {
            Some(Ok(matched)) => matched.occupation.conditions,
            _ => 0.0,
        };
        if found.is_empty() && branches > 0.0 {
            let text = "the compiler made branches of it, and data decide which are taken".to_owned();
            found.push((parts.row.source.place, text));
        }
        found
    }

    /// The share of a loop's iterations that is executed: conditions and early ends of the loops around it count.
    fn share(&self, id: LoopId) -> f64 {
        let mut share = 1.0;
        let mut at = Some(id);
        while let Some(row) = at.map(|id| &self.tree.loops[id]) {
            share *= self.case.weight(row.source.conditions.len());
            if self.case == Case::Least && !row.source.exits.is_empty() {
                share *= (row.entries / row.iterations().max(1.0)).min(1.0);
            }
            at = row.parent;
        }
        share
    }

    /// The statements directly in a loop, each with how often an iteration executes it.
    fn body(&self, row: &Row<'_>, case: Case) -> Body {
        let iterations = row.iterations().max(1.0);
        let statements: Vec<_> = row
            .statements
            .iter()
            .map(|(statement, executions)| {
                (*statement, executions / iterations * case.weight(statement.conditions.len()))
            })
            .collect();
        Body::new(self.instance, Some(row.source.variable), &statements, case)
    }

    /// Whether data decide about a whole loop.
    pub(super) fn has_conditional_loops(&self) -> bool {
        self.tree.loops.iter().any(|row| !row.source.conditions.is_empty() || !row.source.exits.is_empty())
    }

    /// Whether only bounds of a loop's time are known.
    pub(super) fn has_only_bounds(&self, id: LoopId) -> bool {
        bounds::selects_unknown(&self.tree.loops[id])
    }

    /// Where the lines come from that a cache misses.
    fn source_of(&self, level: usize) -> String {
        let next = self.assumptions.machine.caches.get(level + 1);
        next.map_or_else(|| "memory".to_owned(), |cache| cache.name.clone())
    }

    fn parts(&self, id: LoopId) -> Parts<'_> {
        let row = &self.tree.loops[id];
        let core = &self.assumptions.machine.core;
        let body = self.body(row, self.case);
        let chain = chain::longest(&body, core);
        // The compiler decides once, without knowing the data.
        let mut seen = if self.case == Case::Typical { body.clone() } else { self.body(row, Case::Typical) };
        let checked = self.assumptions.compiler.checks_at_run_time() || self.assumptions.compiled.is_some();
        if row.is_innermost && checked {
            let outer = row.parent.map_or_else(Vec::new, |parent| self.tree.variables_outwards(parent));
            compare(&mut seen.accesses, self.instance, &outer);
        }
        let lanes = self.lanes(row, &seen, chain::longest(&seen, core).as_ref());
        let checks = self.bounds_checks(row, &body);
        let branches = row.statements.iter().map(|(statement, _)| statement.conditions.len()).max();
        let branches = branches.unwrap_or(0) as f64;
        let unrolled =
            if row.is_innermost && chain.is_none() { self.assumptions.compiler.unrolled() } else { 1.0 };
        let throughput =
            throughput(&body, core, &lanes, unrolled, (checks, branches, self.case.wrong_branches()));
        let mut parts = Parts { row, body, chain, lanes, throughput, compiled: None };
        self.look_at_compiled(id, &mut parts, &seen);
        parts
    }

    /// What the compiled loop does takes the place of what is assumed.
    fn look_at_compiled(&self, id: LoopId, parts: &mut Parts<'_>, seen: &Body) {
        let Some(compiled) = self.assumptions.compiled.filter(|_| parts.row.is_innermost) else { return };
        let core = &self.assumptions.machine.core;
        let lines = compiled_loop::lines(&self.tree, id);
        if self.has_refused_loop(parts.row) {
            parts.compiled = Some(Err("a loop in it is not analysed"));
            return;
        }
        let mut wanted = compiled_loop::wanted(self.instance, lines, &parts.body);
        wanted.overlaps = alias_reason(Compiler::GccO3, self.instance, seen).is_some();
        // Elements that are stored and loaded again soon: fewer than a vector has, so that a check for overlapping fails.
        let carried = parts.chain.as_ref().map(|chain| &chain.carried);
        wanted.overlaps |= carried.is_some_and(|it| it.through_memory && it.distance < SOON);
        let found = compiled.find(&wanted, core, self.case.weight(1));
        if let Ok(found) = &found {
            parts.throughput =
                compiled_loop::throughput(found, &parts.throughput, core, self.case.wrong_branches());
            parts.lanes = compiled_loop::lanes(found, &parts.body);
        }
        parts.compiled = Some(found);
    }

    fn lanes(&self, row: &Row<'_>, body: &Body, chain: Option<&Chain>) -> Lanes {
        if !row.is_innermost {
            return Lanes::one("it has loops in it");
        }
        if self.has_refused_loop(row) {
            return Lanes::one("a loop in it is not analysed");
        }
        let (compiler, instance) = (self.assumptions.compiler, self.instance);
        let own = lanes(compiler, instance, (row.source, body), chain, row.trips(instance));
        let parent = row.parent.map(|parent| &self.tree.loops[parent]).filter(|_| own.count <= 1.0);
        match parent.and_then(|parent| outer_lanes(compiler, instance, (parent, row), body)) {
            Some(count) => Lanes { count, refused: None, library: false, outer: true },
            None => own,
        }
    }

    /// Whether a loop directly in it is not analysed.
    fn has_refused_loop(&self, row: &Row<'_>) -> bool {
        let Instance { refusals, uncovered, .. } = self.instance;
        let is_inside = |domain: &Domain| domain.variables.contains(&row.source.variable);
        let mut parts = refusals.iter().zip(uncovered);
        parts.any(|(refusal, domain)| refusal.part == RefusedPart::Loop && is_inside(domain))
    }

    /// Comparisons with the lengths of slices in one iteration.
    fn bounds_checks(&self, row: &Row<'_>, body: &Body) -> f64 {
        if !self.assumptions.compiler.checks_bounds() {
            return 0.0;
        }
        let checked = |index: usize| !is_within(self.instance, row.source, body.accesses[index].array.0);
        let weights = body.nodes.iter().map(|node| match node.work {
            Work::Load(index) | Work::Store(index) if checked(index) => node.weight,
            _ => 0.0,
        });
        weights.sum()
    }

    fn execution(&self, parts: &Parts<'_>) -> Execution {
        let core = &self.assumptions.machine.core;
        let Parts { row, throughput, lanes, .. } = parts;
        let trips = row.iterations() / row.entries.max(1.0);
        let mut entry = core.loop_entry;
        if self.has_unforeseen_end(parts) {
            entry += core.mispredict;
        }
        if lanes.count > 1.0 && self.assumptions.compiler.checks_at_run_time() || lanes.library {
            entry += core.vector_entry;
        }
        if lanes.outer {
            entry /= lanes.count;
        }
        let working = trips * (throughput.cycles + throughput.mispredicted);
        let waiting = match (&parts.chain, &parts.compiled) {
            (Some(chain), _) => self.waiting(parts, chain, trips),
            (None, Some(Ok(found))) => trips * found.recurrence / found.iterations,
            (None, _) => 0.0,
        };
        let limit = match (waiting > working + entry, entry > working) {
            (true, _) => Limit::Chain,
            (false, true) => Limit::LoopEntry,
            (false, false) => Limit::from(throughput.unit),
        };
        Execution { cycles: waiting.max(working + entry), limit }
    }

    /// Whether a loop has more passes than the core remembers, so that its end is not foreseen.
    fn has_unforeseen_end(&self, parts: &Parts<'_>) -> bool {
        let passes =
            parts.row.usual_trips(self.instance) / parts.iterations_of_a_pass(self.assumptions.compiler);
        parts.row.is_innermost && passes > self.assumptions.machine.core.predicted_trips
    }

    /// Cycles that one execution waits on its chain, without those that overlap with the next execution.
    fn waiting(&self, parts: &Parts<'_>, chain: &Chain, trips: f64) -> f64 {
        let core = &self.assumptions.machine.core;
        let shared = chain.may_be_reordered() || parts.lanes.outer;
        let each = match &parts.compiled {
            // That an element is stored and loaded again the addresses tell, which are known at run time.
            Some(Ok(found)) if chain.carried.through_memory => {
                chain.cycles.max(found.recurrence / found.iterations)
            }
            Some(Ok(found)) => found.recurrence / found.iterations,
            _ if shared => chain.cycles / parts.lanes.count,
            _ => chain.cycles,
        };
        let Some(whole) = self.length_of_chain(parts, chain, trips) else { return trips * each };
        let ahead = core.window / parts.throughput.instructions.max(1.0);
        let ahead = ahead.min(core.waiting / chain.operations.len().max(1) as f64);
        // An end that is not foreseen is known early, for it does not wait on the chain; what comes next still begins later.
        let late = if self.has_unforeseen_end(parts) { core.mispredict } else { 0.0 };
        let overlapping = (ahead * each - late).max(0.0);
        (whole * each - overlapping).max(0.0) * trips / whole.max(1.0)
    }

    /// Iterations until the chain begins anew, in one of the loops around; nothing if it never does.
    fn length_of_chain(&self, parts: &Parts<'_>, chain: &Chain, trips: f64) -> Option<f64> {
        let mut length = trips;
        let mut row = parts.row;
        loop {
            let parent = row.parent.map(|parent| &self.tree.loops[parent])?;
            if self.is_independent(parent, parts, chain) {
                return Some(length);
            }
            length *= parent.iterations() / parent.entries.max(1.0);
            row = parent;
        }
    }

    /// Whether the chain of one iteration of a loop around does not go on in the next one.
    fn is_independent(&self, parent: &Row<'_>, parts: &Parts<'_>, chain: &Chain) -> bool {
        if let Some(name) = &chain.carried.scalar {
            return parent
                .statements
                .iter()
                .any(|(statement, _)| statement.conditions.is_empty() && statement.source.sets_anew(name));
        }
        let mut stores = parts.body.accesses.iter().filter(|access| access.is_store());
        stores.any(|access| {
            let moves = |address: &crate::concrete::Linear| address.factor(parent.source.variable) != 0;
            Some(access.array) == chain.carried.array && access.address.as_ref().is_some_and(moves)
        })
    }
}
