//! Parses a line of a `.prv` file: numbers separated by colons, the first of which is the type of the record.

/// A thread as records name it; the numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ThreadName {
    pub(super) application: u32,
    pub(super) task: u32,
    pub(super) thread: u32,
}

/// A communicator of an application.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommunicatorRecord {
    pub(super) application: u32,
    pub(super) id: u64,
    /// Counted from 1, in the order of their ranks.
    pub(super) tasks: Vec<u32>,
}

/// A communication.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub(super) from: ThreadName,
    pub(super) sent: u64,
    pub(super) to: ThreadName,
    pub(super) received: u64,
    pub(super) size: u64,
    pub(super) tag: i64,
}

/// The record of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParaverRecord {
    State {
        thread: ThreadName,
        begin: u64,
        end: u64,
        state: u64,
    },
    /// `pairs` are types and values.
    Events {
        thread: ThreadName,
        at: u64,
        pairs: Vec<(u64, i64)>,
    },
    Message(MessageRecord),
    Communicator(CommunicatorRecord),
}

impl ParaverRecord {
    /// Parses a line; `None` if it is empty or a comment.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, &'static str> {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (kind, rest) = line.split_once(':').ok_or("a line is no record; it was left out")?;
        let mut fields = FieldParser(rest.split(':'));
        let record = match kind {
            "1" => fields.state(),
            "2" => fields.events(),
            "3" => fields.message(),
            // Extrae distinguishes communicators of one task, of all tasks, and inter-communicators.
            "c" | "C" | "i" | "I" => fields.communicator(),
            _ => return Err("a line is no record; it was left out"),
        };
        record.map(Some).ok_or("a record has too few or other fields than it should; it was left out")
    }
}

struct FieldParser<'a>(std::str::Split<'a, char>);

impl FieldParser<'_> {
    fn signed(&mut self) -> Option<i64> {
        self.0.next()?.trim().parse().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.0.next()?.trim().parse().ok()
    }

    /// Skips the CPU, since threads move between CPUs.
    fn thread(&mut self) -> Option<ThreadName> {
        self.number()?;
        let mut name = || u32::try_from(self.number()?).ok().filter(|name| *name > 0);
        Some(ThreadName { application: name()?, task: name()?, thread: name()? })
    }

    fn state(&mut self) -> Option<ParaverRecord> {
        let thread = self.thread()?;
        let (begin, end, state) = (self.number()?, self.number()?, self.number()?);
        (begin <= end).then_some(ParaverRecord::State { thread, begin, end, state })
    }

    fn events(&mut self) -> Option<ParaverRecord> {
        let (thread, at) = (self.thread()?, self.number()?);
        let mut pairs = vec![(self.number()?, self.signed()?)];
        while let Some(kind) = self.0.next() {
            pairs.push((kind.trim().parse().ok()?, self.signed()?));
        }
        Some(ParaverRecord::Events { thread, at, pairs })
    }

    fn message(&mut self) -> Option<ParaverRecord> {
        let (from, sent, _physical) = (self.thread()?, self.number()?, self.number()?);
        let (to, logical, physical) = (self.thread()?, self.number()?, self.number()?);
        let (size, tag) = (self.number()?, self.signed()?);
        Some(ParaverRecord::Message(MessageRecord {
            from,
            sent,
            to,
            received: logical.max(physical),
            size,
            tag,
        }))
    }

    fn communicator(&mut self) -> Option<ParaverRecord> {
        let (application, id, count) = (u32::try_from(self.number()?).ok()?, self.number()?, self.number()?);
        let tasks: Option<Vec<u32>> = self.0.by_ref().map(|task| task.trim().parse().ok()).collect();
        let tasks = tasks.filter(|tasks| tasks.len() as u64 == count)?;
        Some(ParaverRecord::Communicator(CommunicatorRecord { application, id, tasks }))
    }
}

#[cfg(test)]
mod tests {
    use super::{CommunicatorRecord, MessageRecord, ParaverRecord, ThreadName};

    fn thread(task: u32) -> ThreadName {
        ThreadName { application: 1, task, thread: 1 }
    }

    #[test]
    fn every_record_is_read() {
        let state = ParaverRecord::State { thread: thread(2), begin: 0, end: 7, state: 1 };
        let events =
            ParaverRecord::Events { thread: thread(1), at: 5, pairs: vec![(50000001, 1), (42000050, -3)] };
        let communicator = CommunicatorRecord { application: 1, id: 2, tasks: vec![1, 3] };
        let message =
            MessageRecord { from: thread(1), sent: 10, to: thread(2), received: 40, size: 64, tag: 9 };
        for (line, expected) in [
            ("1:1:1:2:1:0:7:1", Some(state)),
            ("2:0:1:1:1:5:50000001:1:42000050:-3\r", Some(events)),
            ("3:1:1:1:1:10:12:2:1:2:1:30:40:64:9", Some(ParaverRecord::Message(message))),
            ("c:1:2:2:1:3", Some(ParaverRecord::Communicator(communicator))),
            ("# a comment", None),
            ("", None),
        ] {
            assert_eq!(ParaverRecord::parse(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn damaged_lines_are_refused() {
        for line in [
            "x",
            "9:1",
            "1:1:1:2:1:7:0:1",
            "1:1:1:0:1:0:7:1",
            "2:0:1:1:1:5",
            "2:0:1:1:1:5:50000001",
            "2:0:1:1:1:5:1:2:3",
            "3:1:1:1:1:10:12:2:1:2:1:30",
            "c:1:2:5:1:3",
            "c:1:2",
            "2:0:1:99999999999:1:5:1:2",
        ] {
            assert!(ParaverRecord::parse(line).is_err(), "{line}");
        }
    }
}
