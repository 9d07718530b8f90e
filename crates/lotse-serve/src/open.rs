//! How the server opens files, without knowing how files are read.
//!
//! Reading is the command line's business: it knows settings, caches and where binaries are. The server calls an [`Opener`] on a
//! thread of its own; the opener reads, and passes the document to `serve`, which returns when the document is closed. So a
//! document may borrow what it was read from.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lotse_model::Progress;
use lotse_model::progress::Cancelled;

use crate::api::{About, DocumentKind, Problem, Question, Remark};

/// Opens files.
pub trait Opener: Send + Sync {
    /// Reads the files and calls `serve` with the document. Returns when `serve` returns, or with the problem of a file.
    fn open(
        &self,
        request: &OpenRequest,
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Problem>;

    /// The kinds of document that the files can be read as. The first is the one that [`Opener::open`] chooses if the request
    /// names none. Empty if the opener decides only while it reads.
    fn kinds(&self, _request: &OpenRequest) -> Result<Vec<DocumentKind>, Problem> {
        Ok(Vec::new())
    }

    /// The text of `lotse explain RULE`; empty for an unknown rule.
    fn explanation(&self, rule: &str) -> String;

    /// The name of the editor that [`Opener::edit`] starts; `None` if the user chose none.
    fn editor(&self) -> Option<String> {
        None
    }

    /// Opens a file at a line in the user's editor, and says what was started.
    fn edit(&self, path: &str, line: u32) -> Result<String, Problem> {
        Err(Problem::new(format!("no editor is chosen to open {path}:{line}")))
    }
}

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpenRequest {
    pub paths: Vec<PathBuf>,
    /// Whether the files are two profiles to compare.
    pub compare: bool,
    /// What the files are read as; `None` for all that they are.
    pub kind: Option<DocumentKind>,
}

impl OpenRequest {
    /// A short name for a tab.
    pub fn name(&self) -> String {
        let name = |path: &PathBuf| {
            // Anchors of traces all have the same name: the folder tells them apart.
            let is_anchor = path.extension().is_some_and(|extension| extension == "otf2");
            let path = path.parent().filter(|_| is_anchor).unwrap_or(path);
            path.file_name()
                .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        };
        let names: Vec<String> = self.paths.iter().map(name).collect();
        let names = match names.as_slice() {
            [first, _, _, ..] => format!("{first} + {} more", names.len() - 1),
            _ => names.join(if self.compare { " → " } else { " + " }),
        };
        match self.kind {
            Some(kind) => format!("{names} ({})", kind.name()),
            None => names,
        }
    }

    /// The requests for the other documents of the same files.
    pub fn others(&self, kinds: &[DocumentKind]) -> Vec<Self> {
        let others = kinds.iter().skip(1).filter(|_| self.kind.is_none());
        others.map(|kind| Self { kind: Some(*kind), ..self.clone() }).collect()
    }
}

/// A file, or several, that questions are about.
pub trait Document {
    fn about(&self) -> About;
    /// The answer as JSON.
    fn answer(&self, question: &Question) -> Result<String, Problem>;
    /// The same document, if several threads may ask it at once.
    fn shared(&self) -> Option<&dyn SharedDocument> {
        None
    }
}

/// A document that several threads may ask at once.
pub trait SharedDocument: Document + Sync {
    /// Does in advance what later questions will need. Called on a thread of its own while questions are answered.
    fn prepare(&self) {}
}

/// What a document says about itself, with all that only the opener knows.
pub(crate) fn complete_about(document: &dyn Document, opener: &dyn Opener, kinds: &[DocumentKind]) -> About {
    let mut about = document.about();
    for finding in &mut about.findings {
        finding.explanation = opener.explanation(&finding.rule);
    }
    if kinds.len() > 1 {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let this = about.kind.name();
        about.remarks.push(Remark::note(format!(
            "the file is a {}, and each is a document of its own: this one is the {this}, and `--as {this}` opens only it",
            names.join(" and a ")
        )));
    }
    about
}

/// Called with the phase, what is done, and the total if it is known.
type Report = Box<dyn Fn(&str, u64, Option<u64>) + Send>;

/// Where an opener reports how far it is.
pub struct OpenProgress {
    report: Report,
    phase: String,
    total: Option<u64>,
    cancelled: Arc<AtomicBool>,
}

impl OpenProgress {
    /// Calls `report` with the phase, what is done, and the total if it is known.
    pub fn new(cancelled: Arc<AtomicBool>, report: impl Fn(&str, u64, Option<u64>) + Send + 'static) -> Self {
        Self { report: Box::new(report), phase: "reading".to_owned(), total: None, cancelled }
    }

    /// Ends the work if it was cancelled.
    fn check(&self) {
        if self.is_cancelled() {
            Cancelled::throw();
        }
    }
}

impl Progress for OpenProgress {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        self.check();
        (self.phase, self.total) = (what.to_owned(), total);
        (self.report)(&self.phase, 0, total);
    }

    fn advance(&mut self, done: u64, _note: &str) {
        (self.report)(&self.phase, done, self.total);
    }

    fn end(&mut self) {
        self.check();
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
