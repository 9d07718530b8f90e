//! The thread of a document.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lotse_model::Progress as _;
use lotse_model::progress::{Cancelled, checkpoint, interruptible};

use super::asker::Asker;
use super::others::StartReason;
use super::{Job, Session};
use crate::api::{DocumentKind, Problem, Stage};
use crate::open::{Document, OpenProgress, OpenRequest, complete_about};

/// Progress is reported no more often.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// The panes of a page ask at the same time; more threads would rarely have work.
const MOST_THREADS: usize = 4;

/// The thread of a document: it reads the files, then answers questions until the document is closed.
pub(super) struct DocumentThread {
    pub(super) session: Arc<Session>,
    pub(super) id: u32,
    pub(super) revision: u32,
    pub(super) request: OpenRequest,
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) reason: StartReason,
}

impl DocumentThread {
    /// Looks what the files are, has their other documents opened, and serves its own until it is closed. A failure, a panic or
    /// a cancellation becomes the stage of the document.
    pub(super) fn run(self) {
        let mut progress = self.progress();
        let opener = Arc::clone(&self.session.opener);
        let read = || {
            let kinds = opener.kinds(&self.request)?;
            if self.reason == StartReason::Opened {
                self.session.open_all(self.request.others(&kinds));
            }
            let request =
                OpenRequest { kind: self.request.kind.or(kinds.first().copied()), ..self.request.clone() };
            opener.open(&request, &mut progress, &mut |document| self.answer_questions(document, &kinds))
        };
        let caught = std::panic::catch_unwind(AssertUnwindSafe(|| interruptible(self.asker(), read)));
        let problem = match caught {
            Ok(Ok(Ok(()))) => return,
            Ok(Ok(Err(problem))) => problem,
            Ok(Err(Cancelled)) => Problem::new("cancelled"),
            Err(panic) => internal_error(panic.as_ref()),
        };
        self.session.update(self.id, self.revision, |entry| {
            (entry.stage, entry.jobs) = (Stage::Failed { problem }, None);
        });
    }

    /// Everybody who waits for the document, until it is closed or its opening cancelled.
    fn asker(&self) -> Arc<Asker> {
        Arc::new(Asker::of_document(&self.cancelled))
    }

    /// Reports progress to the page, not too often.
    fn progress(&self) -> OpenProgress {
        let (session, id, revision) = (Arc::clone(&self.session), self.id, self.revision);
        let last = Mutex::new(None::<Instant>);
        OpenProgress::new(Arc::clone(&self.cancelled), move |phase, done, total| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_some_and(|last| last.elapsed() < REPORT_EVERY) {
                return;
            }
            *last = Some(Instant::now());
            session.update(id, revision, |entry| {
                let (done, total) = (done as f64, total.map(|total| total as f64));
                entry.stage = Stage::Opening { phase: phase.to_owned(), done, total };
            });
        })
    }

    /// Answers questions until the document is closed. What they will need is made meanwhile, if the document can do that.
    fn answer_questions(&self, document: &dyn Document, kinds: &[DocumentKind]) {
        std::thread::scope(|scope| {
            if let Some(shared) = document.shared() {
                // What goes wrong here goes wrong again in the question that needs it, and is reported there.
                let prepare = || interruptible(self.asker(), || shared.prepare());
                scope.spawn(move || std::panic::catch_unwind(AssertUnwindSafe(prepare)));
            }
            self.announce_and_answer(document, kinds);
        });
    }

    /// Tells the page that the document is ready, then answers questions: on several threads if the document is shared.
    fn announce_and_answer(&self, document: &dyn Document, kinds: &[DocumentKind]) {
        let about = complete_about(document, &*self.session.opener, kinds);
        let (sender, jobs) = mpsc::channel::<Job>();
        if !self.session.is_other(&self.request) {
            let paths = self.request.paths.iter().map(|path| path.display().to_string()).collect();
            self.session.memory().opened(paths, about.kind.name(), &about.format);
        }
        self.session.update(self.id, self.revision, |entry| {
            // The opening may have been cancelled in its last moment; it cannot be from now on.
            if !self.asker().is_cancelled() {
                entry.stage = Stage::Ready { revision: self.revision, about: Arc::new(about) };
                entry.jobs = Some(sender);
            }
        });
        checkpoint();
        let jobs = Mutex::new(jobs);
        std::thread::scope(|scope| {
            for shared in (1..most_threads()).map_while(|_| document.shared()) {
                scope.spawn(|| answer_jobs(&jobs, shared));
            }
            answer_jobs(&jobs, document);
        });
    }
}

/// The number of threads that answer questions about one document.
pub(super) fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// Answers one question after the other. Answers that nobody waits for end early, and nothing of them is kept.
fn answer_jobs<D: Document + ?Sized>(jobs: &Mutex<mpsc::Receiver<Job>>, document: &D) {
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(Job { question, asker, reply }) = next() {
        if asker.is_cancelled() {
            continue;
        }
        let answer = || interruptible(Arc::new(asker), || document.answer(&question));
        let answer = match std::panic::catch_unwind(AssertUnwindSafe(answer)) {
            Ok(Ok(answer)) => answer,
            Ok(Err(Cancelled)) => continue,
            Err(panic) => Err(internal_error(panic.as_ref())),
        };
        // The page may have stopped waiting meanwhile.
        drop(reply.send(answer));
    }
}

/// The problem for a panic: the document stays open, since answers change nothing.
fn internal_error(panic: &(dyn std::any::Any + Send)) -> Problem {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Problem::new(format!("internal error: {}; please report it", text.unwrap_or("unknown")))
}
