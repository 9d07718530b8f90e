//! Measurements of readers in several rounds, and their tables.

use serde::{Deserialize, Serialize};

use super::generate::Workload;
use super::readers::Reader;
use crate::error::Error;
use crate::peers::ReaderUsage;
use crate::spawning::Spread;
use crate::table;

/// One measurement in the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Who read.
    pub reader: Reader,
    /// The program whose trace it was.
    #[serde(default)]
    pub workload: Workload,
    /// Which round.
    pub number: u32,
    /// How many events the trace had.
    pub events: u64,
    /// What it took.
    #[serde(flatten)]
    pub measured: ReaderUsage,
}

impl Record {
    /// Millions of events in a second of CPU time.
    fn speed(&self) -> f64 {
        self.events as f64 / self.measured.cpu_seconds / 1e6
    }

    /// Peak of anonymous memory for each event.
    fn bytes_per_event(&self) -> f64 {
        self.measured.anonymous_bytes / self.events as f64
    }
}

/// All rounds of one reader.
struct Summary {
    events: u64,
    runs: usize,
    speed: Spread,
    cpu: Spread,
    wall: Spread,
    bytes_per_event: Spread,
}

impl Summary {
    fn new(records: &[Record], reader: Reader) -> Result<Option<Self>, Error> {
        let ours: Vec<_> = records.iter().filter(|it| it.reader == reader).collect();
        let spread = |figure: fn(&Record) -> f64| {
            Spread::from_values(&ours.iter().map(|it| figure(it)).collect::<Vec<_>>())
        };
        let times = spread(Record::speed)?.zip(spread(|it| it.measured.cpu_seconds)?);
        let others = spread(|it| it.measured.wall_seconds)?.zip(spread(Record::bytes_per_event)?);
        let Some(((speed, cpu), (wall, bytes_per_event))) = times.zip(others) else { return Ok(None) };
        Ok(ours.first().map(|it| Self {
            events: it.events,
            runs: ours.len(),
            speed,
            cpu,
            wall,
            bytes_per_event,
        }))
    }
}

/// What is aimed at: millions of events in a second of CPU time at least, bytes of memory for each at most.
fn goals(reader: Reader) -> (Option<f64>, Option<f64>) {
    match reader {
        Reader::Lotse => (Some(100.0), None),
        Reader::Quick => (Some(15.0), Some(32.0)),
        Reader::Analysis => (Some(10.0), Some(32.0)),
        Reader::QuickOnTwo | Reader::AnalysisOnTwo => (None, Some(32.0)),
        Reader::Library | Reader::Print | Reader::Python => (None, None),
    }
}

/// Two threads are to be so many times as fast as one.
const SPEED_UP: f64 = 1.7;

