//! Finds the history of a project and keeps results in it.

use std::path::{Path, PathBuf};

use lotse_bench::Finished;
use lotse_bench::history::{self, KeptDetails};
use lotse_bench::options::Options;
use lotse_host::build;
use lotse_store::{ResultId, SourceOrigin, Store, StoreError};

use crate::args::{KeepArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

/// The path of the history in a project.
const HISTORY_PATH: &str = ".lotse/history.db";

/// The history of the project that the current folder belongs to, if it has one. A repository inside another project is a
/// separate project.
fn existing_path() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let top = build::top(&folder).ok().and_then(|top| top.canonicalize().ok());
    let inside = |folder: &&Path| top.as_ref().is_none_or(|top| folder.starts_with(top));
    folder.ancestors().take_while(inside).map(|folder| folder.join(HISTORY_PATH)).find(|path| path.is_file())
}

/// Where a new history goes: the top of the repository, or the current folder.
fn new_path() -> PathBuf {
    let folder = PathBuf::from(".");
    build::top(&folder).map_or_else(|_| folder, PathBuf::from).join(HISTORY_PATH)
}

/// Opens the history that exists.
pub(crate) fn open(stated: Option<&Path>) -> Result<Store, Failure> {
    let path = stated.map(Path::to_owned).or_else(existing_path).ok_or_else(|| {
        let message = "there is no history in this folder or above it: `lotse bench --keep CMD` begins one";
        Failure { exit: Exit::Missing, message: message.to_owned() }
    })?;
    Store::open(&path).map_err(failure)
}

/// Opens the history, or begins one.
pub(crate) fn open_or_begin(stated: Option<&Path>) -> Result<Store, Failure> {
    let path = stated.map(Path::to_owned).or_else(existing_path).unwrap_or_else(new_path);
    Store::create(&path).map_err(failure)
}

pub(crate) fn failure(error: StoreError) -> Failure {
    let exit = match &error {
        StoreError::NoResult { .. } => Exit::Usage,
        StoreError::Absent { .. } | StoreError::Folder { .. } => Exit::Missing,
        _ => Exit::Unreadable,
    };
    Failure::new(exit, &error)
}

/// Opens the history for the results of a measurement; `None` if there is no history and none is wanted. Called before
/// measuring, so that a history that cannot be written is reported at once. A label alone begins no history.
pub(crate) fn for_run(args: &KeepArgs) -> Result<Option<Store>, Failure> {
    let wanted = args.keep || args.store.is_some();
    if args.no_keep || !(wanted || existing_path().is_some()) {
        if !args.label.is_empty() {
            return Err(Failure::usage(
                "--label names a result of the history, and there is none in this folder or above it: --keep begins one",
            ));
        }
        return Ok(None);
    }
    open_or_begin(args.store.as_deref()).map(Some)
}

/// Keeps a measurement that has at least one run. Failing to keep it is an error, because a gap in the history misleads.
pub(crate) fn keep(
    store: Option<Store>,
    args: &RunArgs,
    options: &Options,
    finished: &Finished,
    origin: &SourceOrigin,
) -> Result<Option<ResultId>, Failure> {
    let Some(mut store) = store.filter(|_| !finished.set.runs.is_empty()) else { return Ok(None) };
    let file = history::result_file(options, &finished.set, &finished.conclusion)
        .map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let keeping = KeptDetails {
        origin: origin.clone(),
        labels: args.keep.label.clone(),
        date: lotse_host::utc_now(),
        primary: Some(options.primary.clone()),
    };
    let id = store.add(&history::new_result(&finished.set, file, keeping)).map_err(failure)?;
    if !args.show.quiet && !args.results.json {
        screen::remark(&format!("kept as result {id} of {}", store.path().display()));
    }
    Ok(Some(id))
}

/// The commit that the current folder is at, where it is in a repository.
pub(crate) fn origin() -> SourceOrigin {
    match build::git_state(Path::new(".")) {
        Some(state) => {
            SourceOrigin { commit: Some(state.commit), branch: state.branch, changed: state.changed }
        }
        None => SourceOrigin::default(),
    }
}
