//! Files that are parts of one profile: what callgrind writes for the threads and dumps of one run.

use std::path::{Path, PathBuf};

use lotse_formats::profile::callgrind::DumpRun;
use lotse_host::FileSource;

use crate::commands::profile::source;
use crate::exit::Failure;

/// The files of each run together, in the order in which the runs are first named. Other files stay alone.
pub(super) fn by_run(paths: Vec<PathBuf>) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<(Option<FolderRun>, Vec<PathBuf>)> = Vec::new();
    // One file needs no look at what is in it.
    let is_alone = paths.len() < 2;
    for path in paths {
        let run = if is_alone { None } else { run_of(&path) };
        // A file that is named twice is no second part of its run.
        let joins = |(other, files): &&mut (Option<FolderRun>, Vec<PathBuf>)| {
            run.is_some() && *other == run && !files.contains(&path)
        };
        match groups.iter_mut().find(joins) {
            Some((_, files)) => files.push(path),
            None => groups.push((run, vec![path])),
        }
    }
    groups.into_iter().map(|(_, files)| files).collect()
}

/// The file to read for all of them: the one that stands for the run, or the first, for which only those named count.
pub(super) fn run_source(paths: &[PathBuf]) -> Result<(&Path, FileSource), Failure> {
    let first = paths.first().ok_or_else(|| Failure::usage("no file was named"))?;
    let [_, _, ..] = paths else { return Ok((first, source(first)?)) };
    let runs: Vec<Option<FolderRun>> = paths.iter().map(|path| run_of(path)).collect();
    if let Some(at) = runs.iter().position(|run| run.is_none() || *run != runs[0]) {
        return Err(Failure::usage(format!(
            "{} is not of the same run as {}: open them one by one",
            paths[at].display(),
            first.display()
        )));
    }
    let stem = runs[0].as_ref().map(|run| run.1.name().to_owned());
    let stands_for_run = |path: &&PathBuf| stem.is_some() && file_name(path) == stem;
    let main = paths.iter().find(stands_for_run).unwrap_or(first);
    let others = paths.iter().filter(|path| *path != main).filter_map(|path| file_name(path)).collect();
    Ok((main, source(main)?.named_with(others)))
}

/// A run, and the folder that its files lie in.
type FolderRun = (PathBuf, DumpRun);

/// The run of a file. What cannot be read is opened alone, and says there why.
fn run_of(path: &Path) -> Option<FolderRun> {
    let folder = path.is_file().then(|| path.parent())??;
    let source = FileSource::open(path).ok()?;
    Some((folder.to_owned(), DumpRun::of(&source)?))
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().and_then(|name| name.to_str()).map(str::to_owned)
}
