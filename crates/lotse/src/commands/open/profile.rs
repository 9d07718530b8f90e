//! Opens profiles for the page.

use std::path::{Path, PathBuf};

use lotse_model::Invocation;
use lotse_model::rule::Thresholds;
use lotse_profile::analysis::Summary;
use lotse_profile::open::Opened;
use lotse_profile::resolve::Binaries;
use lotse_serve::ComparisonDocument;
use lotse_serve::open::{Document, OpenProgress};
use lotse_serve::profile::{ProfileContext, ProfileDocument};

use super::FileOpener;
use super::confined::ConfinedFiles;
use super::run_files::run_source;
use crate::commands::cache::remark_unless_kept;
use crate::commands::profile::binaries::existing_paths;
use crate::commands::profile::{read_for_page, source};
use crate::exit::Failure;
use crate::settings::Settings;

impl FileOpener {
    /// Reads a profile completely, of one file or of several of one run, and answers questions about it.
    pub(super) fn open_profile(
        &self,
        paths: &[PathBuf],
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Failure> {
        let (path, source) = run_source(paths)?;
        let opened = read_for_page(&source, &self.binaries, self.no_index, progress)?;
        let surroundings = Surroundings::new(self, &[path])?;
        serve(&ProfileDocument::new(&opened, surroundings.context(path)));
        Ok(())
    }

    /// Reads two profiles, and answers questions about what changed.
    pub(super) fn open_comparison(
        &self,
        (old, new): (&Path, &Path),
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Failure> {
        let sources = [source(old)?, source(new)?];
        let opened = [
            read_for_page(&sources[0], &self.binaries, self.no_index, progress)?,
            read_for_page(&sources[1], &self.binaries, self.no_index, progress)?,
        ];
        let surroundings = Surroundings::new(self, &[old, new])?;
        let old = ProfileDocument::new(&opened[0], surroundings.context(old));
        let new = ProfileDocument::new(&opened[1], surroundings.context(new));
        serve(&ComparisonDocument::new(old, new, self.renames.clone()));
        Ok(())
    }
}

/// Keeps the index for the next time, as `lotse profile top` does. A failure is no error, since it only costs time.
fn keep_index(opened: &Opened<'_>, summary: &Summary) {
    remark_unless_kept(opened.keep_index(summary));
}

/// What documents of profiles borrow.
struct Surroundings<'o> {
    files: ConfinedFiles,
    given: Vec<String>,
    source_dirs: &'o [String],
    thresholds: Thresholds,
    call: Invocation,
}

impl<'o> Surroundings<'o> {
    fn new(opener: &'o FileOpener, profiles: &[&Path]) -> Result<Self, Failure> {
        Ok(Self {
            files: ConfinedFiles::new(profiles, &opener.source_dirs),
            given: existing_paths(&opener.binaries)?,
            source_dirs: &opener.source_dirs,
            thresholds: Settings::load()?.thresholds(),
            call: Invocation::default(),
        })
    }

    fn context(&self, path: &Path) -> ProfileContext<'_> {
        ProfileContext {
            binaries: Binaries { files: &self.files, given: &self.given },
            source_dirs: self.source_dirs,
            file: path.display().to_string(),
            call: &self.call,
            thresholds: &self.thresholds,
            keep_index: &keep_index,
        }
    }
}
