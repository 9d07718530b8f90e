//! Converts tables of the analyses to rows of answers.

use std::collections::BTreeMap;

use lotse_model::trace::Ticks;

use super::{SeverityAnswer, TimeAnswer};
use crate::clock::{Correction, Doubt};
use crate::store::Trace;
use crate::tree::TimeTree;
use crate::waits::{CubeRow, Waits};

/// The severity cube, cell by cell; with the uncertain part where clocks were corrected.
pub(crate) fn severities(
    trace: &Trace,
    waits: &Waits,
    correction: Option<&Correction>,
) -> Vec<SeverityAnswer> {
    let mut names = PathNames::new(trace);
    let doubtful = Doubt::new(trace, correction).sums(waits);
    // A part of a metric has no waits of its own: up to all of its time may be uncertain.
    let uncertain = |row: &CubeRow| {
        let outermost = row.metric.outermost().id;
        doubtful.get(&(outermost, row.location, row.path)).map(|&ticks| trace.seconds(ticks.min(row.ticks)))
    };
    let rows = waits.cube.iter().filter(|row| row.ticks > 0);
    rows.map(|row| SeverityAnswer {
        metric: row.metric.id,
        location: row.location.0,
        callpath: names.get(row.path),
        seconds: trace.seconds(row.ticks),
        bound: row.metric.bound,
        uncertain: uncertain(row),
    })
    .collect()
}

/// Sums of the metrics over all call paths and locations.
pub(crate) fn totals(trace: &Trace, waits: &Waits) -> BTreeMap<&'static str, f64> {
    let mut ticks: BTreeMap<&'static str, Ticks> = BTreeMap::new();
    for row in &waits.cube {
        let sum = ticks.entry(row.metric.id).or_default();
        *sum = sum.saturating_add(row.ticks);
    }
    ticks.into_iter().map(|(metric, ticks)| (metric, trace.seconds(ticks))).collect()
}

/// Names of call paths, each composed once.
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
    // The times of several locations together may exceed the range of ticks.
    let sum =
        |ticks: &[Ticks]| trace.seconds(ticks.iter().fold(0, |sum: Ticks, &one| sum.saturating_add(one)));
    let rows = tree.nodes.iter().enumerate().map(|(number, node)| TimeAnswer {
        id: node.id,
        parent: node.parent.map(|parent| tree.nodes[parent].id),
        inclusive: sum(&tree.inclusive(number)),
        exclusive: sum(&node.exclusive),
        overlap: sum(&node.overlap),
    });
    rows.filter(|row| row.inclusive > 0.0 || row.overlap > 0.0).collect()
}
