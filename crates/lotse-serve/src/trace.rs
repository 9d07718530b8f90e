//! Questions about a trace: its time-line, and its waits by call path.

use std::collections::{BTreeMap, BTreeSet};

use lotse_host::Threads;
use lotse_model::id::PathId;
use lotse_model::site::Site;
use lotse_model::trace::Ticks;
use lotse_model::{Finding, NoProgress};
use lotse_report::Document as ReportDocument;
use lotse_report::number::{format_seconds, format_share};
use lotse_trace::analyze::Subject;
use lotse_trace::answer::Answer;
use lotse_trace::chart::{ChartAnswer, ChartLane, View, chart};
use lotse_trace::critical::{CriticalPath, critical_path};
use lotse_trace::filter::Filter;
use lotse_trace::metric::{Bound, Metric};
use lotse_trace::waits::Wait;

use crate::api::{
    About, Amount, CallPathRow, CallPathTable, DocumentKind, MetricRow, Problem, Question, Remark, Report,
    Timeline, TimelineLane, TimelineMessage, TimelinePiece, TimelineRegion, TraceAbout,
};
use crate::findings::{Target, finding_rows};
use crate::open::Document;
use crate::profile::json;
use crate::report::{lead, report_blocks};

/// A wider picture than any screen.
const MOST_COLUMNS: u32 = 8192;
/// More lanes than a screen has rows.
const MOST_LANES: usize = 1024;
/// How much of the run is shown before and after the evidence of a finding, as a part of its length.
const MARGIN: f64 = 1.5;

/// A trace with its waits and the answer about it.
pub struct TraceDocument {
    subject: Subject,
    path: CriticalPath,
    answer: Answer,
    report: ReportDocument,
}

impl TraceDocument {
    /// A document of an analysed trace; `report` is what the command line prints about it.
    pub fn new(subject: Subject, answer: Answer, report: ReportDocument) -> Self {
        let path = critical_path(&subject.trace, &subject.waits);
        Self { subject, path, answer, report }
    }

    fn runtime(&self) -> f64 {
        self.subject.trace.seconds(self.subject.trace.runtime())
    }

