//! Opens results of measurements for the page.

use std::path::Path;

use lotse_bench::report::{self, View};
use lotse_serve::api::{About, DocumentKind, Remark};
use lotse_serve::findings::{Target, finding_rows};
use lotse_serve::open::Document;
use lotse_serve::report::ReportFile;

use super::FileOpener;
use crate::commands::bench::report::answer_for_page;
use crate::exit::Failure;

impl FileOpener {
    /// Reads a result and shows its report: the verdicts first, then tables and plots.
    pub(super) fn open_bench(path: &Path, serve: &mut dyn FnMut(&dyn Document)) -> Result<(), Failure> {
        let (answer, format, problems) = answer_for_page(path)?;
        let view = View { fastest_first: true, ..View::default() };
        let about = About {
            kind: DocumentKind::Bench,
            format: format.to_owned(),
            sentence: report::sentences(&answer, view).join(" "),
            findings: finding_rows(&answer.findings, |_| Target::default()),
            remarks: problems.into_iter().map(Remark::note).collect(),
            profile: None,
            trace: None,
        };
        serve(&ReportFile { about, report: report::full(&answer, view) });
        Ok(())
    }
}
