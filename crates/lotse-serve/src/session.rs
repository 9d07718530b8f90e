//! The documents that are open, each on a thread of its own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::sync::{oneshot, watch};

use crate::api::{Ask, DocumentState, Problem, Question, SessionState, Stage};
use crate::files::FileVersion;
use crate::memory::Memory;
use crate::open::{OpenRequest, Opener};

use asker::Asker;
use others::StartReason;
use thread::DocumentThread;

mod asker;
mod others;
mod thread;

/// A page that opens more has a mistake in it.
const MOST_DOCUMENTS: usize = 64;

/// What is open and what is remembered.
pub(crate) struct Session {
    opener: Arc<dyn Opener>,
    read_only: bool,
    version: &'static str,
    entries: Mutex<Vec<Entry>>,
    memory: Mutex<Memory>,
    changes: watch::Sender<u64>,
    last_id: AtomicU32,
    last_revision: AtomicU32,
}

/// An open document.
struct Entry {
    id: u32,
    request: OpenRequest,
    stage: Stage,
    stamps: Vec<Option<FileVersion>>,
    outdated: bool,
    jobs: Option<mpsc::Sender<Job>>,
    cancelled: Arc<AtomicBool>,
    /// Distinguishes the thread that serves the entry from one that a reload replaced.
    revision: u32,
}

/// A question and the way back.
struct Job {
    question: Question,
    asker: Asker,
    reply: oneshot::Sender<Result<String, Problem>>,
}

/// Why a question cannot be asked.
#[derive(Debug)]
pub(crate) enum AskError {
    /// No document has this number, or it is not ready.
    Absent,
    /// The question refers to an earlier reading.
    Outdated,
    Failed(Problem),
}

/// Revisions of another server are others: an address that a tab or a bookmark kept has the numbers of functions of its own
/// revision, and the page finds them again by name.
fn first_revision() -> u32 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u32::try_from(seconds % (1 << 31)).unwrap_or(0)
}

impl Session {
    pub(crate) fn new(
        opener: Arc<dyn Opener>,
        read_only: bool,
        version: &'static str,
        state_file: Option<PathBuf>,
    ) -> Arc<Self> {
        Arc::new(Self {
            opener,
            read_only,
            version,
            entries: Mutex::default(),
            memory: Mutex::new(Memory::load(state_file)),
            changes: watch::Sender::new(0),
            last_id: AtomicU32::new(0),
            last_revision: AtomicU32::new(first_revision()),
        })
    }

    /// Receives a message after every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// All that the page needs to begin.
    pub(crate) fn state(&self) -> SessionState {
        let documents = self.entries().iter().map(Entry::state).collect();
        let memory = self.memory();
        SessionState {
            version: self.version,
            read_only: self.read_only,
            editor: self.opener.editor().filter(|_| !self.read_only),
            documents,
            recent: memory.recent(),
            layout: memory.layout().clone(),
        }
    }

    pub(crate) fn set_layout(&self, layout: Value) {
        self.memory().set_layout(layout);
    }

    /// Starts to open files; the document with the same files is returned if there is one.
    pub(crate) fn open(self: &Arc<Self>, request: OpenRequest) -> Result<u32, Problem> {
        let mut entries = self.entries();
        if let Some(same) = entries.iter().find(|entry| entry.request == request) {
            let id = same.id;
            drop(entries);
            // Another document of the file may have been closed.
            self.open_others(request);
            return Ok(id);
        }
        if entries.len() >= MOST_DOCUMENTS {
            return Err(Problem::new(format!("{MOST_DOCUMENTS} documents are open; close some first")));
        }
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        entries.push(self.start(id, request, StartReason::Opened));
        drop(entries);
        self.changed();
        Ok(id)
    }

    /// Reads the files of a document again.
    pub(crate) fn reload(self: &Arc<Self>, id: u32) -> bool {
        let mut entries = self.entries();
        let Some(entry) = entries.iter_mut().find(|entry| entry.id == id) else { return false };
        entry.cancelled.store(true, Ordering::Relaxed);
        *entry = self.start(id, entry.request.clone(), StartReason::Reloaded);
        drop(entries);
        self.changed();
        true
    }

