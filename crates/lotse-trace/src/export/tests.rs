//! What is written is read back as the same trace.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;

use lotse_formats::trace::open::open;
use lotse_model::bytes::{FolderSink, MemoryFolder};
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Communicator, Event, EventKind, ObjectKind};
use lotse_model::work::Sequential;

use super::{Events, chrome, csv, otf2};
use crate::answer::Facts;
use crate::fixture::Script;
use crate::store::{Trace, load};

fn script() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 10, 700, "work").send(0, 750, 760, 1, 3);
    script.barrier(0, 800, 900).leave(0, 1000, "main");
    script.enter(1, 0, "main").recv(1, 500, 770, 0, 3).barrier(1, 790, 900).leave(1, 1000, "main");
    script
}

#[derive(Default)]
struct Files(Mutex<BTreeMap<String, Vec<u8>>>);

struct File<'f>(&'f Files, String);

impl Write for File<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().entry(self.1.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FolderSink for Files {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        self.0.lock().unwrap().insert(name.to_owned(), Vec::new());
        Ok(Box::new(File(self, name.to_owned())))
    }
}

fn read(folder: &MemoryFolder) -> Trace {
    load(open(folder, None).unwrap(), &Sequential)
}

#[test]
fn an_archive_is_read_back_as_the_same_trace() {
    let trace = script().trace();
    let files = Files::default();
    let written = otf2(Events::Analysed(&trace), &files, "t").unwrap();
    assert!(written.complete && written.dropped == 0);
    let folder = MemoryFolder::new("t.otf2", files.0.into_inner().unwrap());
    let (before, after) = (Facts::from_trace(&trace), Facts::from_trace(&read(&folder)));
    assert_eq!(after.repairs, []);
    assert_eq!(Facts { format: before.format.clone(), ..after }, before);
    // And as recorded, from the archive to another one.
    let again = Files::default();
    let input = open(&folder, None).unwrap();
    assert!(otf2(Events::Recorded(&input), &again, "t").unwrap().complete);
    let second = MemoryFolder::new("t.otf2", again.0.into_inner().unwrap());
    assert_eq!(Facts { format: before.format.clone(), ..Facts::from_trace(&read(&second)) }, before);
}

/// Locks known from attributes, at addresses that are too large for OTF2's records of locks.
#[test]
fn waiting_for_locks_survives_an_archive() {
    let mut script = Script::threads(2);
    let about = Event::Object { kind: ObjectKind::Lock, address: 0x7fff_0000_1000 };
    for (thread, requests, gets, releases) in [(0, 0, 1, 300), (1, 50, 302, 400)] {
        for (from, to, name) in
            [(requests, gets, "pthread_mutex_lock"), (releases, releases + 1, "pthread_mutex_unlock")]
        {
            script.enter(thread, from, name).event(thread, from, EventKind::Attribute, about);
            script.leave(thread, to, name);
        }
    }
    let trace = script.trace();
    let files = Files::default();
    let written = otf2(Events::Analysed(&trace), &files, "t").unwrap();
    assert_eq!(written.dropped, 0);
    let again = read(&MemoryFolder::new("t.otf2", files.0.into_inner().unwrap()));
    let waits = crate::patterns::search_waits(&again);
    let found: Vec<_> = waits.cube.iter().map(|row| (row.metric.id, row.location.0, row.ticks)).collect();
    assert_eq!(found, [("lock_contention", 1, 250)]);
}

/// A trace that went through Chrome's format.
fn through_chrome(trace: &Trace) -> Trace {
    let mut bytes = Vec::new();
    chrome(Events::Analysed(trace), &mut bytes).unwrap();
    read(&MemoryFolder::alone("t.json", &bytes))
}

#[test]
fn chrome_has_calls_messages_and_collectives() {
    let trace = script().trace();
    let (before, facts) = (Facts::from_trace(&trace), Facts::from_trace(&through_chrome(&trace)));
    assert_eq!((facts.visits, facts.messages, facts.runtime), (before.visits, 1, 1.0));
    assert_eq!((facts.collectives, facts.repairs), (1, Vec::new()));
}

