//! One line of a `.prv`: numbers between colons, the first says which record it is.

/// A thread, as all records name it; all from 1.
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
    /// From 1, in the order of their ranks.
    pub(super) tasks: Vec<u32>,
}

/// A communication.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) from: ThreadName,
    pub(super) sent: u64,
    pub(super) to: ThreadName,
    pub(super) received: u64,
    pub(super) size: u64,
    pub(super) tag: i64,
}

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record {
    State {
        thread: ThreadName,
        begin: u64,
        end: u64,
        state: u64,
    },
    /// Types and values.
    Events {
        thread: ThreadName,
        at: u64,
        pairs: Vec<(u64, i64)>,
    },
    Message(Message),
    Communicator(CommunicatorRecord),
}

impl Record {
    /// The record of a line; none where it is empty or a comment.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, &'static str> {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (kind, rest) = line.split_once(':').ok_or("a line is no record; it was left out")?;
        let mut fields = Fields(rest.split(':'));
        let record = match kind {
            "1" => fields.state(),
            "2" => fields.events(),
            "3" => fields.message(),
            // Extrae marks communicators of one task, of all and those between groups.
            "c" | "C" | "i" | "I" => fields.communicator(),
            _ => return Err("a line is no record; it was left out"),
        };
        record.map(Some).ok_or("a record has too few or other fields than it should; it was left out")
    }
}

struct Fields<'a>(std::str::Split<'a, char>);

impl Fields<'_> {
    fn signed(&mut self) -> Option<i64> {
        self.0.next()?.trim().parse().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.0.next()?.trim().parse().ok()
    }

    /// The processor is passed over: threads move between them.
    fn thread(&mut self) -> Option<ThreadName> {
        self.number()?;
        let mut name = || u32::try_from(self.number()?).ok().filter(|name| *name > 0);
        Some(ThreadName { application: name()?, task: name()?, thread: name()? })
    }

    fn state(&mut self) -> Option<Record> {
        let thread = self.thread()?;
        let (begin, end, state) = (self.number()?, self.number()?, self.number()?);
        (begin <= end).then_some(Record::State { thread, begin, end, state })
    }

    fn events(&mut self) -> Option<Record> {
        let (thread, at) = (self.thread()?, self.number()?);
        let mut pairs = vec![(self.number()?, self.signed()?)];
        while let Some(kind) = self.0.next() {
            pairs.push((kind.trim().parse().ok()?, self.signed()?));
        }
        Some(Record::Events { thread, at, pairs })
    }

    fn message(&mut self) -> Option<Record> {
        let (from, sent, _physical) = (self.thread()?, self.number()?, self.number()?);
        let (to, logical, physical) = (self.thread()?, self.number()?, self.number()?);
        let (size, tag) = (self.number()?, self.signed()?);
        Some(Record::Message(Message { from, sent, to, received: logical.max(physical), size, tag }))
    }

    fn communicator(&mut self) -> Option<Record> {
        let (application, id, count) = (u32::try_from(self.number()?).ok()?, self.number()?, self.number()?);
        let tasks: Option<Vec<u32>> = self.0.by_ref().map(|task| task.trim().parse().ok()).collect();
        let tasks = tasks.filter(|tasks| tasks.len() as u64 == count)?;
        Some(Record::Communicator(CommunicatorRecord { application, id, tasks }))
    }
}

#[cfg(test)]
mod tests {
    use super::{CommunicatorRecord, Message, Record, ThreadName};

    fn thread(task: u32) -> ThreadName {
        ThreadName { application: 1, task, thread: 1 }
    }

    #[test]
    fn every_record_is_read() {
        let state = Record::State { thread: thread(2), begin: 0, end: 7, state: 1 };
        let events = Record::Events { thread: thread(1), at: 5, pairs: vec![(50000001, 1), (42000050, -3)] };
        let communicator = CommunicatorRecord { application: 1, id: 2, tasks: vec![1, 3] };
        let message = Message { from: thread(1), sent: 10, to: thread(2), received: 40, size: 64, tag: 9 };
        for (line, expected) in [
            ("1:1:1:2:1:0:7:1", Some(state)),
            ("2:0:1:1:1:5:50000001:1:42000050:-3\r", Some(events)),
            ("3:1:1:1:1:10:12:2:1:2:1:30:40:64:9", Some(Record::Message(message))),
            ("c:1:2:2:1:3", Some(Record::Communicator(communicator))),
            ("# a comment", None),
            ("", None),
        ] {
            assert_eq!(Record::parse(line), Ok(expected), "{line}");
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
            assert!(Record::parse(line).is_err(), "{line}");
        }
    }
}