    /// Closes a document; what is being opened is cancelled.
    pub(crate) fn close(&self, id: u32) -> bool {
        let mut entries = self.entries();
        let Some(at) = entries.iter().position(|entry| entry.id == id) else { return false };
        entries.remove(at).cancelled.store(true, Ordering::Relaxed);
        drop(entries);
        self.changed();
        true
    }

    /// Stops opening a document, which stays in the list.
    pub(crate) fn cancel(&self, id: u32) -> bool {
        let entries = self.entries();
        let entry =
            entries.iter().find(|entry| entry.id == id && matches!(entry.stage, Stage::Opening { .. }));
        entry.map(|entry| entry.cancelled.store(true, Ordering::Relaxed)).is_some()
    }

    /// Asks a document. If the caller stops waiting, the question is not answered, even if its answer has begun.
    pub(crate) async fn ask(&self, ask: Ask) -> Result<String, AskError> {
        let (reply, answer) = oneshot::channel();
        let _patience = {
            let entries = self.entries();
            let entry = entries.iter().find(|entry| entry.id == ask.document).ok_or(AskError::Absent)?;
            let jobs = entry.jobs.as_ref().ok_or(AskError::Absent)?;
            if entry.revision != ask.revision || entry.outdated {
                return Err(AskError::Outdated);
            }
            let (asker, patience) = Asker::of_question(&entry.cancelled);
            jobs.send(Job { question: ask.question, asker, reply }).map_err(|_| AskError::Absent)?;
            patience
        };
        answer.await.map_err(|_| AskError::Absent)?.map_err(AskError::Failed)
    }

    /// Opens a source file in the user's editor, if the page has got its text from the document; says what was started.
    pub(crate) async fn edit(
        &self,
        document: (u32, u32),
        path: String,
        line: u32,
    ) -> Result<String, AskError> {
        if self.read_only {
            return Err(AskError::Failed(Problem::new("--read-only: no program is started")));
        }
        let question = Question::Shown { path: path.clone() };
        let is_shown = self.ask(Ask { document: document.0, revision: document.1, question }).await?;
        if is_shown != "true" {
            return Err(AskError::Failed(Problem::new("the page does not show this file")));
        }
        self.opener.edit(&path, line).map_err(AskError::Failed)
    }

    /// Notices files that changed since they were read.
    pub(crate) fn check_files(&self) {
        // Files are looked at without the lock: a file system may be slow, and pages must not wait for it.
        let known: Vec<_> = self
            .entries()
            .iter()
            .filter(|entry| !entry.outdated && entry.jobs.is_some())
            .map(|entry| (entry.id, entry.revision, entry.request.clone(), entry.stamps.clone()))
            .collect();
        for (id, revision, request, before) in known {
            if before != stamps(&request) {
                self.update(id, revision, |entry| entry.outdated = true);
            }
        }
    }

    /// Makes an entry and starts the thread that reads its files.
    fn start(self: &Arc<Self>, id: u32, request: OpenRequest, reason: StartReason) -> Entry {
        let cancelled = Arc::new(AtomicBool::new(false));
        let revision = self.last_revision.fetch_add(1, Ordering::Relaxed) + 1;
        let stamps = stamps(&request);
        let stage = Stage::Opening { phase: "reading".to_owned(), done: 0.0, total: None };
        let thread = DocumentThread {
            session: Arc::clone(self),
            id,
            revision,
            request: request.clone(),
            cancelled: Arc::clone(&cancelled),
            reason,
        };
        std::thread::spawn(move || thread.run());
        Entry { id, request, stage, stamps, outdated: false, jobs: None, cancelled, revision }
    }

    /// Changes the entry that a thread serves, unless it was closed or reloaded.
    fn update(&self, id: u32, revision: u32, change: impl FnOnce(&mut Entry)) {
        let mut entries = self.entries();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == id && entry.revision == revision) {
            change(entry);
        }
        drop(entries);
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn state(&self) -> DocumentState {
        DocumentState {
            id: self.id,
            name: self.request.name(),
            paths: self.request.paths.iter().map(|path| path.display().to_string()).collect(),
            stage: self.stage.clone(),
            outdated: self.outdated,
        }
    }
}

fn stamps(request: &OpenRequest) -> Vec<Option<FileVersion>> {
    request.paths.iter().map(|path| FileVersion::read(path)).collect()
}

#[cfg(test)]
mod tests;