/// Locks and threads have no place in Chrome's format; what is lost is counted.
#[test]
fn what_chrome_cannot_hold_is_counted() {
    let dropped = |trace: &Trace| chrome(Events::Analysed(trace), &mut Vec::new()).unwrap().dropped;
    assert_eq!(dropped(&script().trace()), 0);
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").fork(0, 10, 2).join(0, 50).leave(0, 100, "main");
    assert_eq!(dropped(&script.trace()), 2, "fork and join");
}

/// What is waited for: metric, location, call path, milliseconds.
fn waits(trace: &Trace) -> Vec<(&'static str, u32, String, u64)> {
    let row = |row: &crate::waits::CubeRow| {
        let milliseconds = (trace.seconds(row.ticks) * 1e3).round() as u64;
        (row.metric.id, row.location.0, trace.path_name(row.path), milliseconds)
    };
    crate::patterns::search_waits(trace).cube.iter().map(row).collect()
}

#[test]
fn waits_for_collectives_are_found_in_chrome_too() {
    let mut script = Script::processes(3);
    for (rank, late) in [(0, 0), (1, 20), (2, 50)] {
        let at = |from: u64| (from + late, from + 60);
        script.enter(rank, 0, "main");
        script.collective(rank, at(100), "MPI_Bcast", CollectiveOp::Bcast, Some(2));
        script.exchange(rank, at(200), "MPI_Reduce", (CollectiveOp::Reduce, Some(0)), (8, 0));
        script.collective(rank, at(300), "MPI_Allreduce", CollectiveOp::Allreduce, None);
        // One that ends as the next begins, and one that does not block.
        script.barrier(rank, 400 + late, 460).collective(
            rank,
            (460, 470 + late),
            "MPI_Scan",
            CollectiveOp::Scan,
            None,
        );
        let post = (530 + late, 540 + late, 600);
        script.posted_collective(rank, post, "MPI_Ialltoall", CollectiveOp::Alltoall, None);
        script.leave(rank, 700, "main");
    }
    let trace = script.trace();
    let found = waits(&trace);
    assert!(found.iter().any(|row| row.0 == "wait_at_nxn" && row.2 == "main/MPI_Wait"), "{found:?}");
    assert_eq!(waits(&through_chrome(&trace)), found);
}

#[test]
fn members_of_communicators_keep_their_ranks() {
    let mut script = Script::processes(3);
    let members = vec![Some(LocationId(2)), None, Some(LocationId(0))];
    let communicators = &mut script.definitions.communicators;
    communicators.push(Communicator { name: "odd \"one\"".into(), members, ..Communicator::default() });
    communicators.push(Communicator { of_self: true, ..Communicator::default() });
    let (op, root, sent, received) = (CollectiveOp::ReduceScatterBlock, Some(1), 7, u64::MAX);
    for (location, communicator) in [(0, 2), (2, 2), (1, 3)] {
        let communicator = CommunicatorId(communicator);
        let event = Event::CollectiveEnd { op, communicator, root, sent, received };
        let record = (EventKind::MpiCollectiveEnd, event);
        script.with_record(location, (10, 20), "MPI_Reduce_scatter_block", 20, record);
    }
    let trace = script.trace();
    let again = through_chrome(&trace);
    assert_eq!(again.definitions.communicators[1..], trace.definitions.communicators[1..]);
    let ends = |trace: &Trace| {
        trace.timelines.iter().flat_map(|it| &it.ops).map(|op| op.event()).collect::<Vec<_>>()
    };
    assert_eq!(ends(&again), ends(&trace));
}

#[test]
fn values_have_a_row_for_each_event() {
    let trace = script().trace();
    let mut bytes = Vec::new();
    csv(Events::Analysed(&trace), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count() as u64, 1 + Facts::from_trace(&trace).events);
    assert!(text.contains(",MpiSend,"), "{text}");
}

#[test]
#[cfg(feature = "parquet")]
fn a_table_for_other_programs_begins_and_ends_as_parquet_does() {
    let trace = script().trace();
    let mut bytes = Vec::new();
    super::parquet::parquet(Events::Analysed(&trace), &mut bytes).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}
