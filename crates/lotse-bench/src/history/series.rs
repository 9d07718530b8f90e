//! From stored results to series.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_stats::sessions::{Session, SessionSpread};
use lotse_store::{MetricPoint, StoredResult};

use super::answer::{Change, HistoryAnswer, Kept, SCHEMA, SeriesAnswer, SeriesPoint};
use super::change::{self, SeriesChanges};

/// Which series of a history to show.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Programs; all where empty.
    pub programs: Vec<String>,
    /// The metric; `None` for the primary metric of each result.
    pub metric: Option<String>,
    /// Only the newest results of each series, at most this many.
    pub last: Option<usize>,
    /// Only results of this machine; `None` for all machines.
    pub machine: Option<Fingerprint>,
}

/// The requested series of a history, in the order in which their programs first appear.
pub fn analyse(store: &str, entries: &[StoredResult], query: &HistoryQuery) -> HistoryAnswer {
    let ours: Vec<&StoredResult> =
        entries.iter().filter(|entry| is_of_machine(entry, query.machine.as_ref())).collect();
    let mut names: Vec<(String, String)> = Vec::new();
    for entry in &ours {
        let metric = query.metric.as_ref().or(entry.primary.as_ref());
        for point in entry.points.iter().filter(|point| Some(&point.metric) == metric) {
            let name = (point.program.clone(), point.metric.clone());
            let wanted = query.programs.is_empty() || query.programs.contains(&point.program);
            if wanted && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let series = names.iter().map(|(program, metric)| {
        let series = Series::from_entries(&ours, program, metric);
        series.newest(query.last.unwrap_or(usize::MAX)).answer()
    });
    HistoryAnswer {
        schema: SCHEMA,
        store: store.to_owned(),
        machine: query.machine.as_ref().map(Fingerprint::summary),
        other_machines: (entries.len() - ours.len()) as u32,
        series: series.collect(),
    }
}

/// Whether a result was made on a machine. A result without a recorded machine counts as made on another one.
pub(crate) fn is_of_machine(entry: &StoredResult, machine: Option<&Fingerprint>) -> bool {
    match (machine, &entry.machine) {
        (None, _) => true,
        (Some(wanted), Some(found)) => wanted.same_machine(found),
        (Some(_), None) => false,
    }
}

/// The results of one program and one metric, the oldest first.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    program: String,
    metric: String,
    unit: Unit,
    pub(crate) all: Vec<SeriesResult>,
}

/// A result of a series.
#[derive(Debug, Clone)]
pub(crate) struct SeriesResult {
    pub(crate) kept: Kept,
    pub(crate) point: MetricPoint,
}

impl SeriesResult {
    pub(crate) fn new(entry: &StoredResult, point: &MetricPoint) -> Self {
        // A program with its own commit was built from exactly that commit.
        let changed = point.commit.is_none() && entry.origin.changed;
        let commit = point.commit.clone().or_else(|| entry.origin.commit.clone());
        let kept =
            Kept { id: entry.id.0, date: entry.date.clone(), commit, changed, labels: entry.labels.clone() };
        Self { kept, point: point.clone() }
    }

    /// The logarithm of the centre and its error (0 if unknown, as for a single run); `None` where there is no logarithm.
    pub(crate) fn session(&self) -> Option<Session> {
        let centre = self.point.centre.filter(|centre| *centre > 0.0)?.ln();
        Some(Session { centre, error: self.point.error.unwrap_or(0.0) })
    }

    /// Whether the user labelled the result as accepted, although its level differs from the one before.
    pub(crate) fn is_accepted(&self) -> bool {
        self.kept.labels.iter().any(|label| label == crate::gate::ACCEPTED)
    }

    /// Whether all runs gave the same value.
    pub(crate) fn is_exact(&self) -> bool {
        self.point.error == Some(0.0)
    }
}

impl Series {
    pub(crate) fn from_entries(entries: &[&StoredResult], program: &str, metric: &str) -> Self {
        let here = |point: &&MetricPoint| point.program == program && point.metric == metric;
        let of_entry = |entry: &&StoredResult| -> Vec<SeriesResult> {
            entry.points.iter().filter(here).map(|point| SeriesResult::new(entry, point)).collect()
        };
        let all: Vec<SeriesResult> = entries.iter().flat_map(of_entry).collect();
        let unit = all.last().map_or(Unit::Number, |measured| measured.point.unit);
        Self { program: program.to_owned(), metric: metric.to_owned(), unit, all }
    }

    /// The same without results in which all runs failed, which say nothing about the program's speed.
    pub(crate) fn measured(mut self) -> Self {
        self.all.retain(|result| result.point.centre.is_some());
        self
    }

    /// The same with one result more.
    pub(crate) fn with(&self, new: SeriesResult) -> Self {
        let mut longer = self.clone();
        longer.all.push(new);
        longer
    }

    /// The same without its newest results.
    pub(crate) fn without_last(&self, count: usize) -> Self {
        let mut shorter = self.clone();
        shorter.all.truncate(self.all.len().saturating_sub(count));
        shorter
    }

    /// The same with only its newest results.
    pub(crate) fn newest(mut self, count: usize) -> Self {
        self.all.drain(..self.all.len().saturating_sub(count));
        self
    }

    /// The results whose centre has a logarithm.
    pub(crate) fn with_logarithm(&self) -> Vec<(&SeriesResult, Session)> {
        self.all.iter().filter_map(|measured| Some((measured, measured.session()?))).collect()
    }

    /// The spread of results at one level; 0 where all values are exact.
    pub(crate) fn spread(&self) -> Option<SessionSpread> {
        change::find(&self.with_logarithm()).spread
    }

    /// The series for a report, with its changes of level, drift and spread.
    fn answer(&self) -> SeriesAnswer {
        let sessions = self.with_logarithm();
        let SeriesChanges { changes, drift, spread, far } = change::find(&sessions);
        let point = |measured: &SeriesResult| SeriesPoint {
            kept: measured.kept.clone(),
            value: measured.point.centre,
            error: measured.point.error,
            runs: measured.point.runs,
            failed: measured.point.failed,
        };
        SeriesAnswer {
            program: self.program.clone(),
            metric: self.metric.clone(),
            unit: self.unit,
            points: self.all.iter().map(point).collect(),
            changes: changes.iter().map(|step| step.answer(&sessions)).collect(),
            drift,
            spread: spread.map(|spread| spread.deviation),
            far: far as u32,
        }
    }

    /// The newest change of level, with the values before it and since.
    pub(crate) fn last_change(&self) -> Option<(Change, [f64; 2])> {
        let sessions = self.with_logarithm();
        change::find(&sessions).changes.last().map(|step| (step.answer(&sessions), step.values()))
    }

    /// The index of the newest result that is labelled as accepted.
    pub(crate) fn last_accepted(&self) -> Option<usize> {
        self.all.iter().rposition(SeriesResult::is_accepted)
    }

    /// The newest results that are at the present level, at most `most`; a result labelled as accepted begins a new level.
    pub(crate) fn last_level(&self, most: usize) -> Vec<&SeriesResult> {
        let accepted = self.last_accepted().unwrap_or(0);
        let sessions = self.with_logarithm();
        // No level can be estimated from values without noise or without a logarithm, so the last results are used.
        let is_exact = self.all.iter().all(SeriesResult::is_exact);
        if is_exact || sessions.len() < self.all.len() {
            return self.all[accepted.max(self.all.len().saturating_sub(most))..].iter().collect();
        }
        let from = change::find(&sessions).changes.last().map_or(0, |step| step.at);
        let from = from.max(accepted).max(sessions.len().saturating_sub(most));
        sessions[from..].iter().map(|(measured, _)| *measured).collect()
    }
}

#[cfg(test)]
mod tests;
