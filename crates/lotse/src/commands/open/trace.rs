//! Opens traces for the page.

use std::path::Path;

use lotse_host::{FolderSource, Threads};
use lotse_model::Invocation;
use lotse_serve::open::{Document, OpenProgress};
use lotse_serve::trace::TraceDocument;
use lotse_trace::analyze::{Options, Subject, answer_about};
use lotse_trace::report;

use super::FileOpener;
use crate::commands::profile::format_failure;
use crate::exit::{Exit, Failure};
use crate::settings::Settings;

/// Rows of the tables in the report; the page has tables of its own for more.
const ROWS: usize = 20;

impl FileOpener {
    /// Reads a trace, analyses it, and answers questions about it.
    pub(super) fn open_trace(
        path: &Path,
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Failure> {
        let folder = FolderSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
        let trace = lotse_trace::open::read(&folder, None, &Threads::new("reading", progress))
            .map_err(format_failure)?;
        if trace.timelines.is_empty() {
            let message =
                format!("{} has no calls with times, so that there is no time-line", path.display());
            return Err(Failure { exit: Exit::Unreadable, message });
        }
        let thresholds = Settings::load()?.thresholds();
        let (name, call) = (path.display().to_string(), Invocation::default());
        let options = Options { thresholds: &thresholds, call: &call, ..Options::usual(&name) };
        let workers = Threads::new("analysing", progress);
        let mut subject =
            Subject::new(trace, &options, &workers).map_err(|error| Failure::new(Exit::Usage, &error))?;
        let answer = answer_about(&mut subject, &options, &workers);
        let document = report::without_empty_tables(report::analyze(&answer, ROWS));
        serve(&TraceDocument::new(subject, answer, document));
        Ok(())
    }
}
