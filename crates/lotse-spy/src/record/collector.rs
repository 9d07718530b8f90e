//! The collector: a separate process that moves records from rings into a history while the program runs.
//!
//! A ring is closed when its process has ended: then the runs that were still open are read, too. If the history can no longer
//! be written (disk full), the program is not stopped: further records are discarded, and the end of the history says so. If
//! Lotse itself was killed, the collector ends the recorded processes and removes the rings.

use std::path::Path;
use std::time::{Duration, Instant};

use lotse_formats::history::{self, RecordingEnd, RecordingStart, Splitter};
use lotse_host::spy::{GrowingFile, Parent, kill, pause, terminate};
use lotse_host::{Arrival, FileError, Ring, RingDirectory, process_exists};

use super::executables::Executables;

/// How long to wait for processes that are still running after the command has ended.
const PATIENCE: Duration = Duration::from_secs(2);
/// Interval of checks for new rings and ended processes.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// How long to sleep when there was nothing to read.
const IDLE_SLEEP: Duration = Duration::from_micros(500);

/// What to collect, and where to write it.
#[derive(Debug)]
pub struct CollectorOptions<'a> {
    pub rings: &'a Path,
    /// The history to write.
    pub out: &'a Path,
    /// How the program is recorded.
    pub start: RecordingStart,
}

/// Collects until the parent reports that the command has ended, and its processes have ended, too.
///
/// # Errors
/// The history could not be written completely; what was written is readable.
pub fn collect(options: &CollectorOptions<'_>) -> Result<(), FileError> {
    let mut collector = Collector {
        directory: RingDirectory::open(options.rings),
        rings: Vec::new(),
        out: Output::create(options.out)?,
        words: Vec::new(),
        bytes: Vec::new(),
        executables: Executables::default(),
        lost: 0,
        unfinished: 0,
    };
    collector.out.write(&history::file_header());
    collector.out.write(&history::start_chunk(&options.start));
    let last_message = collector.run(&Parent::listen());
    collector.finish(&last_message)
}

struct Collector {
    directory: RingDirectory,
    rings: Vec<(Ring, Splitter)>,
    out: Output,
    words: Vec<u64>,
    bytes: Vec<u8>,
    executables: Executables,
    /// Records that programs dropped and that are not counted in a segment.
    lost: u64,
    /// Number of processes that were still running when recording ended.
    unfinished: usize,
}

impl Collector {
    /// Reads rings until everything has ended; returns the parent's last message, which is empty if the parent was killed.
    fn run(&mut self, parent: &Parent) -> Vec<u8> {
        let mut ended: Option<(Instant, Vec<u8>)> = None;
        let mut last_check = Instant::now();
        let mut signalled = None;
        loop {
            let moved = self.drain();
            if ended.is_none() {
                ended = parent.final_message().map(|message| (Instant::now(), message));
            }
            if last_check.elapsed() >= CHECK_INTERVAL || ended.is_some() {
                last_check = Instant::now();
                self.accept_arrivals();
                self.close_dead();
            }
            if let Some((since, message)) = &mut ended {
                let waited = since.elapsed() > PATIENCE;
                if message.is_empty() && signalled != Some((waited, self.rings.len())) {
                    signalled = Some((waited, self.rings.len()));
                    self.end_processes(waited);
                }
                if self.rings.is_empty() || (waited && !message.is_empty()) {
                    return std::mem::take(message);
                }
            }
            if !moved {
                pause(IDLE_SLEEP);
            }
        }
    }

    /// Ends the recorded processes after Lotse was killed, since nobody else does.
    fn end_processes(&self, at_once: bool) {
        let end = if at_once { kill } else { terminate };
        self.rings.iter().for_each(|(ring, _)| end(ring.process));
    }

    /// Moves the available records into the history; `false` if there were none.
    fn drain(&mut self) -> bool {
        let Self { rings, out, words, bytes, .. } = self;
        for (ring, splitter) in rings {
            let end = ring.written();
            while ring.take(end, words) {
                splitter.feed(words, bytes);
            }
        }
        let moved = !bytes.is_empty();
        out.write(bytes);
        bytes.clear();
        moved
    }

