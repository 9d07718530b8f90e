//! From a program's name to the file to execute, and from a failure to its reason.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lotse_launch::wire;

use crate::job::{Input, Job, Output};
use crate::problem::StartProblem;

/// What `execvp` searches when there is no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The file to execute for a job. A name with a slash is taken as it is: the kernel will say what is wrong.
pub(crate) fn program(job: &Job) -> Result<PathBuf, StartProblem> {
    let name = job.argv.first().filter(|name| !name.is_empty()).ok_or(StartProblem::EmptyCommand)?;
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    let mut forbidden = None;
    for directory in search_path(job) {
        let candidate = directory.join(name);
        if rustix::fs::access(&candidate, rustix::fs::Access::EXEC_OK).is_ok() && candidate.is_file() {
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

fn search_path(job: &Job) -> Vec<PathBuf> {
    let path = job.environment.get(OsStr::new("PATH")).unwrap_or_else(|| DEFAULT_PATH.into());
    let base = job.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    // Joining leaves absolute entries alone; an empty one means the working directory.
    std::env::split_paths(&path).flat_map(|directory| std::path::absolute(base.join(directory))).collect()
}

fn not_found(name: &OsStr, job: &Job) -> StartProblem {
    let name = name.to_string_lossy().into_owned();
    let nearest = nearest(&name, search_path(job).iter().flat_map(|directory| names(directory)));
    StartProblem::NotFound { name, nearest }
}

fn names(directory: &Path) -> Vec<String> {
    // A directory of PATH that cannot be read offers no suggestion; that is all it is asked for here.
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The most similar name, if it is similar at all.
pub(crate) fn nearest(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let most = 1 + name.chars().count() / 5;
    let ranked = names.map(|known| (distance(name, &known), known));
    ranked.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

/// Insertions, deletions, changes and swaps of neighbours that lead from one word to the other.
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

/// What a failed step of the launcher means for the user.
pub(crate) fn problem(job: &Job, program: &Path, step: u32, code: i32) -> StartProblem {
    let other = |step| StartProblem::Other { step, code };
    let stream = |stream, path: Option<&PathBuf>| match path {
        Some(path) => StartProblem::Stream { stream, path: path.clone(), code },
        None => other(stream),
    };
    match step {
        wire::STEP_EXEC => not_executed(job, program, code),
        wire::STEP_DIRECTORY => {
            StartProblem::Directory { path: job.directory.clone().unwrap_or_default(), code }
        }
        wire::STEP_CPU => StartProblem::Cpu { cpu: job.cpu.unwrap_or_default(), code },
        wire::STEP_STDIN => {
            stream("stdin", if let Input::File(path) = &job.stdin { Some(path) } else { None })
        }
        wire::STEP_STDOUT => stream("stdout", file(&job.stdout)),
        wire::STEP_STDERR => stream("stderr", file(&job.stderr)),
        wire::STEP_GROUP => other("making a process group"),
        wire::STEP_CLONE => other("making a process"),
        _ => other("reading the request"),
    }
}

fn file(output: &Output) -> Option<&PathBuf> {
    if let Output::File(path) = output { Some(path) } else { None }
}

fn not_executed(job: &Job, program: &Path, code: i32) -> StartProblem {
    use rustix::io::Errno;
    let path = job.directory.clone().unwrap_or_default().join(program);
    let is_directory = path.is_dir();
    match Errno::from_raw_os_error(code) {
        Errno::NOENT | Errno::NOTDIR if path.exists() => StartProblem::InterpreterMissing { path },
        Errno::NOENT | Errno::NOTDIR => not_found_path(program, &path),
        Errno::ACCESS | Errno::PERM if is_directory => StartProblem::IsDirectory { path },
        Errno::ACCESS | Errno::PERM => StartProblem::PermissionDenied { path },
        Errno::NOEXEC if is_elf(&path) => StartProblem::WrongMachine { path },
        Errno::NOEXEC => StartProblem::NoInterpreter { path },
        Errno::TOOBIG => StartProblem::TooLong,
        _ => StartProblem::Other { step: "executing the program", code },
    }
}

fn not_found_path(given: &Path, path: &Path) -> StartProblem {
    let sibling = path.parent().zip(path.file_name()).and_then(|(directory, name)| {
        let name = nearest(&name.to_string_lossy(), names(directory).into_iter())?;
        Some(given.with_file_name(name).to_string_lossy().into_owned())
    });
    StartProblem::NotFound { name: given.to_string_lossy().into_owned(), nearest: sibling }
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic));
    read.is_ok() && magic == *b"\x7fELF"
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
    fn names_are_searched_and_paths_are_not() {
        assert!(program(&Job::new(["sh"])).unwrap().is_absolute());
        assert_eq!(program(&Job::new(["./sh"])).unwrap().to_str(), Some("./sh"));
        assert_eq!(program(&Job::new::<&str>([])), Err(StartProblem::EmptyCommand));
        let mut nowhere = Job::new(["sh"]);
        nowhere.environment.set("PATH", "/nonexistent");
        assert!(matches!(program(&nowhere), Err(StartProblem::NotFound { .. })));
    }
}
