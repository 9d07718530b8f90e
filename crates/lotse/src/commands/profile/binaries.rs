//! The files that a profile refers to: programs, libraries, debug information, source text.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use lotse_host::{Debuginfod, FileSource, SystemTree};
use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;
use lotse_profile::resolve::{BuildFile, Fetched, Files};

use super::stores::BuildStores;
use crate::exit::{Exit, Failure};

/// The files of this machine, and those of its debuginfod servers.
pub(crate) struct Disk {
    stores: BuildStores,
    servers: Mutex<Option<Debuginfod>>,
}

impl Disk {
    pub(crate) fn new() -> Self {
        let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let home = variable("HOME").map(|home| format!("{home}/.perfconfig"));
        let settings = home.into_iter().chain(["/etc/perfconfig".to_owned()]);
        // Without settings, perf keeps its cache in the default place.
        let settings: Vec<String> = settings.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let stores = BuildStores::new(variable, &settings.join("\n"));
        Self { stores, servers: Mutex::new(Debuginfod::new()) }
    }
}

impl Files for Disk {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        // A profile may name any path. Devices and files in /proc, whose length is 0, could be endless.
        let about = std::fs::metadata(path).ok()?;
        if !about.is_file() || about.len() == 0 {
            return None;
        }
        Some(Box::new(FileSource::open(path).ok()?))
    }

    fn modified(&self, path: &str) -> Option<i64> {
        let changed = std::fs::metadata(path).ok()?.modified().ok()?;
        i64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
    }

    fn stored(&self, build: &BuildId, piece: BuildFile) -> Vec<String> {
        self.stores.places(build, piece)
    }

    fn fetch(&self, build: &BuildId, piece: BuildFile) -> Fetched {
        let kind = match piece {
            BuildFile::Program => "executable",
            BuildFile::Debug => "debuginfo",
        };
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(servers) = servers.as_mut() else { return Fetched::NoServer };
        let found = servers.find(kind, &build.to_string()).map_err(|error| error.to_string());
        let opened = found.and_then(|path| FileSource::open(path).map_err(|error| error.to_string()));
        opened.map_or_else(Fetched::Nothing, |file| Fetched::File(Box::new(file)))
    }

    fn kernel_file(&self, path: &str) -> Option<Vec<u8>> {
        SystemTree::real().bytes(path)
    }
}

/// The paths of `--binary`, each of which must be a file.
pub(crate) fn existing_paths(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
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
