//! Questions about a trace: its time-line, its waits by call path, and what happens at one place of it.

use std::collections::BTreeMap;

use lotse_host::Threads;
use lotse_model::NoProgress;
use lotse_model::trace::Ticks;
use lotse_report::Document as ReportDocument;
use lotse_report::number::{format_seconds, format_share};
use lotse_trace::analyze::Subject;
use lotse_trace::answer::Answer;
use lotse_trace::chart::ChartIndex;
use lotse_trace::critical::{CriticalPath, critical_path};
use lotse_trace::marks::mark_of_sum;
use lotse_trace::metric::Metric;
use lotse_trace::report::repair_message;

use crate::api::{About, Amount, DocumentKind, MetricRow, Problem, Question, Remark, Report, TraceAbout};
use crate::findings::finding_rows;
use crate::open::Document;
use crate::profile::json;
use crate::report::{lead, report_blocks};

mod call_paths;
mod doubtful;
mod evidence;
mod inspect;
mod picture;
mod ranks;
mod statistics;
mod table;

use doubtful::DoubtfulTimes;
use inspect::WaitQuestion;
use picture::Wanted;
use ranks::RegionRanks;
use statistics::StatisticsQuestion;

/// A trace with its waits and the answer about it.
pub struct TraceDocument {
    subject: Subject,
    path: CriticalPath,
    index: ChartIndex,
    ranks: RegionRanks,
    doubtful: DoubtfulTimes,
    answer: Answer,
    report: ReportDocument,
}

impl TraceDocument {
    /// A document of an analysed trace; `report` is what the command line prints about it.
    pub fn new(subject: Subject, answer: Answer, report: ReportDocument) -> Self {
        let path = critical_path(&subject.trace, &subject.waits);
        let mut silent = NoProgress;
        let index = ChartIndex::new(&subject.trace, &subject.waits, &Threads::new("indexing", &mut silent));
        let ranks = RegionRanks::new(&subject.trace, &index);
        let doubtful = DoubtfulTimes::new(&subject, index.locations());
        Self { subject, path, index, ranks, doubtful, answer, report }
    }

    /// A time of the page, in seconds after the first event, as ticks after the first event.
    fn ticks(&self, seconds: f64) -> Ticks {
        let resolution = self.subject.trace.definitions.clock.resolution as f64;
        (seconds.max(0.0) * resolution).round().min(Ticks::MAX as f64) as Ticks
    }

    /// The same as a time of the trace.
    fn time(&self, seconds: f64) -> Ticks {
        self.subject.trace.first_tick().saturating_add(self.ticks(seconds))
    }

    /// A time of the trace in seconds after the first event.
    fn seconds_at(&self, time: Ticks) -> f64 {
        self.subject.trace.seconds(time.saturating_sub(self.subject.trace.first_tick()))
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
        let doubtful = |metric: &Metric| self.doubtful.of_metric(metric).map(|it| it.1).sum();
        rows.into_iter().map(|(metric, ticks)| self.metric_row(metric, ticks, doubtful(metric))).collect()
    }

    /// A metric with its time, of which `doubtful` is in waits that the clocks leave in doubt.
    fn metric_row(&self, metric: &Metric, ticks: Ticks, doubtful: Ticks) -> MetricRow {
        MetricRow {
            name: metric.id.to_owned(),
            title: metric.title.to_owned(),
            unit: "s".to_owned(),
            depth: 0,
            total: self.amount(ticks, metric, doubtful),
            explanation: format!("shares of the time of all locations in {}", self.answer.analysed),
        }
    }

    /// Time, with its share of the time of all locations, and the mark of a bound or of doubt.
    fn amount(&self, ticks: Ticks, metric: &Metric, doubtful: Ticks) -> Amount {
        let seconds = self.subject.trace.seconds(ticks);
        // The whole that tables of the report refer to.
        let whole = self.answer.time_tree.first().map(|root| root.inclusive).filter(|whole| *whole > 0.0);
        let share = whole.map(|whole| seconds / whole);
        Amount {
            value: seconds,
            text: format_seconds(seconds),
            share,
            share_text: share.map_or_else(String::new, |share| format_share(share, 1)),
            mark: mark_of_sum(metric.bound, doubtful, ticks),
        }
    }
}

impl Document for TraceDocument {
    /// The sentence of the report, the findings with the windows of their evidence, and what was repaired in the file.
    fn about(&self) -> About {
        let (sentence, _) = lead(&self.report);
        let rows = finding_rows(&self.answer.findings, |finding| self.evidence(finding));
        let repairs = self.answer.facts.repairs.iter().map(|repair| Remark {
            place: repair.place.clone(),
            message: format!("{}: {}", repair.file, repair_message(repair)),
            loss: repair.loss,
        });
        let clocks = self.subject.correction.is_some().then(|| {
            Remark::note("the clocks contradicted each other and were corrected: all times on this page are by the corrected clocks")
        });
        About {
            kind: DocumentKind::Trace,
            format: self.answer.facts.format.clone(),
            sentence,
            findings: rows,
            remarks: repairs.chain(clocks).collect(),
            profile: None,
            trace: Some(TraceAbout {
                runtime: self.runtime(),
                ticks_per_second: self.subject.trace.definitions.clock.resolution as f64,
                locations: self.answer.facts.location_labels.clone(),
                metrics: self.metrics(),
            }),
        }
    }

    /// Each question is answered by a module of its own.
    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            &Question::Timeline { from, to, columns, lanes, first_lane, merge, table } => {
                json(&self.timeline(&Wanted { from, to, columns, lanes, first_lane, merge, table })?)
            }
            &Question::Moment { location, at } => json(&self.moment(location, at)?),
            Question::Statistics { from, to, of, location, row } => {
                let row = row.as_deref();
                json(&self.statistics(&StatisticsQuestion {
                    from: *from,
                    to: *to,
                    of: *of,
                    location: *location,
                    row,
                })?)
            }
            Question::NextWait { begin, end, at, backward, location, metric, least } => {
                json(&self.next_wait(&WaitQuestion {
                    from: (*begin, *end, *at),
                    backward: *backward,
                    location: *location,
                    metric: metric.as_deref(),
                    least: *least,
                })?)
            }
            Question::CallPaths { metric } => json(&self.call_paths(metric)?),
            Question::Report {} => json(&Report { blocks: report_blocks(&self.report) }),
            _ => Err(Problem::new("a trace has no functions with costs; its call paths have")),
        }
    }
}
