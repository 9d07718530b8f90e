//! Explains a failed step of the launcher to the user.

use std::path::{Path, PathBuf};

use lotse_launch::wire;

use crate::job::{Input, Job, Output};
use crate::problem::StartProblem;
use crate::resolve::{names, nearest};

/// The problem that a failed step of the launcher and its error number mean.
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

#[cfg(test)]
mod tests {
    use super::problem;
    use crate::job::{Input, Job, Output};
    use crate::problem::StartProblem;
    use lotse_launch::wire;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    const ENOENT: i32 = 2;
    const ENOEXEC: i32 = 8;
    const EACCES: i32 = 13;

    fn job() -> Job {
        let mut job = Job::new(["./p"]);
        job.directory = Some("/d".into());
        job.cpu = Some(7);
        job.stdin = Input::File("in".into());
        job.stdout = Output::File("out".into());
        job
    }

    #[test]
    fn each_step_names_what_was_asked_for() {
        let check = |step, text: &str| {
            let problem = problem(&job(), Path::new("./p"), step, EACCES).to_string();
            assert_eq!(problem, format!("{text}: Permission denied (os error 13)"));
        };
        check(wire::STEP_DIRECTORY, "cannot enter the directory `/d`");
        check(wire::STEP_CPU, "CPU 7 cannot be used");
        check(wire::STEP_STDIN, "cannot open `in` as stdin");
        check(wire::STEP_STDOUT, "cannot open `out` as stdout");
        check(wire::STEP_STDERR, "stderr failed");
        check(wire::STEP_GROUP, "making a process group failed");
        check(wire::STEP_CLONE, "making a process failed");
        check(wire::STEP_MESSAGE, "reading the request failed");
    }

    #[test]
    fn an_unexpected_step_gives_a_general_problem() {
        let plain = Job::new(["./p"]);
        for step in [wire::STEP_DIRECTORY, wire::STEP_CPU, wire::STEP_STDIN] {
            let problem = problem(&plain, Path::new("./p"), step, EACCES);
            assert!(matches!(problem, StartProblem::Other { code: EACCES, .. }), "{problem:?}");
        }
    }

    /// A directory with a program, a script, a file for another machine and a directory in it.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("sorter", "#!/no/such\n"), ("script", "echo\n"), ("foreign", "\x7fELF....")]
        {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::create_dir(folder.path().join("inner")).unwrap();
        folder
    }

    fn not_executed(name: &str, code: i32) -> StartProblem {
        let folder = folder();
        let mut job = Job::new([name]);
        job.directory = Some(folder.path().to_owned());
        problem(&job, Path::new(name), wire::STEP_EXEC, code)
    }

    #[test]
    fn the_reason_is_found_from_the_file() {
        use StartProblem::{InterpreterMissing, IsDirectory, NoInterpreter, PermissionDenied, WrongMachine};
        assert!(matches!(not_executed("./sorter", ENOENT), InterpreterMissing { .. }));
        assert!(matches!(not_executed("./inner", EACCES), IsDirectory { .. }));
        assert!(matches!(not_executed("./script", EACCES), PermissionDenied { .. }));
        assert!(matches!(not_executed("./script", ENOEXEC), NoInterpreter { .. }));
        assert!(matches!(not_executed("./foreign", ENOEXEC), WrongMachine { .. }));
        assert_eq!(not_executed("./script", 7), StartProblem::TooLong);
        assert!(matches!(not_executed("./script", 12), StartProblem::Other { code: 12, .. }));
    }

    #[test]
    fn a_path_that_leads_nowhere_is_compared_with_its_neighbours() {
        let nearest = |name: &str| match not_executed(name, ENOENT) {
            StartProblem::NotFound { name: given, nearest } if given == name => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("./srter").as_deref(), Some("./sorter"));
        assert_eq!(nearest("./elsewhere"), None);
        assert_eq!(nearest("nowhere/sorter"), None);
    }
}
