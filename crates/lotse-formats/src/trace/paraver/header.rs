//! Parses the first line of a `.prv` file: length, time unit, nodes, applications, tasks and threads.
//!
//! `#Paraver (date):length_unit:nodes(cpus,…):applications:tasks(threads:node,…)[,communicators]:…`

use super::header_flaw;
use crate::reading::Diagnostic;

/// The contents of the first line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParaverHeader {
    /// Ticks per second.
    pub(super) resolution: u64,
    /// In ticks.
    pub(super) length: u64,
    /// The tasks of each application.
    pub(super) applications: Vec<Vec<HeaderTask>>,
}

/// A process of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeaderTask {
    pub(super) threads: u32,
    /// Counted from 1; 0 if it is not stated.
    pub(super) node: u32,
}

impl ParaverHeader {
    pub(super) fn parse(line: &str) -> Result<Self, Diagnostic> {
        if !super::is_paraver(line.as_bytes()) {
            return Err(header_flaw("expected `#Paraver`"));
        }
        // The date contains a colon.
        let (_, rest) = line.split_once("):").ok_or_else(|| header_flaw("expected a date in parentheses"))?;
        let mut fields = fields(rest.trim_end()).into_iter();
        let (length, resolution) = fields
            .next()
            .and_then(time)
            .ok_or_else(|| header_flaw("expected a length such as `1000_ns` after the date"))?;
        // The list of nodes is not needed, because each task states its node.
        let applications: Vec<Vec<HeaderTask>> = fields.skip(2).map(tasks).collect();
        if applications.iter().all(Vec::is_empty) {
            return Err(header_flaw("expected an application such as `2(1:1,1:1)`"));
        }
        Ok(Self { resolution, length, applications })
    }
}

/// Splits at colons that are not in parentheses.
fn fields(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut fields) = (0_u32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => {
                fields.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(&text[start..]);
    fields
}

/// A length, and the ticks per second of its unit; without a unit it is in microseconds.
fn time(field: &str) -> Option<(u64, u64)> {
    let (length, unit) = field.split_once('_').unwrap_or((field, "us"));
    let resolution = match unit {
        "ns" => 1_000_000_000,
        "us" => 1_000_000,
        "ms" => 1_000,
        "s" | "sec" => 1,
        _ => return None,
    };
    // Some tools write the length with a fraction of zeros.
    let integer = length.split('.').next()?;
    Some((integer.parse().ok()?, resolution))
}

/// The tasks in parentheses of a field such as `2(1:1,4:2),3`: threads and node of each.
fn tasks(field: &str) -> Vec<HeaderTask> {
    let inside = field.split_once('(').and_then(|(_, rest)| rest.split(')').next()).unwrap_or("");
    let task = |text: &str| {
        let (threads, node) = text.split_once(':').unwrap_or((text, "0"));
        Some(HeaderTask { threads: threads.trim().parse().ok()?, node: node.trim().parse().ok()? })
    };
    inside.split(',').filter_map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::{HeaderTask, ParaverHeader};

    #[test]
    fn extraes_first_line_is_understood() {
        let line = "#Paraver (10/02/2017 at 16:18):1234567_ns:2(4,4):1:3(1:1,2:1,1:2),5";
        let tasks = [(1, 1), (2, 1), (1, 2)].map(|(threads, node)| HeaderTask { threads, node }).to_vec();
        let expected =
            ParaverHeader { resolution: 1_000_000_000, length: 1_234_567, applications: vec![tasks] };
        assert_eq!(ParaverHeader::parse(line).unwrap(), expected);
    }

    #[test]
    fn others_leave_things_out() {
        let header = ParaverHeader::parse("#Paraver (1/1/1 at 1:1):10:0:2:1(1:1):1(2:1)\r").unwrap();
        assert_eq!((header.resolution, header.length, header.applications.len()), (1_000_000, 10, 2));
        for line in
            ["", "#Paraver", "#Paraver (x):y:1:1", "#Paraver (x):1_ns:1(1):1", "#Paraver (x):1_ns:1(1):1:1()"]
        {
            assert!(ParaverHeader::parse(line).is_err(), "{line}");
        }
    }
}
