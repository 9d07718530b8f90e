//! Combines chain, throughput and transfers into the seconds of each loop.

use std::collections::BTreeMap;

use super::access::find_independent;
use super::body::{Body, Work};
use super::case::DataCase;
use super::chain::{self, Chain};
use super::compiled as compiled_loop;
use super::outer::outer_lanes;
use super::throughput::{Throughput, throughput};
use super::transfers::{LoopTraffic, PointerChased, traffic_of_loops};
use super::tree::{LoopId, LoopRow, LoopTree};
use super::vector::{Lanes, alias_reason, is_within, lanes};
use super::{Assumptions, Compiler, Limit, LoopTime, bounds, sentence};
use crate::compiled::CompiledMatch;
use crate::concrete::{Domain, Instance};
use crate::locality::{Classes, LocalityError};
use crate::nest::{NumberType, RefusedPart, SourcePosition};

/// Estimates the loops of an instance in one case of the data.
pub(super) struct Estimator<'a> {
    instance: &'a Instance<'a>,
    assumptions: Assumptions<'a>,
    tree: LoopTree<'a>,
    traffic: BTreeMap<LoopId, LoopTraffic>,
    case: DataCase,
}

/// Computing cycles of one execution of a loop, and what limits them.
struct Execution {
    cycles: f64,
    limit: Limit,
}

/// The quantities from which the time of one loop is computed.
pub(super) struct LoopModel<'a> {
    pub(super) row: &'a LoopRow<'a>,
    pub(super) body: Body,
    pub(super) chain: Option<Chain>,
    pub(super) lanes: Lanes,
    pub(super) throughput: Throughput,
    /// The compiled loop, or why none was found; `None` if no compiled code was given.
    pub(super) compiled: Option<Result<CompiledMatch, &'static str>>,
}

/// Iterations that one pass of a vectorised loop executes at most.
const VECTOR_PASS: i128 = 16;

impl LoopModel<'_> {
    /// Whether the compiled loop has no calls.
    fn inlines(&self) -> bool {
        self.compiled.as_ref().is_some_and(|found| found.as_ref().is_ok_and(|it| it.occupancy.calls <= 0.0))
    }

    /// Why the loop is not found in the compiled code; a loop that becomes a call of memcpy or memset is not expected there.
    fn unmatched(&self) -> Option<&'static str> {
        let reason = self.compiled.as_ref()?.as_ref().err().copied()?;
        (!self.lanes.library).then_some(reason)
    }

    /// Whether the source has floating-point operations.
    pub(super) fn has_floats(&self) -> bool {
        let is_float = |work: &Work| matches!(work, Work::Compute(_, NumberType::F32 | NumberType::F64));
        self.body.nodes.iter().any(|node| is_float(&node.work))
    }

    /// Iterations of the source per pass of the compiled loop, that is, between two backward jumps.
    fn iterations_per_pass(&self, compiler: Compiler) -> f64 {
        match &self.compiled {
            Some(Ok(found)) => found.iterations / found.outer,
            _ if self.lanes.outer => 1.0,
            _ if self.chain.is_none() => self.lanes.count * compiler.unroll_factor(),
            _ => self.lanes.count,
        }
    }
}

impl<'a> Estimator<'a> {
    pub(super) fn new(
        instance: &'a Instance<'a>,
        classes: &Classes,
        assumptions: Assumptions<'a>,
        case: DataCase,
    ) -> Result<Self, LocalityError> {
        let (tree, traffic) = (LoopTree::new(instance)?, BTreeMap::new());
        let mut estimator = Self { instance, assumptions, tree, traffic, case };
        let pointer_chased = estimator.pointer_chased();
        estimator.traffic =
            traffic_of_loops(instance, classes, (assumptions, case), (&estimator.tree, &pointer_chased))?;
        Ok(estimator)
    }

    /// Arrays whose loads are on a dependence chain, because each load gives the address of the next one.
    fn pointer_chased(&self) -> PointerChased {
        let mut found = PointerChased::new();
        for (id, row) in self.tree.loops.iter().enumerate() {
            let body = self.body(row, DataCase::Typical);
            if let Some(chain) = chain::longest(&body, &self.assumptions.machine.core) {
                found.extend(chain.loads.iter().map(|load| (id, body.accesses[*load].array)));
            }
        }
        found
    }

