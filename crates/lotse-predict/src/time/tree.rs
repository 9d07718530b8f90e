//! The loops of an instance as a list, with how often each is entered and what is directly in it.

use std::collections::{BTreeMap, BTreeSet};

use super::transfers::Owners;
use super::vector::Trips;
use crate::concrete::{ConcreteLoop, ConcreteStatement, Instance, Item, Linear, System};
use crate::count::{self, CountError, Points};
use crate::locality::{ClassId, Classes};
use crate::nest::Symbol;

/// The position of a loop in [`Tree`].
pub(super) type LoopId = usize;

/// All loops in the order of the source, outer ones first.
pub(super) struct Tree<'i> {
    pub(super) loops: Vec<Row<'i>>,
}

/// One loop.
pub(super) struct Row<'i> {
    pub(super) source: &'i ConcreteLoop,
    pub(super) parent: Option<LoopId>,
    pub(super) depth: usize,
    /// Iterations in all.
    pub(super) points: Points,
    /// How often it is started.
    pub(super) entries: f64,
    /// Statements directly in it, each with its executions.
    pub(super) statements: Vec<(&'i ConcreteStatement, f64)>,
    pub(super) is_innermost: bool,
}

impl Row<'_> {
    pub(super) fn iterations(&self) -> f64 {
        self.points.number as f64
    }

    /// Iterations of most executions: those of a whole tile, although the last tile of a row is smaller.
    pub(super) fn usual_trips(&self, instance: &Instance<'_>) -> f64 {
        let average = self.iterations() / self.entries.max(1.0);
        match self.most_trips(instance) {
            Some(most) if most < 2.0 * average => most.max(average),
            _ => average,
        }
    }

    /// The most iterations that one execution can have, where a difference of bounds is a number.
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

    /// What a compiler knows about the number of iterations.
    pub(super) fn trips(&self, instance: &Instance<'_>) -> Trips {
        let average = self.iterations() / self.entries.max(1.0);
        let own = self.source.domain.constraints.iter().filter(|form| form.factor(self.source.variable) != 0);
        let symbols = &instance.function.symbols;
        let compiled = |symbol: Symbol| {
            let default = instance.function.defaults.iter().any(|(known, _)| *known == symbol);
            // A name in capitals that the source does not define is a macro of the command line.
            default || symbols.name(symbol).chars().all(|letter| !letter.is_lowercase())
        };
        let mut known = true;
        for form in own {
            known &= form.terms().count() == 1 && form.rest.symbols().all(compiled);
        }
        Trips { average, compiled: known }
    }
}

impl<'i> Tree<'i> {
    pub(super) fn new(instance: &'i Instance<'_>) -> Result<Self, CountError> {
        let mut tree = Self { loops: Vec::new() };
        tree.visit(instance, &instance.body, None)?;
        Ok(tree)
    }

    fn visit(
        &mut self,
        instance: &Instance<'_>,
        items: &'i [Item],
        parent: Option<LoopId>,
    ) -> Result<(), CountError> {
        for item in items {
            let Item::Loop(source) = item else { continue };
            let points = count::iterations(instance, source)?;
            let (entries, depth) = parent
                .map_or((1.0, 0), |parent| (self.loops[parent].iterations(), self.loops[parent].depth + 1));
            let mut statements = Vec::new();
            for inner in &source.body {
                if let Item::Statement(statement) = inner {
                    statements.push((statement, count::executions(instance, statement)?.number as f64));
                }
            }
            let is_innermost = !source.body.iter().any(|item| matches!(item, Item::Loop(_)));
            let id = self.loops.len();
            self.loops.push(Row { source, parent, depth, points, entries, statements, is_innermost });
            self.visit(instance, &source.body, Some(id))?;
        }
        Ok(())
    }

    /// The variables of a loop and of those around it.
    pub(super) fn variables_outwards(&self, id: LoopId) -> Vec<Symbol> {
        let mut variables = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            variables.push(self.loops[id].source.variable);
            at = self.loops[id].parent;
        }
        variables
    }

    /// Classes that are touched whatever conditions on data say.
    pub(super) fn certain_classes(&self, classes: &Classes) -> BTreeSet<ClassId> {
        let statements = self.loops.iter().flat_map(|row| &row.statements);
        let certain = statements.filter(|(statement, _)| statement.conditions.is_empty());
        let touches = certain.flat_map(|(statement, _)| &statement.touches);
        touches.filter_map(|touch| classes.id_of(touch)).collect()
    }

    /// The loop that touches each class most often.
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
