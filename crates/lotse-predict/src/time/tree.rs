//! The loops of an instance as a list, with the number of entries and the statements of each.

use std::collections::{BTreeMap, BTreeSet};

use super::transfers::Owners;
use super::vector::Trips;
use crate::concrete::{ConcreteLoop, ConcreteNode, ConcreteStatement, Instance, Linear, System};
use crate::count::{self, CountError, Points};
use crate::locality::{ClassId, Classes};
use crate::nest::Symbol;

/// The position of a loop in [`Tree`].
pub(super) type LoopId = usize;

/// All loops in the order of the source; an outer loop comes before the loops inside it.
pub(super) struct LoopTree<'i> {
    pub(super) loops: Vec<LoopRow<'i>>,
}

/// One loop of the tree.
pub(super) struct LoopRow<'i> {
    pub(super) source: &'i ConcreteLoop,
    pub(super) parent: Option<LoopId>,
    pub(super) depth: usize,
    /// Total number of iterations.
    pub(super) points: Points,
    /// How often the loop is started.
    pub(super) entries: f64,
    /// Statements directly in the loop, each with its total number of executions.
    pub(super) statements: Vec<(&'i ConcreteStatement, f64)>,
    pub(super) is_innermost: bool,
}

impl LoopRow<'_> {
    pub(super) fn iterations(&self) -> f64 {
        self.points.number as f64
    }

    /// The number of iterations of most executions: that of a full tile, even if the last tile of a row is smaller.
    pub(super) fn usual_trips(&self, instance: &Instance<'_>) -> f64 {
        let average = self.iterations() / self.entries.max(1.0);
        match self.most_trips(instance) {
            Some(most) if most < 2.0 * average => most.max(average),
            _ => average,
        }
    }

    /// The largest number of iterations of one execution, if a lower and an upper bound have a constant difference.
    fn most_trips(&self, instance: &Instance<'_>) -> Option<f64> {
        let value_of = |symbol: Symbol| instance.values.get(symbol).map_or(0, i128::from);
        let (domain, variable) = (&self.source.domain, self.source.variable);
        let bounds = |factor: i128| {
            domain.constraints.iter().filter(move |form: &&Linear| form.factor(variable) == factor)
        };
        let pairs = bounds(1).flat_map(|lower| bounds(-1).filter_map(|upper| lower.add(upper).ok()));
        let spans = pairs.filter(|span| !span.has_variables());
        let span = spans.filter_map(|span| span.rest.evaluate(value_of).ok()?.to_integer()).min()?;
        let (first, last) = System::new(domain, value_of).ok()?.range(variable)?;
        Some((span.min(last - first) + 1) as f64)
    }

    /// What a compiler knows about the trip count.
    pub(super) fn trips(&self, instance: &Instance<'_>) -> Trips {
        let average = self.iterations() / self.entries.max(1.0);
        let own = self.source.domain.constraints.iter().filter(|form| form.factor(self.source.variable) != 0);
        let symbols = &instance.function.symbols;
        let compiled = |symbol: Symbol| {
            let default = instance.function.defaults.iter().any(|(known, _)| *known == symbol);
            // A name in capitals that the source does not define is a macro from the command line.
            default || symbols.name(symbol).chars().all(|letter| !letter.is_lowercase())
        };
        let mut known = true;
        for form in own {
            known &= form.terms().count() == 1 && form.rest.symbols().all(compiled);
        }
        Trips { average, known_at_compile_time: known }
    }
}

impl<'i> LoopTree<'i> {
    pub(super) fn new(instance: &'i Instance<'_>) -> Result<Self, CountError> {
        let mut tree = Self { loops: Vec::new() };
        tree.visit(instance, &instance.body, None)?;
        Ok(tree)
    }

    /// Adds the loops below `nodes`, with their iterations, entries and statements.
    fn visit(
        &mut self,
        instance: &Instance<'_>,
        nodes: &'i [ConcreteNode],
        parent: Option<LoopId>,
    ) -> Result<(), CountError> {
        for node in nodes {
            let ConcreteNode::Loop(source) = node else { continue };
            let points = count::iterations(instance, source)?;
            let (entries, depth) = parent
                .map_or((1.0, 0), |parent| (self.loops[parent].iterations(), self.loops[parent].depth + 1));
            let mut statements = Vec::new();
            for inner in &source.body {
                if let ConcreteNode::Statement(statement) = inner {
                    statements.push((statement, count::executions(instance, statement)?.number as f64));
                }
            }
            let is_innermost = !source.body.iter().any(|node| matches!(node, ConcreteNode::Loop(_)));
            let id = self.loops.len();
            self.loops.push(LoopRow { source, parent, depth, points, entries, statements, is_innermost });
            self.visit(instance, &source.body, Some(id))?;
        }
        Ok(())
    }

    /// The variables of a loop and of the loops around it, from the inside out.
    pub(super) fn variables_outwards(&self, id: LoopId) -> Vec<Symbol> {
        let mut variables = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            variables.push(self.loops[id].source.variable);
            at = self.loops[id].parent;
        }
        variables
    }

    /// Classes that are accessed outside of conditions on data.
    pub(super) fn certain_classes(&self, classes: &Classes) -> BTreeSet<ClassId> {
        let statements = self.loops.iter().flat_map(|row| &row.statements);
        let certain = statements.filter(|(statement, _)| statement.conditions.is_empty());
        let touches = certain.flat_map(|(statement, _)| &statement.touches);
        touches.filter_map(|touch| classes.id_of(touch)).collect()
    }

    /// For each class, the loop that accesses it most often.
    pub(super) fn owners(&self, classes: &Classes) -> Owners {
        let mut most = BTreeMap::new();
        for (id, row) in self.loops.iter().enumerate() {
            for (statement, executions) in &row.statements {
                for class in statement.touches.iter().filter_map(|touch| classes.id_of(touch)) {
                    let best = most.entry(class).or_insert((id, *executions));
                    if *executions > best.1 {
                        *best = (id, *executions);
                    }
                }
            }
        }
        most.into_iter().map(|(class, (id, _))| (class, id)).collect()
    }
}
