//! The collector: a process of its own that moves records from rings into a history while the program runs.
//!
//! A ring is finished when its process is gone: then the runs that were still open are read, too. A history that
//! cannot be written any more (a full disk) does not stop the program: its records are thrown away from then on.

use std::path::Path;
use std::time::{Duration, Instant};

use lotse_formats::history::{self, End, Executable, Splitter, Start};
use lotse_host::spy::{GrowingFile, Parent, pause};
use lotse_host::{Arrival, FileError, FileSource, Ring, RingDirectory, process_exists};

use crate::decode::executable_of_map;

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
    pub start: Start,
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
    };
    collector.out.write(&history::header());
    collector.out.write(&history::start(&options.start));
    let word = collector.run(&Parent::listen());
    collector.finish(&word)
}

struct Collector {
    directory: RingDirectory,
    rings: Vec<(Ring, Splitter)>,
    out: Output,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl Collector {
    /// Gives the parent's last word.
    fn run(&mut self, parent: &Parent) -> Vec<u8> {
        let mut ended: Option<(Instant, Vec<u8>)> = None;
        let mut looked = Instant::now();
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
                // A parent that died said nothing: the program may run on for long.
                let waited = !word.is_empty() && since.elapsed() > PATIENCE;
                if self.rings.is_empty() || waited {
                    return std::mem::take(word);
                }
            }
            if !moved {
                pause(REST);
            }
        }
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
                Arrival::Map { process, text } => {
                    self.out.write(&history::process(process, &text));
                    if let Some(executable) = executable(process, &text) {
                        self.out.write(&history::executable(&executable));
                    }
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
        self.directory.remove(&ring);
    }

    fn finish(mut self, word: &[u8]) -> Result<(), FileError> {
        self.admit();
        for (ring, splitter) in std::mem::take(&mut self.rings) {
            self.close(ring, splitter);
        }
        match serde_json::from_slice::<End>(word) {
            Ok(end) => self.out.write(&history::end(&end)),
            // Nobody else removes the rings.
            Err(_) => self.directory.abandon()?,
        }
        self.out.problem.map_or(Ok(()), Err)
    }
}

/// The file that a process runs, as it is now: names must come from this one and no later build.
fn executable(process: u32, map: &str) -> Option<Executable> {
    let path = executable_of_map(map)?.path;
    let stamp = FileSource::open(Path::new(path)).ok()?.stamp()?;
    Some(Executable { process, path: path.to_owned(), size: stamp.size, modified: stamp.modified })
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
}