    /// Takes up new rings and memory maps.
    fn accept_arrivals(&mut self) {
        for arrival in self.directory.arrivals() {
            match arrival {
                Arrival::Ring(ring) => {
                    let splitter = Splitter::new(ring.process, ring.number);
                    self.rings.push((ring, splitter));
                }
                Arrival::Map { process, number, text } => {
                    self.out.write(&history::process_chunk(process, number, &text));
                    if let Some(executable) = self.executables.open(process, number, &text) {
                        self.out.write(&history::executable_chunk(&executable));
                    }
                    // Without the confirmation the process waits a while before it exits.
                    drop(self.directory.confirm(process, number));
                }
            }
        }
    }

    /// Closes the rings of processes that have ended.
    fn close_dead(&mut self) {
        let (alive, dead) =
            std::mem::take(&mut self.rings).into_iter().partition(|(ring, _)| process_exists(ring.process));
        self.rings = alive;
        dead.into_iter().for_each(|(ring, splitter): (Ring, Splitter)| self.close(ring, splitter));
    }

    /// Reads the rest of a ring and removes it.
    fn close(&mut self, mut ring: Ring, mut splitter: Splitter) {
        self.bytes.clear();
        let end = ring.written();
        while ring.take(end, &mut self.words) {
            splitter.feed(&self.words, &mut self.bytes);
        }
        ring.open_runs(&mut self.words);
        splitter.feed(&self.words, &mut self.bytes);
        splitter.finish(&mut self.bytes);
        self.out.write(&self.bytes);
        self.bytes.clear();
        self.lost += ring.lost().saturating_sub(splitter.lost());
        self.executables.note(ring.process, ring.number, &splitter);
        self.directory.remove(&ring);
    }

    /// Closes all rings, and writes the end of the history and the names of the executables.
    fn finish(mut self, last_message: &[u8]) -> Result<(), FileError> {
        self.accept_arrivals();
        let rings = std::mem::take(&mut self.rings);
        let mut running: Vec<u32> = rings.iter().map(|(ring, _)| ring.process).collect();
        running.sort_unstable();
        running.dedup();
        self.unfinished = running.len();
        for (ring, splitter) in rings {
            self.close(ring, splitter);
        }
        let incomplete = self.incomplete();
        match serde_json::from_slice::<RecordingEnd>(last_message) {
            Ok(end) => {
                let end = RecordingEnd {
                    incomplete: [end.incomplete, incomplete].concat(),
                    lost: self.lost,
                    ..end
                };
                self.out.write_last(&history::end_chunk(&end));
            }
            // After Lotse was killed nobody else removes the rings.
            Err(_) => self.directory.abandon()?,
        }
        for names in self.executables.names() {
            self.out.write(&names);
        }
        self.out.problem.map_or(Ok(()), Err)
    }

    /// The reasons why something is missing in the history.
    fn incomplete(&self) -> Vec<String> {
        let problem = self
            .out
            .problem
            .as_ref()
            .map(|error| format!("from some time on, records were not kept: {error}"));
        let running = match self.unfinished {
            0 => None,
            1 => Some("a process of it still ran when the command had ended".to_owned()),
            more => Some(format!("{more} processes of it still ran when the command had ended")),
        };
        let threads = self.directory.unrecorded_threads();
        let unrecorded = (threads > 0).then(|| {
            format!("threads are missing, because there was no shared memory for their records ({threads})")
        });
        problem.into_iter().chain(running).chain(unrecorded).collect()
    }
}

/// The history file; writing stops at the first error.
struct Output {
    file: GrowingFile,
    problem: Option<FileError>,
}

impl Output {
    fn create(path: &Path) -> Result<Self, FileError> {
        Ok(Self { file: GrowingFile::create(path)?, problem: None })
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.problem.is_none() && !bytes.is_empty() {
            self.problem = self.file.write(bytes).err();
        }
    }

    /// Writes even after an error, because a short record may still fit.
    fn write_last(&mut self, bytes: &[u8]) {
        let problem = self.file.write(bytes).err();
        self.problem = problem.filter(|_| self.problem.is_none()).or(self.problem.take());
    }
}
