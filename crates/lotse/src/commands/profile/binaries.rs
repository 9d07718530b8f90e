//! The files that names of a profile lead to: programs, libraries, debug information, source text.

use std::path::PathBuf;

use lotse_host::FileSource;
use lotse_model::bytes::Source;
use lotse_profile::resolve::Files;

use crate::exit::{Exit, Failure};

/// The files of this machine.
pub(super) struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        // A profile can name anything: devices and the files of /proc, which have no length, may never end.
        let about = std::fs::metadata(path).ok()?;
        if !about.is_file() || about.len() == 0 {
            return None;
        }
        Some(Box::new(FileSource::open(path).ok()?))
    }
}

/// The paths the user gives with `--binary`; each must be there.
pub(super) fn given(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    paths
        .iter()
        .map(|path| match std::fs::metadata(path) {
            Ok(about) if about.is_file() => Ok(path.to_string_lossy().into_owned()),
            Ok(_) => Err(Failure::usage(format!("--binary {}: it is no file", path.display()))),
            Err(error) => {
                let message = format!("--binary {}: {error}", path.display());
                Err(Failure { exit: Exit::Unreadable, message })
            }
        })
        .collect()
}