/// Prints a table for each workload, and by how much two threads are faster than one.
pub fn show(records: &[Record]) -> Result<(), Error> {
    for workload in Workload::ALL {
        let ours: Vec<Record> = records.iter().filter(|it| it.workload == workload).cloned().collect();
        if !ours.is_empty() {
            show_workload(workload, &ours)?;
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "what a benchmark prints")]
fn show_workload(workload: Workload, records: &[Record]) -> Result<(), Error> {
    let lotse = Summary::new(records, Reader::Lotse)?;
    let mut rows = Vec::new();
    for reader in Reader::ALL {
        if let Some(summary) = Summary::new(records, reader)? {
            rows.push(row(reader, &summary, lotse.as_ref()));
        }
    }
    let titles = [
        "",
        "events",
        "runs",
        "CPU s",
        "wall s",
        "million events / CPU s",
        "Lotse : it",
        "bytes / event",
        "goal",
    ];
    let caption = format!(
        "Reading a simulated trace, {}: medians (least to most); otf2-print and Python on smaller ones",
        workload.name()
    );
    table::print(&caption, &titles, &rows)?;
    for (name, one, two) in
        [("quick", Reader::Quick, Reader::QuickOnTwo), ("whole", Reader::Analysis, Reader::AnalysisOnTwo)]
    {
        if let Some(factor) = speed_up(records, one, two)? {
            println!(
                "{name} analysis, two threads against one: {factor:.2} times as fast, goal {SPEED_UP}: {}",
                met(factor >= SPEED_UP)
            );
        }
    }
    Ok(())
}

fn speed_up(records: &[Record], one: Reader, two: Reader) -> Result<Option<f64>, Error> {
    let of = |reader| Summary::new(records, reader);
    let both = of(one)?.zip(of(two)?);
    Ok(both.map(|(one, two)| one.wall.median / two.wall.median))
}

fn row(reader: Reader, summary: &Summary, lotse: Option<&Summary>) -> Vec<String> {
    let ratio = lotse.filter(|_| reader != Reader::Lotse).map(|it| it.speed.median / summary.speed.median);
    vec![
        reader.name().to_owned(),
        summary.events.to_string(),
        summary.runs.to_string(),
        spread(summary.cpu, 3),
        spread(summary.wall, 3),
        spread(summary.speed, 2),
        table::decimals_or_dash(ratio, 1),
        spread(summary.bytes_per_event, 1),
        goal_text(reader, summary),
    ]
}

fn goal_text(reader: Reader, summary: &Summary) -> String {
    let (speed, bytes) = goals(reader);
    let speed = speed.map(|goal| format!("{goal} million: {}", met(summary.speed.median >= goal)));
    let bytes = bytes.map(|goal| format!("{goal} bytes: {}", met(summary.bytes_per_event.median <= goal)));
    speed.into_iter().chain(bytes).collect::<Vec<_>>().join(", ")
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

fn spread(it: Spread, decimals: usize) -> String {
    if it.least == it.most {
        return format!("{:.decimals$}", it.median);
    }
    format!("{:.decimals$} ({:.decimals$} to {:.decimals$})", it.median, it.least, it.most)
}

#[cfg(test)]
mod tests {
    use super::{Reader, Record, Summary, Workload, row, speed_up};
    use crate::peers::ReaderUsage;

    fn record(reader: Reader, number: u32, seconds: f64) -> Record {
        let measured = ReaderUsage {
            cpu_seconds: seconds,
            wall_seconds: seconds,
            resident_bytes: 0.0,
            anonymous_bytes: 4e7,
        };
        Record { reader, workload: Workload::Computing, number, events: 1_000_000, measured }
    }

    #[test]
    fn speeds_are_compared_and_goals_are_judged() {
        let records = [
            record(Reader::Lotse, 0, 0.005),
            record(Reader::Library, 0, 0.04),
            record(Reader::Library, 1, 0.02),
            record(Reader::Analysis, 0, 0.1),
        ];
        let of = |reader| Summary::new(&records, reader).unwrap().unwrap();
        let lotse = of(Reader::Lotse);
        let shown = row(Reader::Library, &of(Reader::Library), Some(&lotse));
        assert_eq!(
            shown[2..7],
            ["2", "0.030 (0.020 to 0.040)", "0.030 (0.020 to 0.040)", "37.50 (25.00 to 50.00)", "5.3"]
        );
        assert_eq!(row(Reader::Lotse, &lotse, Some(&lotse))[6..], ["–", "40.0", "100 million: met"]);
        let analysis = row(Reader::Analysis, &of(Reader::Analysis), Some(&lotse));
        assert_eq!(analysis[8], "10 million: met, 32 bytes: missed");
        assert!(Summary::new(&records, Reader::Print).unwrap().is_none());
        assert_eq!(speed_up(&records, Reader::Analysis, Reader::AnalysisOnTwo).unwrap(), None);
    }

    #[test]
    fn two_threads_are_compared_by_wall_time() {
        let records = [record(Reader::Analysis, 0, 3.0), record(Reader::AnalysisOnTwo, 0, 2.0)];
        assert_eq!(speed_up(&records, Reader::Analysis, Reader::AnalysisOnTwo).unwrap(), Some(1.5));
    }

    #[test]
    fn records_come_back_from_the_journal() {
        let record = record(Reader::AnalysisOnTwo, 1, 0.5);
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains("\"analysis-on-two\""), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}
