//! Measurements of several rounds and their summary.

use serde::{Deserialize, Serialize};

use super::{Peer, ReaderUsage};
use crate::error::Error;
use crate::spawning::Spread;

/// One measurement in the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which file.
    pub file: String,
    /// Who read it.
    pub peer: Peer,
    /// Which round.
    pub number: u32,
    /// What it took.
    #[serde(flatten)]
    pub measured: ReaderUsage,
}

/// All rounds of one program on one file.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// CPU seconds.
    pub cpu: Spread,
    /// Wall seconds.
    pub wall: Spread,
    /// Peak of anonymous memory, bytes.
    pub anonymous: Spread,
    /// Peak resident set, bytes.
    pub resident: Spread,
    /// How many rounds.
    pub runs: usize,
}

impl Summary {
    /// Of a program; none if it was not measured.
    pub fn new(records: &[Record], file: &str, peer: Peer) -> Result<Option<Self>, Error> {
        let ours: Vec<ReaderUsage> =
            records.iter().filter(|it| it.file == file && it.peer == peer).map(|it| it.measured).collect();
        let spread = |figure: fn(&ReaderUsage) -> f64| {
            Spread::from_values(&ours.iter().map(figure).collect::<Vec<_>>())
        };
        let cpu = spread(|it| it.cpu_seconds)?;
        let wall = spread(|it| it.wall_seconds)?;
        let anonymous = spread(|it| it.anonymous_bytes)?;
        let resident = spread(|it| it.resident_bytes)?;
        let all = cpu.zip(wall).zip(anonymous.zip(resident));
        let runs = ours.len();
        Ok(all.map(|((cpu, wall), (anonymous, resident))| Self { cpu, wall, anonymous, resident, runs }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Peer, ReaderUsage, Record, Summary};

    fn record(file: &str, peer: Peer, number: u32, cpu_seconds: f64) -> Record {
        let measured =
            ReaderUsage { cpu_seconds, wall_seconds: 1.0, resident_bytes: 2.0, anonymous_bytes: 3.0 };
        Record { file: file.to_owned(), peer, number, measured }
    }

    #[test]
    fn summaries_are_of_one_program_on_one_file() {
        let records = [
            record("a", Peer::Lotse, 0, 2.0),
            record("a", Peer::Lotse, 1, 4.0),
            record("a", Peer::Lines, 0, 9.0),
            record("b", Peer::Lotse, 0, 9.0),
        ];
        let summary = Summary::new(&records, "a", Peer::Lotse).unwrap().unwrap();
        assert_eq!(
            (summary.runs, summary.cpu.least, summary.cpu.median, summary.cpu.most),
            (2, 2.0, 3.0, 4.0)
        );
        assert!(Summary::new(&records, "b", Peer::Lines).unwrap().is_none());
    }

    #[test]
    fn records_come_back_from_the_journal() {
        let record = record("a", Peer::KCachegrind, 0, 0.1);
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains("\"k-cachegrind\""), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}