    /// The metrics that any call path has, in the order of their totals.
    fn metrics(&self) -> Vec<MetricRow> {
        let mut sums: BTreeMap<&str, (&'static Metric, Ticks)> = BTreeMap::new();
        for row in &self.subject.waits.cube {
            sums.entry(row.metric.id).or_insert((row.metric, 0)).1 += row.ticks;
        }
        let mut rows: Vec<(&'static Metric, Ticks)> =
            sums.into_values().filter(|(_, ticks)| *ticks > 0).collect();
        rows.sort_by_key(|(metric, ticks)| (std::cmp::Reverse(*ticks), metric.id));
        rows.into_iter().map(|(metric, ticks)| self.metric_row(metric, ticks)).collect()
    }

    fn metric_row(&self, metric: &Metric, ticks: Ticks) -> MetricRow {
        MetricRow {
            name: metric.id.to_owned(),
            title: metric.title.to_owned(),
            unit: "s".to_owned(),
            depth: 0,
            total: self.amount(ticks, metric),
            explanation: String::new(),
        }
    }

    /// Time, with its share of the time of all locations.
    fn amount(&self, ticks: Ticks, metric: &Metric) -> Amount {
        let seconds = self.subject.trace.seconds(ticks);
        // The whole that findings and tables of the command line refer to.
        let whole = self.answer.losses.iter().find(|loss| loss.metric == metric.id && loss.share > 0.0);
        let share = whole.map(|loss| seconds / (loss.seconds / loss.share)).filter(|share| share.is_finite());
        Amount {
            value: seconds,
            text: format_seconds(seconds),
            share,
            share_text: share.map_or_else(String::new, |share| format_share(share, 1)),
            mark: match metric.bound {
                _ if ticks == 0 => "",
                Bound::Exact => "",
                Bound::Lower => "≥",
                Bound::Upper => "≤",
            },
        }
    }

    /// The chart of a part of the run, given in seconds from the first event.
    fn timeline(
        &self,
        from: Option<f64>,
        to: Option<f64>,
        columns: u32,
        lanes: usize,
    ) -> Result<Timeline, Problem> {
        let trace = &self.subject.trace;
        let ticks = |seconds: f64| {
            (seconds.max(0.0) * trace.definitions.clock.resolution as f64).round().min(Ticks::MAX as f64)
                as Ticks
        };
        let usual = View::default();
        let view = View {
            from: from.map_or(usual.from, ticks),
            to: to.map_or(usual.to, ticks),
            columns: columns.clamp(1, MOST_COLUMNS),
            lanes: lanes.clamp(1, MOST_LANES),
        };
        if view.from >= view.to || view.from >= trace.runtime().max(1) {
            return Err(Problem::new(
                "there is nothing to draw: the window is empty or after the end of the run",
            ));
        }
        let mut silent = NoProgress;
        let workers = Threads::new("drawing", &mut silent);
        let waits = &self.subject.waits;
        let drawn = chart(trace, waits, &self.path, (view, &Filter::default()), &workers);
        Ok(timeline(drawn, self.runtime()))
    }

    /// The tree of call paths that a metric has time in.
    fn call_paths(&self, name: &str) -> Result<CallPathTable, Problem> {
        let rows = self.subject.waits.cube.iter().filter(|row| row.metric.id == name);
        let mut own: BTreeMap<PathId, Ticks> = BTreeMap::new();
        let mut metric = None;
        for row in rows {
            metric = Some(row.metric);
            *own.entry(row.path).or_default() += row.ticks;
        }
        let metric =
            metric.ok_or_else(|| Problem::new(format!("no time is lost to {name:?} in this trace")))?;
        let worst = self.longest_waits(metric);
        let total: Ticks = own.values().sum();
        Ok(CallPathTable {
            metric: self.metric_row(metric, total),
            rows: self.preorder(&own).into_iter().map(|row| self.path_row(metric, &worst, row)).collect(),
        })
    }

    fn path_row(
        &self,
        metric: &Metric,
        worst: &BTreeMap<PathId, (Ticks, Ticks)>,
        (path, depth, own, inclusive): (PathId, usize, Ticks, Ticks),
    ) -> CallPathRow {
        let trace = &self.subject.trace;
        CallPathRow {
            name: trace.region_name(trace.paths.region(path)).to_owned(),
            depth,
            exclusive: self.amount(own, metric),
            inclusive: self.amount(inclusive, metric),
            window: worst.get(&path).map(|span| self.window(*span)),
        }
    }

    /// Call paths with their callers, each before its callees, the costliest first: path, depth, own and inclusive time.
    fn preorder(&self, own: &BTreeMap<PathId, Ticks>) -> Vec<(PathId, usize, Ticks, Ticks)> {
        let paths = &self.subject.trace.paths;
        let mut inclusive: BTreeMap<PathId, Ticks> = BTreeMap::new();
        for (&path, &ticks) in own {
            let mut at = path;
            while at != lotse_trace::store::Paths::ROOT {
                *inclusive.entry(at).or_default() += ticks;
                at = paths.caller(at);
            }
        }
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
    fn longest_waits(&self, metric: &Metric) -> BTreeMap<PathId, (Ticks, Ticks)> {
        let mut longest: BTreeMap<PathId, (Ticks, Ticks)> = BTreeMap::new();
        let waits = self.subject.waits.by_location.iter().flatten();
        for wait in waits.filter(|wait| wait.metric == Some(metric) && !wait.is_overlapped) {
            let known = longest.entry(self.subject.trace.path(wait.call)).or_insert((wait.begin, wait.end));
            if wait.ticks() > known.1 - known.0 {
                *known = (wait.begin, wait.end);
            }
        }
        longest
    }

    /// A window around a span, in seconds from the first event.
    fn window(&self, (begin, end): (Ticks, Ticks)) -> (f64, f64) {
        let trace = &self.subject.trace;
        let origin = trace.first_tick();
        let (begin, end) =
            (trace.seconds(begin.saturating_sub(origin)), trace.seconds(end.saturating_sub(origin)));
        let margin = (end - begin) * MARGIN;
        ((begin - margin).max(0.0), (end + margin).min(self.runtime()))
    }

    /// Where the evidence of a finding is: the longest wait of its metric, in its call path if it names one, or else the longest
    /// stay in the region that it names. Nowhere, rather than somewhere else.
    fn evidence(&self, finding: &Finding) -> Target {
        let span = self.longest_wait_of(finding).or_else(|| {
            finding.sites.iter().find_map(|site| match site {
                Site::Source(source) => self.longest_stay(source.function.as_deref()?),
                Site::Region { path, .. } => self.longest_stay(path.last()?),
                _ => None,
            })
        });
        Target { window: span.map(|span| self.window(span)), ..Target::default() }
    }

    /// The first of the longest waits of the metric that the finding is about.
    fn longest_wait_of(&self, finding: &Finding) -> Option<(Ticks, Ticks)> {
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
        longest.map(|wait| (wait.begin, wait.end))
    }

    /// The longest uninterrupted stay in a region and what it calls, on the location that spends most time there.
    fn longest_stay(&self, region: &str) -> Option<(Ticks, Ticks)> {
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
        let stays = trace.timelines.iter().map(|timeline| {
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
            (sum, longest)
        });
        let (sum, longest) = stays.reduce(|best, stay| if stay.0 > best.0 { stay } else { best })?;
        (sum > 0).then_some(longest)
    }
}

impl Document for TraceDocument {
    /// The sentence of the report, the findings with the windows of their evidence, and what was repaired in the file.
    fn about(&self) -> About {
        let (sentence, _) = lead(&self.report);
        let rows = finding_rows(&self.answer.findings, |finding| self.evidence(finding));
        let repairs = self.answer.facts.repairs.iter().map(|repair| Remark {
            place: repair.place.clone(),
            message: format!("{}: {}", repair.file, repair.message),
            loss: repair.loss,
        });
        About {
            kind: DocumentKind::Trace,
            format: self.answer.facts.format.clone(),
            sentence,
            findings: rows,
            remarks: repairs.collect(),
            profile: None,
            trace: Some(TraceAbout {
                runtime: self.runtime(),
                locations: self.answer.facts.location_labels.clone(),
                metrics: self.metrics(),
            }),
        }
    }

    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Timeline { from, to, columns, lanes, first_lane: _ } => {
                json(&self.timeline(*from, *to, *columns, *lanes)?)
            }
            Question::CallPaths { metric } => json(&self.call_paths(metric)?),
            Question::Report {} => json(&Report { blocks: report_blocks(&self.report) }),
            _ => Err(Problem::new("a trace has no functions with costs; its call paths have")),
        }
    }
}

/// A chart as columns, with what it does not show.
fn timeline(chart: ChartAnswer, runtime: f64) -> Timeline {
    let lane = |lane: ChartLane| TimelineLane {
        name: lane.name,
        from: lane.spans.iter().map(|span| span.from).collect(),
        to: lane.spans.iter().map(|span| span.to).collect(),
        region: lane.spans.iter().map(|span| span.region).collect(),
        waits: lane.waits.iter().map(|span| (span.from, span.to)).collect(),
    };
    let drawn: u64 = chart.messages.iter().map(|message| message.count).sum();
    let hidden = match chart.message_count.saturating_sub(drawn) {
        0 => String::new(),
        more => format!("{more} of {} messages are not drawn", chart.message_count),
    };
    Timeline {
        begin: chart.begin,
        end: chart.end,
        runtime,
        columns: chart.columns,
        lane_count: chart.lanes.len(),
        first_lane: 0,
        regions: chart
            .regions
            .into_iter()
            .map(|region| TimelineRegion { name: region.name, class: region.class.to_owned() })
            .collect(),
        lanes: chart.lanes.into_iter().map(lane).collect(),
        messages: chart
            .messages
            .into_iter()
            .map(|message| TimelineMessage {
                from_lane: message.from_lane,
                to_lane: message.to_lane,
                sent: message.sent,
                received: message.received,
                count: message.count as f64,
            })
            .collect(),
        message_count: chart.message_count as f64,
        hidden,
        critical_path: chart
            .critical_path
            .into_iter()
            .map(|piece| TimelinePiece { lane: piece.lane, from: piece.from, to: piece.to })
            .collect(),
    }
}
