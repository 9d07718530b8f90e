//! The time of a metric by call path.

use std::collections::BTreeMap;

use lotse_model::id::PathId;
use lotse_model::progress::Checked as _;
use lotse_model::trace::Ticks;
use lotse_trace::metric::Metric;

use super::TraceDocument;
use super::evidence::Place;
use crate::api::{CallPathRow, CallPathTable, Problem};

impl TraceDocument {
    /// The tree of call paths that a metric has time in.
    pub(super) fn call_paths(&self, name: &str) -> Result<CallPathTable, Problem> {
        let rows = self.subject.waits.cube.iter().filter(|row| row.metric.id == name);
        let mut own: BTreeMap<PathId, Ticks> = BTreeMap::new();
        let mut metric = None;
        for row in rows.checked() {
            metric = Some(row.metric);
            *own.entry(row.path).or_default() += row.ticks;
        }
        let metric =
            metric.ok_or_else(|| Problem::new(format!("no time is lost to {name:?} in this trace")))?;
        let worst = self.longest_waits(metric);
        let total: Ticks = own.values().sum();
        let doubtful: BTreeMap<PathId, Ticks> = self.doubtful.of_metric(metric).collect();
        let doubtful_below = self.inclusive(&doubtful);
        let of = |times: &BTreeMap<PathId, Ticks>, path: PathId| times.get(&path).copied().unwrap_or(0);
        let rows = self.preorder(&own).into_iter().map(|(path, depth, own, inclusive)| CallPathRow {
            name: self.subject.trace.region_name(self.subject.trace.paths.region(path)).to_owned(),
            depth,
            exclusive: self.amount(own, metric, of(&doubtful, path)),
            inclusive: self.amount(inclusive, metric, of(&doubtful_below, path)),
            window: worst.get(&path).map(|place| self.window(*place)),
            bar: worst.get(&path).map(|place| self.bar(*place)),
        });
        Ok(CallPathTable {
            metric: self.metric_row(metric, total, doubtful.values().sum()),
            rows: rows.collect(),
        })
    }

    /// Times by call path as times that contain those of all callees.
    fn inclusive(&self, own: &BTreeMap<PathId, Ticks>) -> BTreeMap<PathId, Ticks> {
        let paths = &self.subject.trace.paths;
        let mut inclusive: BTreeMap<PathId, Ticks> = BTreeMap::new();
        for (&path, &ticks) in own {
            let mut at = path;
            while at != lotse_trace::store::Paths::ROOT {
                *inclusive.entry(at).or_default() += ticks;
                at = paths.caller(at);
            }
        }
        inclusive
    }

    /// Call paths with their callers, each before its callees, the costliest first: path, depth, own and inclusive time.
    fn preorder(&self, own: &BTreeMap<PathId, Ticks>) -> Vec<(PathId, usize, Ticks, Ticks)> {
        let paths = &self.subject.trace.paths;
        let inclusive = self.inclusive(own);
        let mut callees: BTreeMap<PathId, Vec<PathId>> = BTreeMap::new();
        for &path in inclusive.keys() {
            callees.entry(paths.caller(path)).or_default().push(path);
        }
        // The costliest comes last, because the stack returns the last first.
        callees
            .values_mut()
            .for_each(|list| list.sort_by_key(|path| (inclusive[path], std::cmp::Reverse(*path))));
        let mut stack: Vec<(PathId, usize)> = Vec::new();
        let below = |path: PathId, depth: usize, stack: &mut Vec<(PathId, usize)>| {
            stack.extend(callees.get(&path).into_iter().flatten().map(|callee| (*callee, depth)));
        };
        below(lotse_trace::store::Paths::ROOT, 0, &mut stack);
        let mut rows = Vec::new();
        while let Some((path, depth)) = stack.pop() {
            rows.push((path, depth, own.get(&path).copied().unwrap_or(0), inclusive[&path]));
            below(path, depth + 1, &mut stack);
        }
        rows
    }

    /// The longest wait of a metric in each call path.
    fn longest_waits(&self, metric: &Metric) -> BTreeMap<PathId, Place> {
        let mut longest: BTreeMap<PathId, Place> = BTreeMap::new();
        let waits = self.subject.waits.by_location.iter().flatten();
        for wait in waits.filter(|wait| wait.metric == Some(metric) && !wait.is_overlapped).checked() {
            let place = (wait.call.location, wait.begin, wait.end);
            let known = longest.entry(self.subject.trace.path(wait.call)).or_insert(place);
            if wait.ticks() > known.2 - known.1 {
                *known = place;
            }
        }
        longest
    }
}
