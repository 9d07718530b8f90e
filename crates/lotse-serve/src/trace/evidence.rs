//! Where on the time-line the evidence of a finding is.

use std::collections::BTreeSet;

use lotse_model::Finding;
use lotse_model::id::{LocationId, PathId};
use lotse_model::site::Site;
use lotse_model::trace::Ticks;
use lotse_trace::waits::Wait;

use super::TraceDocument;
use crate::api::TimelineBar;
use crate::findings::Target;

/// How much of the run is shown before and after the evidence of a finding, as a part of its length.
const MARGIN: f64 = 1.5;

/// A span of a location.
pub(super) type Place = (LocationId, Ticks, Ticks);

impl TraceDocument {
    /// A window around a span, in seconds from the first event.
    pub(super) fn window(&self, (_, begin, end): Place) -> (f64, f64) {
        let (begin, end) = (self.seconds_at(begin), self.seconds_at(end));
        let margin = (end - begin) * MARGIN;
        ((begin - margin).max(0.0), (end + margin).min(self.runtime()))
    }

    /// The outline of a span on the time-line.
    pub(super) fn bar(&self, (location, begin, end): Place) -> TimelineBar {
        let lane = self.index.locations().partition_point(|&shown| shown < location);
        TimelineBar { location: location.0, lane, begin: self.seconds_at(begin), end: self.seconds_at(end) }
    }

    /// Where the evidence of a finding is: the longest wait of its metric, in its call path if it names one, or else the longest
    /// stay in the region that it names. Nowhere, rather than somewhere else.
    pub(super) fn evidence(&self, finding: &Finding) -> Target {
        let span = self.longest_wait_of(finding).or_else(|| {
            finding.sites.iter().find_map(|site| match site {
                Site::Source(source) => self.longest_stay(source.function.as_deref()?),
                Site::Region { path, .. } => self.longest_stay(path.last()?),
                _ => None,
            })
        });
        Target {
            window: span.map(|span| self.window(span)),
            bar: span.map(|span| self.bar(span)),
            ..Target::default()
        }
    }

    /// The first of the longest waits of the metric that the finding is about.
    fn longest_wait_of(&self, finding: &Finding) -> Option<Place> {
        let trace = &self.subject.trace;
        let named = finding.sites.iter().find_map(|site| match site {
            Site::Region { path, .. } if !path.is_empty() => Some(path.join("/")),
            _ => None,
        });
        let paths: BTreeSet<PathId> = self.subject.waits.cube.iter().map(|row| row.path).collect();
        let is_named = |path: &PathId| {
            named.as_ref().is_some_and(|name| trace.path_name(*path).ends_with(name.as_str()))
        };
        let here: BTreeSet<PathId> = paths.into_iter().filter(is_named).collect();
        let waits = self.subject.waits.by_location.iter().flatten();
        let of_rule = waits.filter(|wait| wait.metric.is_some_and(|metric| metric.id == finding.rule.id));
        let rank = |wait: &Wait| (here.contains(&trace.path(wait.call)), wait.ticks());
        let longest = of_rule.reduce(|best, wait| if rank(wait) > rank(best) { wait } else { best });
        longest.map(|wait| (wait.call.location, wait.begin, wait.end))
    }

    /// The longest uninterrupted stay in a region and what it calls, on the location that spends most time there.
    fn longest_stay(&self, region: &str) -> Option<Place> {
        let trace = &self.subject.trace;
        let named: BTreeSet<PathId> = trace.paths_named(region).into_iter().collect();
        let is_inside = |mut path: PathId| {
            while path != lotse_trace::store::Paths::ROOT {
                if named.contains(&path) {
                    return true;
                }
                path = trace.paths.caller(path);
            }
            false
        };
        let inside: Vec<bool> = (0..trace.paths.len()).map(|path| is_inside(PathId::from(path))).collect();
        let stays = trace.locations().map(|location| {
            let timeline = trace.timeline(location);
            let (mut sum, mut longest, mut since) = (0, (0, 0), None);
            for (step, &at) in timeline.at.iter().enumerate() {
                match (since, inside[timeline.path[step].index()]) {
                    (None, true) => since = Some(at),
                    (Some(from), false) => {
                        sum += at - from;
                        longest = if at - from > longest.1 - longest.0 { (from, at) } else { longest };
                        since = None;
                    }
                    _ => {}
                }
            }
            (sum, (location, longest.0, longest.1))
        });
        let (sum, longest) = stays.reduce(|best, stay| if stay.0 > best.0 { stay } else { best })?;
        (sum > 0).then_some(longest)
    }
}
