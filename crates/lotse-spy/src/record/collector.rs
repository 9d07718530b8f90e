//! The collector: a process of its own that moves records from rings into a history while the program runs.
//!
//! A ring is finished when its process is gone: then the runs that were still open are read, too. A history that
//! cannot be written any more (a full disk) does not stop the program: its records are thrown away from then on, and the end
//! of the history says so. Where Lotse itself was killed, the recorded processes are ended and the rings removed.

use std::path::Path;
use std::time::{Duration, Instant};

use lotse_formats::history::{self, RecordingEnd, RecordingStart, Splitter};
use lotse_host::spy::{GrowingFile, Parent, kill, pause, terminate};
use lotse_host::{Arrival, FileError, Ring, RingDirectory, process_exists};

use super::programs::Programs;

/// How long to wait for processes that live on after the command has ended.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often to look for processes that are gone.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long to rest when there was nothing new.
const REST: Duration = Duration::from_micros(500);

/// What to collect, and where to.
#[derive(Debug)]
pub struct CollectorOptions<'a> {
    /// The directory of the rings.
    pub rings: &'a Path,
    /// The history to write.
    pub out: &'a Path,
    /// How the program is recorded.
    pub start: RecordingStart,
}

/// Collects until the parent says that the command has ended and its processes are gone.
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
        programs: Programs::default(),
        lost: 0,
        unfinished: 0,
    };
    collector.out.write(&history::file_header());
    collector.out.write(&history::start_chunk(&options.start));
    let word = collector.run(&Parent::listen());
    collector.finish(&word)
}

struct Collector {
    directory: RingDirectory,
    rings: Vec<(Ring, Splitter)>,
    out: Output,
    words: Vec<u64>,
    bytes: Vec<u8>,
    programs: Programs,
    /// Records that programs dropped and that no segment mentions.
    lost: u64,
    /// Processes that still ran when recording ended.
    unfinished: usize,
}

impl Collector {
    /// Gives the parent's last word.
    fn run(&mut self, parent: &Parent) -> Vec<u8> {
        let mut ended: Option<(Instant, Vec<u8>)> = None;
        let mut looked = Instant::now();
        let mut signalled = None;
        loop {
            let moved = self.drain();
            if ended.is_none() {
                ended = parent.last_word().map(|word| (Instant::now(), word));
            }
            if looked.elapsed() >= LOOK_EVERY || ended.is_some() {
                looked = Instant::now();
                self.admit();
                self.close_dead();
            }
            if let Some((since, word)) = &mut ended {
                let waited = since.elapsed() > PATIENCE;
                if word.is_empty() && signalled != Some((waited, self.rings.len())) {
                    signalled = Some((waited, self.rings.len()));
                    self.end_processes(waited);
                }
                if self.rings.is_empty() || (waited && !word.is_empty()) {
                    return std::mem::take(word);
                }
            }
            if !moved {
                pause(REST);
            }
        }
    }

    /// Lotse was killed: nobody is left to end what it started.
    fn end_processes(&self, at_once: bool) {
        let end = if at_once { kill } else { terminate };
        self.rings.iter().for_each(|(ring, _)| end(ring.process));
    }

    /// Moves what is there; whether there was anything.
    fn drain(&mut self) -> bool {
        let Self { rings, out, words, bytes, .. } = self;
        for (ring, splitter) in rings {
            words.clear();
            ring.take(words);
            splitter.feed(words, bytes);
        }
        let moved = !bytes.is_empty();
        out.write(bytes);
        bytes.clear();
        moved
    }

    fn admit(&mut self) {
        for arrival in self.directory.arrivals() {
            match arrival {
                Arrival::Ring(ring) => {
                    let splitter = Splitter::new(ring.process, ring.number);
                    self.rings.push((ring, splitter));
                }
                Arrival::Map { process, number, text } => {
                    self.out.write(&history::process_chunk(process, number, &text));
                    if let Some(executable) = self.programs.open(process, number, &text) {
                        self.out.write(&history::executable_chunk(&executable));
                    }
                    // A process that nobody confirms waits a little before it ends.
                    drop(self.directory.confirm(process, number));
                }
            }
        }
    }

    fn close_dead(&mut self) {
        let (alive, dead) =
            std::mem::take(&mut self.rings).into_iter().partition(|(ring, _)| process_exists(ring.process));
        self.rings = alive;
        dead.into_iter().for_each(|(ring, splitter): (Ring, Splitter)| self.close(ring, splitter));
    }

    fn close(&mut self, mut ring: Ring, mut splitter: Splitter) {
        self.words.clear();
        ring.take(&mut self.words);
        ring.open_runs(&mut self.words);
        self.bytes.clear();
        splitter.feed(&self.words, &mut self.bytes);
        splitter.finish(&mut self.bytes);
        self.out.write(&self.bytes);
        self.bytes.clear();
        self.lost += ring.lost().saturating_sub(splitter.lost());
        self.programs.note(ring.process, ring.number, &splitter);
        self.directory.remove(&ring);
    }

    fn finish(mut self, word: &[u8]) -> Result<(), FileError> {
        self.admit();
        let rings = std::mem::take(&mut self.rings);
        let mut running: Vec<u32> = rings.iter().map(|(ring, _)| ring.process).collect();
        running.sort_unstable();
        running.dedup();
        self.unfinished = running.len();
        for (ring, splitter) in rings {
            self.close(ring, splitter);
        }
        let incomplete = self.incomplete();
        match serde_json::from_slice::<RecordingEnd>(word) {
            Ok(end) => {
                let end = RecordingEnd {
                    incomplete: [end.incomplete, incomplete].concat(),
                    lost: self.lost,
                    ..end
                };
                self.out.write_last(&history::end_chunk(&end));
            }
            // Nobody else removes the rings.
            Err(_) => self.directory.abandon()?,
        }
        for names in self.programs.names() {
            self.out.write(&names);
        }
        self.out.problem.map_or(Ok(()), Err)
    }

    /// Why something is missing.
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
            format!("threads are missing, for there was no shared memory for their records ({threads})")
        });
        problem.into_iter().chain(running).chain(unrecorded).collect()
    }
}

/// The history, until writing fails.
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

    /// Writes even after a failure, which may have left a little room.
    fn write_last(&mut self, bytes: &[u8]) {
        let problem = self.file.write(bytes).err();
        self.problem = problem.filter(|_| self.problem.is_none()).or(self.problem.take());
    }
}