    pub(super) fn loops(&self) -> Vec<LoopTime> {
        (0..self.tree.loops.len()).map(|id| self.loop_time(id)).collect()
    }

    /// The time of one loop without the loops inside it.
    fn loop_time(&self, id: LoopId) -> LoopTime {
        let model = self.loop_model(id);
        let execution = self.execution(&model);
        let row = model.row;
        let core = &self.assumptions.machine.core;
        let iterations = row.iterations();
        let share = self.share(id);
        let computing =
            if iterations > 0.0 { share * core.seconds(execution.cycles * row.entries) } else { 0.0 };
        // A loop without array accesses has no traffic.
        let mut traffic = self.traffic.get(&id).map_or_else(LoopTraffic::default, Clone::clone);
        if model.lanes.outer {
            traffic = traffic.with_outer_lanes(iterations, model.lanes.count);
        }
        let transferring = share * traffic.total();
        let (longer, shorter) = (computing.max(transferring), computing.min(transferring));
        let limit = match traffic.costliest_cache().filter(|_| transferring > computing) {
            _ if transferring > computing && traffic.is_dominated_by_page_walks() => Limit::Pages,
            Some(level) => Limit::Transfer(self.next_level_name(level)),
            None => execution.limit,
        };
        let why = sentence::why(&model, &limit, &traffic, self.instance, self.assumptions);
        let symbols = &self.instance.function.symbols;
        let levels = self.assumptions.machine.caches.len();
        let misses = if traffic.misses.is_empty() { vec![0.0; levels] } else { traffic.misses.clone() };
        let seconds = longer + core.serial_share * shorter;
        LoopTime {
            place: row.source.place,
            variable: symbols.name(row.source.source_variable).to_owned(),
            depth: row.depth,
            is_innermost: row.is_innermost,
            iterations,
            iterations_formula: row.points.display(symbols),
            entries: row.entries,
            operations: model.throughput.operations * iterations,
            footprint_bytes: 0.0,
            footprint_lines: 0.0,
            misses,
            seconds,
            range: (seconds, seconds),
            because: self.reasons(&model),
            computing,
            transferring,
            limit,
            why,
            lanes: model.lanes.count,
            not_vectorised: model.lanes.refused,
            reduction: sentence::reduction(&model, self.instance),
            unmatched: model.unmatched(),
            inlined: model.inlines().then(|| compiled_loop::lines(&self.tree, id)),
            blocked: model.body.blocked,
        }
    }

    /// Why the time of a loop depends on data: reasons in the source or, if there are none, branches in the compiled code.
    fn reasons(&self, model: &LoopModel<'_>) -> Vec<(SourcePosition, String)> {
        let mut found = bounds::reasons(self.instance, model.row);
        let branches = match &model.compiled {
            Some(Ok(matched)) => matched.occupancy.conditions,
            _ => 0.0,
        };
        if found.is_empty() && branches > 0.0 {
            let text = "the compiler made branches of it, and data decide which are taken".to_owned();
            found.push((model.row.source.place, text));
        }
        found
    }

    /// The share of a loop's iterations that is executed, given conditions on data and early exits of it and of all loops around it.
    fn share(&self, id: LoopId) -> f64 {
        let mut share = 1.0;
        let mut at = Some(id);
        while let Some(row) = at.map(|id| &self.tree.loops[id]) {
            share *= self.case.weight(row.source.conditions.len());
            if self.case == DataCase::Least && !row.source.exits.is_empty() {
                share *= (row.entries / row.iterations().max(1.0)).min(1.0);
            }
            at = row.parent;
        }
        share
    }

