//! Finds the file to execute for a program's name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::job::Job;
use crate::problem::StartProblem;

/// The directories that `execvp` searches if `PATH` is not set.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The file to execute for a job. A name with a slash is not checked here: the kernel reports problems with it.
pub(crate) fn program(job: &Job) -> Result<PathBuf, StartProblem> {
    let name = job.argv.first().filter(|name| !name.is_empty()).ok_or(StartProblem::EmptyCommand)?;
    if name.to_string_lossy().contains('/') {
        return Ok(PathBuf::from(name));
    }
    let mut forbidden = None;
    for directory in search_path(job) {
        let candidate = directory.join(name);
        if is_executable(&candidate) {
            return Ok(candidate);
        }
        if forbidden.is_none() && candidate.is_file() {
            forbidden = Some(candidate);
        }
    }
    Err(match forbidden {
        Some(path) => StartProblem::PermissionDenied { path },
        None => not_found(name, job),
    })
}

fn is_executable(file: &Path) -> bool {
    #[cfg(unix)]
    if rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_err() {
        return false;
    }
    file.is_file()
}

fn search_path(job: &Job) -> Vec<PathBuf> {
    let path = job.environment.get(OsStr::new("PATH")).unwrap_or_else(|| DEFAULT_PATH.into());
    let base = job.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    // Joining does not change absolute entries; an empty entry means the working directory.
    std::env::split_paths(&path).flat_map(|directory| std::path::absolute(base.join(directory))).collect()
}

fn not_found(name: &OsStr, job: &Job) -> StartProblem {
    let name = name.to_string_lossy().into_owned();
    let nearest = nearest(&name, search_path(job).iter().flat_map(|directory| names(directory)));
    StartProblem::NotFound { name, nearest }
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    // The names are only used for suggestions, so directories that cannot be read are skipped.
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The name with the smallest edit distance, if that is at most 1 plus one per five characters.
pub(crate) fn nearest(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let most = 1 + name.chars().count() / 5;
    let ranked = names.map(|known| (distance(name, &known), known));
    ranked.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

/// Edit distance: the number of insertions, deletions, substitutions and transpositions of neighbours between two words
/// (Damerau-Levenshtein, optimal string alignment).
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![(0..=to.len()).collect::<Vec<_>>()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from[i - 1] == *b && *a == to[j - 1] {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest, program};
    use crate::job::Job;
    use crate::problem::StartProblem;

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance("grep", "grep"), 0);
        assert_eq!(distance("gerp", "grep"), 1);
        assert_eq!(distance("grp", "grep"), 1);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn the_nearest_name_must_be_near() {
        let names = || ["sort", "grep", "gcc"].map(str::to_owned).into_iter();
        assert_eq!(nearest("srot", names()), Some("sort".into()));
        assert_eq!(nearest("python", names()), None);
    }

    #[test]
    #[cfg(unix)]
    fn the_search_path_is_that_of_the_job() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bin/mine");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(&file, "").unwrap();
        let mut job = Job::new(["mine"]);
        job.directory = Some(folder.path().to_owned());
        job.environment.set("PATH", "/nonexistent:bin");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(program(&job), Err(StartProblem::PermissionDenied { path: file.clone() }));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(program(&job), Ok(file));
        job.argv = vec!["mien".into()];
        let nearest = Some("mine".to_owned());
        assert_eq!(program(&job), Err(StartProblem::NotFound { name: "mien".to_owned(), nearest }));
    }

    #[test]
    fn names_are_searched_and_paths_are_not() {
        assert!(program(&Job::new(["sh"])).unwrap().is_absolute());
        assert_eq!(program(&Job::new(["./sh"])).unwrap().to_str(), Some("./sh"));
        assert_eq!(program(&Job::new::<&str>([])), Err(StartProblem::EmptyCommand));
        let mut nowhere = Job::new(["sh"]);
        nowhere.environment.set("PATH", "/nonexistent");
        assert!(matches!(program(&nowhere), Err(StartProblem::NotFound { .. })));
    }
}
