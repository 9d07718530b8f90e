//! From a failed step of the launcher to what it means for the user.

use std::path::{Path, PathBuf};

use lotse_launch::wire;

use crate::job::{Input, Job, Output};
use crate::problem::StartProblem;
use crate::resolve::{names, nearest};

/// What a failed step of the launcher means for the user.
pub(super) fn problem(job: &Job, program: &Path, step: u32, code: i32) -> StartProblem {
    let other = |step| StartProblem::Other { step, code };
    let stream = |stream, path: Option<&PathBuf>| match path {
        Some(path) => StartProblem::Stream { stream, path: path.clone(), code },
        None => other(stream),
    };
    match step {
        wire::STEP_EXEC => not_executed(job, program, code),
        wire::STEP_DIRECTORY => match &job.directory {
            Some(path) => StartProblem::Directory { path: path.clone(), code },
            None => other("entering the directory"),
        },
        wire::STEP_CPU => match job.cpu {
            Some(cpu) => StartProblem::Cpu { cpu, code },
            None => other("choosing a CPU"),
        },
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
    let path = job.directory.as_deref().map_or_else(|| program.to_path_buf(), |it| it.join(program));
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