    /// The body of a loop; each statement is weighted by its average number of executions in one iteration.
    fn body(&self, row: &LoopRow<'_>, case: DataCase) -> Body {
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

    /// Whether the execution or the number of iterations of any loop depends on data.
    pub(super) fn has_conditional_loops(&self) -> bool {
        self.tree.loops.iter().any(|row| !row.source.conditions.is_empty() || !row.source.exits.is_empty())
    }

    /// Whether only bounds of a loop's time are known.
    pub(super) fn has_only_bounds(&self, id: LoopId) -> bool {
        bounds::selects_unknown(&self.tree.loops[id])
    }

    /// The name of the level that provides the lines that the cache at `level` misses.
    fn next_level_name(&self, level: usize) -> String {
        let next = self.assumptions.machine.caches.get(level + 1);
        next.map_or_else(|| "memory".to_owned(), |cache| cache.name.clone())
    }

    /// Collects the quantities of a loop: body, dependence chain, vectorisation and throughput, from the source or the compiled code.
    fn loop_model(&self, id: LoopId) -> LoopModel<'_> {
        let row = &self.tree.loops[id];
        let core = &self.assumptions.machine.core;
        let body = self.body(row, self.case);
        let chain = chain::longest(&body, core);
        // The compiler does not know the data, so the vectorisation is that of the typical case.
        let mut typical_body =
            if self.case == DataCase::Typical { body.clone() } else { self.body(row, DataCase::Typical) };
        let checked = self.assumptions.compiler.checks_at_run_time() || self.assumptions.compiled.is_some();
        if row.is_innermost && checked {
            let outer = row.parent.map_or_else(Vec::new, |parent| self.tree.variables_outwards(parent));
            find_independent(&mut typical_body.accesses, self.instance, &outer);
        }
        let lanes = self.lanes(row, &typical_body, chain::longest(&typical_body, core).as_ref());
        let checks = self.bounds_checks(row, &body);
        let branches = row.statements.iter().map(|(statement, _)| statement.conditions.len()).max();
        let branches = branches.unwrap_or(0) as f64;
        let unrolled =
            if row.is_innermost && chain.is_none() { self.assumptions.compiler.unroll_factor() } else { 1.0 };
        let throughput =
            throughput(&body, core, &lanes, unrolled, (checks, branches, self.case.wrong_branches()));
        let mut model = LoopModel { row, body, chain, lanes, throughput, compiled: None };
        self.apply_compiled(id, &mut model, &typical_body);
        model
    }

    /// Replaces assumed throughput and vectorisation by those of the compiled loop, if it is found.
    fn apply_compiled(&self, id: LoopId, model: &mut LoopModel<'_>, typical_body: &Body) {
        let Some(compiled) = self.assumptions.compiled.filter(|_| model.row.is_innermost) else { return };
        let core = &self.assumptions.machine.core;
        let lines = compiled_loop::lines(&self.tree, id);
        if self.has_refused_loop(model.row) {
            model.compiled = Some(Err("a loop in it is not analysed"));
            return;
        }
        let mut signature = compiled_loop::signature(self.instance, lines, &model.body);
        signature.overlaps = alias_reason(Compiler::GccO3, self.instance, typical_body).is_some();
        // Elements that are loaded again within a vector length after they were stored make the run-time check for overlap fail.
        let carried = model.chain.as_ref().map(|chain| &chain.carried);
        signature.overlaps |= carried.is_some_and(|it| it.through_memory && it.distance < VECTOR_PASS);
        let found = compiled.find(&signature, core, self.case.weight(1));
        if let Ok(found) = &found {
            model.throughput =
                compiled_loop::throughput(found, &model.throughput, core, self.case.wrong_branches());
            model.lanes = compiled_loop::lanes(found, &model.body);
        }
        model.compiled = Some(found);
    }

    fn lanes(&self, row: &LoopRow<'_>, body: &Body, chain: Option<&Chain>) -> Lanes {
        if !row.is_innermost {
            return Lanes::scalar("it has loops in it");
        }
        if self.has_refused_loop(row) {
            return Lanes::scalar("a loop in it is not analysed");
        }
        let (compiler, instance) = (self.assumptions.compiler, self.instance);
        let own = lanes(compiler, instance, (row.source, body), chain, row.trips(instance));
        let parent = row.parent.map(|parent| &self.tree.loops[parent]).filter(|_| own.count <= 1.0);
        match parent.and_then(|parent| outer_lanes(compiler, instance, (parent, row), body)) {
            Some(count) => Lanes { count, refused: None, library: false, outer: true },
            None => own,
        }
    }

    /// Whether a loop inside this one was refused.
    fn has_refused_loop(&self, row: &LoopRow<'_>) -> bool {
        let Instance { refusals, uncovered, .. } = self.instance;
        let is_inside = |domain: &Domain| domain.variables.contains(&row.source.variable);
        let mut refused = refusals.iter().zip(uncovered);
        refused.any(|(refusal, domain)| refusal.part == RefusedPart::Loop && is_inside(domain))
    }

