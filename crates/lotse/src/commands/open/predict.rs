//! Opens saved predictions for the page.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_predict::saved::{self, SavedError};
use lotse_serve::api::{About, DocumentKind};
use lotse_serve::findings::{Target, finding_rows};
use lotse_serve::open::Document;
use lotse_serve::report::{ReportFile, lead};

use super::FileOpener;
use crate::exit::{Exit, Failure};

impl FileOpener {
    /// Reads what `lotse predict --json` printed, and shows it with its findings and a picture.
    pub(super) fn open_prediction(path: &Path, serve: &mut dyn FnMut(&dyn Document)) -> Result<(), Failure> {
        let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
        let wrong = |error: SavedError| Failure {
            exit: Exit::Unreadable,
            message: format!("{}: {error}", path.display()),
        };
        let saved = saved::read(source.bytes()).map_err(wrong)?;
        let (sentence, report) = lead(&saved.document());
        let about = About {
            kind: DocumentKind::Predict,
            format: "prediction".to_owned(),
            sentence,
            findings: finding_rows(&saved.findings(), |_| Target::default()),
            remarks: Vec::new(),
            profile: None,
            trace: None,
        };
        serve(&ReportFile { about, report, values: BTreeMap::new() });
        Ok(())
    }
}
