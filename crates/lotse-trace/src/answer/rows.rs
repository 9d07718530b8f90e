//! Tables of the engine as rows of answers.

use std::collections::BTreeMap;

use lotse_model::trace::Ticks;

use super::{SeverityAnswer, TimeAnswer};
use crate::store::Trace;
use crate::tree::TimeTree;
use crate::waits::Waits;

/// The cube, cell by cell.
pub(crate) fn severities(trace: &Trace, waits: &Waits) -> Vec<SeverityAnswer> {
    let mut names = PathNames::new(trace);
    let rows = waits.cube.iter().filter(|row| row.ticks > 0);
    rows.map(|row| SeverityAnswer {
        metric: row.metric.id,
        location: row.location.0,
        callpath: names.get(row.path),
        seconds: trace.seconds(row.ticks),
        bound: row.metric.bound,
    })
    .collect()
}

/// Sums of the metrics over all call paths and locations.
pub(crate) fn totals(trace: &Trace, waits: &Waits) -> BTreeMap<&'static str, f64> {
    let mut ticks: BTreeMap<&'static str, Ticks> = BTreeMap::new();
    waits.cube.iter().for_each(|row| *ticks.entry(row.metric.id).or_default() += row.ticks);
    ticks.into_iter().map(|(metric, ticks)| (metric, trace.seconds(ticks))).collect()
}

/// Names of call paths, made once for each.
pub(crate) struct PathNames<'t> {
    trace: &'t Trace,
    known: hashbrown::HashMap<lotse_model::id::PathId, String>,
}

impl<'t> PathNames<'t> {
    pub(crate) fn new(trace: &'t Trace) -> Self {
        Self { trace, known: hashbrown::HashMap::new() }
    }

    pub(crate) fn get(&mut self, path: lotse_model::id::PathId) -> String {
        self.known.entry(path).or_insert_with(|| self.trace.path_name(path)).clone()
    }
}

/// The time tree over all locations; nodes without time are left out.
pub(crate) fn time_tree(trace: &Trace, tree: &TimeTree) -> Vec<TimeAnswer> {
    let sum = |ticks: &[Ticks]| trace.seconds(ticks.iter().sum());
    let rows = tree.nodes.iter().enumerate().map(|(number, node)| TimeAnswer {
        id: node.id,
        parent: node.parent.map(|parent| tree.nodes[parent].id),
        inclusive: sum(&tree.inclusive(number)),
        exclusive: sum(&node.exclusive),
    });
    rows.filter(|row| row.inclusive > 0.0).collect()
}