    /// Number of bounds checks in one iteration.
    fn bounds_checks(&self, row: &LoopRow<'_>, body: &Body) -> f64 {
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

    /// Computing cycles of one execution: the maximum of throughput plus loop entry, and of waiting on the dependence chain.
    fn execution(&self, model: &LoopModel<'_>) -> Execution {
        let core = &self.assumptions.machine.core;
        let LoopModel { row, throughput, lanes, .. } = model;
        let trips = row.iterations() / row.entries.max(1.0);
        let mut entry = core.loop_entry;
        if self.has_mispredicted_exit(model) {
            entry += core.mispredict;
        }
        if lanes.count > 1.0 && self.assumptions.compiler.checks_at_run_time() || lanes.library {
            entry += core.vector_entry;
        }
        if lanes.outer {
            entry /= lanes.count;
        }
        let working = trips * (throughput.cycles + throughput.mispredicted);
        let waiting = match (&model.chain, &model.compiled) {
            (Some(chain), _) => self.chain_wait(model, chain, trips),
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

    /// Whether the exit of a loop is mispredicted because it has more passes than the branch predictor remembers.
    fn has_mispredicted_exit(&self, model: &LoopModel<'_>) -> bool {
        let passes =
            model.row.usual_trips(self.instance) / model.iterations_per_pass(self.assumptions.compiler);
        model.row.is_innermost && passes > self.assumptions.machine.core.predicted_trips
    }

    /// Cycles that one execution waits on its dependence chain, without those that overlap with the next execution.
    ///
    /// If the chain starts anew in every execution, the core begins the next execution early: as many iterations as fit into its
    /// reorder buffer and scheduler overlap.
    fn chain_wait(&self, model: &LoopModel<'_>, chain: &Chain, trips: f64) -> f64 {
        let core = &self.assumptions.machine.core;
        let shared = chain.may_be_reordered() || model.lanes.outer;
        let each = match &model.compiled {
            // The compiled code alone does not show that an element is stored and loaded again; the addresses of the source do.
            Some(Ok(found)) if chain.carried.through_memory => {
                chain.cycles.max(found.recurrence / found.iterations)
            }
            Some(Ok(found)) => found.recurrence / found.iterations,
            _ if shared => chain.cycles / model.lanes.count,
            _ => chain.cycles,
        };
        let Some(whole) = self.length_of_chain(model, chain, trips) else { return trips * each };
        let ahead = core.window / model.throughput.instructions.max(1.0);
        let ahead = ahead.min(core.waiting / chain.operations.len().max(1) as f64);
        // A mispredicted exit is detected early, because it does not depend on the chain; it still delays the next execution.
        let late = if self.has_mispredicted_exit(model) { core.mispredict } else { 0.0 };
        let overlapping = (ahead * each - late).max(0.0);
        (whole * each - overlapping).max(0.0) * trips / whole.max(1.0)
    }

    /// Number of iterations until the chain starts anew in an enclosing loop; `None` if it never does.
    fn length_of_chain(&self, model: &LoopModel<'_>, chain: &Chain, trips: f64) -> Option<f64> {
        let mut length = trips;
        let mut row = model.row;
        loop {
            let parent = row.parent.map(|parent| &self.tree.loops[parent])?;
            if self.is_independent(parent, model, chain) {
                return Some(length);
            }
            length *= parent.iterations() / parent.entries.max(1.0);
            row = parent;
        }
    }

    /// Whether the chain starts anew in every iteration of the enclosing loop `parent`: its scalar is overwritten there, or its
    /// array element moves with that loop.
    fn is_independent(&self, parent: &LoopRow<'_>, model: &LoopModel<'_>, chain: &Chain) -> bool {
        if let Some(name) = &chain.carried.scalar {
            return parent
                .statements
                .iter()
                .any(|(statement, _)| statement.conditions.is_empty() && statement.source.overwrites(name));
        }
        let mut stores = model.body.accesses.iter().filter(|access| access.is_store());
        stores.any(|access| {
            let moves = |address: &crate::concrete::Linear| address.factor(parent.source.variable) != 0;
            Some(access.array) == chain.carried.array && access.address.as_ref().is_some_and(moves)
        })
    }
}
