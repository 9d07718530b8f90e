//! Where on the time-line the evidence of a finding is.

use std::collections::BTreeSet;

use lotse_model::Finding;
use lotse_model::id::{LocationId, PathId};
use lotse_model::site::Site;
use lotse_model::trace::Ticks;
use lotse_trace::inspect::longest_wait_for;
use lotse_trace::metric::{Metric, Parent};
use lotse_trace::patterns::{PATTERNS, Pattern};
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

    /// Where the evidence of a finding is: the longest wait of its pattern at the place that it names last, for the location
    /// that it names first as the cause; or else the longest stay at the place that it names first, on the location that it
    /// names. Nowhere, rather than somewhere else.
    pub(super) fn evidence(&self, finding: &Finding) -> Target {
        let span = match PATTERNS.iter().find(|pattern| pattern.rule.id == finding.rule.id) {
            Some(pattern) => {
                let waits_at = finding.sites.last();
                let cause = finding.sites.first().filter(|_| finding.sites.len() > 1);
                self.longest_wait_of(pattern, waits_at, cause).or_else(|| self.longest_stay_at(waits_at?))
            }
            None => finding.sites.first().and_then(|site| self.longest_stay_at(site)),
        };
        Target {
            window: span.map(|span| self.window(span)),
            bar: span.map(|span| self.bar(span)),
            ..Target::default()
        }
    }

    /// The first of the longest waits of a pattern in the call path and on the location that the site names, if it names them;
    /// if the cause is on a location, of those for this location.
    fn longest_wait_of(&self, pattern: &Pattern, site: Option<&Site>, cause: Option<&Site>) -> Option<Place> {
        let (location, path) = match site {
            Some(Site::Region { process, path }) => (process.as_deref(), path.as_slice()),
            _ => (None, &[][..]),
        };
        let (locations, paths) = (self.locations_called(location), self.paths_called(path));
        let is_there = |wait: &Wait| {
            (path.is_empty() || paths.contains(&self.subject.trace.path(wait.call)))
                && wait.metric.is_some_and(|metric| is_part_of(metric, pattern))
        };
        let causes = match cause {
            Some(Site::Region { process: Some(process), .. }) => Some(self.locations_called(Some(process))),
            _ => None,
        };
        let longest = longest_wait_for(&self.subject.waits, is_there, &locations, causes.as_ref());
        longest.map(|wait| (wait.call.location, wait.begin, wait.end))
    }

    fn longest_stay_at(&self, site: &Site) -> Option<Place> {
        match site {
            Site::Source(source) => {
                let named = self.subject.trace.paths_named(source.function.as_deref()?);
                self.longest_stay(&named.into_iter().collect(), &self.locations_called(None))
            }
            Site::Region { process, path } => {
                self.longest_stay(&self.paths_called(path), &self.locations_called(process.as_deref()))
            }
            _ => None,
        }
    }

    /// The locations with a label; without one all.
    fn locations_called(&self, label: Option<&str>) -> BTreeSet<LocationId> {
        let labels = &self.answer.facts.location_labels;
        let is_called = |location: &LocationId| {
            label.is_none_or(|label| labels.get(location.index()).is_some_and(|known| known == label))
        };
        self.subject.trace.locations().filter(is_called).collect()
    }

    /// The call paths with these regions, outermost first.
    fn paths_called(&self, names: &[String]) -> BTreeSet<PathId> {
        let trace = &self.subject.trace;
        let is_called = |path: &PathId| {
            let regions = trace.paths.regions(*path);
            regions.len() == names.len()
                && regions.iter().zip(names).all(|(region, name)| trace.region_name(*region) == name)
        };
        (0..trace.paths.len()).map(PathId::from).filter(is_called).collect()
    }

    /// The longest uninterrupted stay in call paths and what they call, on that of the locations that spends most time there.
    fn longest_stay(&self, named: &BTreeSet<PathId>, locations: &BTreeSet<LocationId>) -> Option<Place> {
        let trace = &self.subject.trace;
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
        let stays = locations.iter().map(|&location| {
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
            if let Some(from) = since {
                let end = timeline.last.max(from);
                sum += end - from;
                longest = if end - from > longest.1 - longest.0 { (from, end) } else { longest };
            }
            (sum, (location, longest.0, longest.1))
        });
        let (sum, longest) = stays.reduce(|best, stay| if stay.0 > best.0 { stay } else { best })?;
        (sum > 0).then_some(longest)
    }
}

/// Whether a pattern finds waits of a metric, or of one that this metric is a part of.
fn is_part_of(metric: &'static Metric, pattern: &Pattern) -> bool {
    let parent = |metric: &&'static Metric| match metric.parent {
        Parent::Metric(parent) => Some(parent),
        _ => None,
    };
    std::iter::successors(Some(metric), parent).any(|metric| pattern.metrics.contains(&metric))
}
