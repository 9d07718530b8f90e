//! Runs other programs (git, cargo) and finds them. This is the only module of the library that starts processes.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// Runs a command line in `folder` and returns its standard output.
pub fn output_of(folder: &Path, line: &[&str]) -> Result<Vec<u8>, Error> {
    let [program, arguments @ ..] = line else { return Ok(Vec::new()) };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|source| Error::Start { program: (*program).to_owned(), source })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Failed { program: line.join(" "), stderr })
}

/// The root folder of the repository that contains the current folder.
pub fn repository_root() -> Result<PathBuf, Error> {
    let here = Path::new(".");
    let start = here.canonicalize().map_err(|source| Error::File { path: here.to_owned(), source })?;
    let found = start.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file());
    found.map(Path::to_owned).ok_or(Error::NoRepository { start: start.clone() })
}

/// Whether a program of that name is on the search path.
#[must_use]
pub fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::{is_installed, output_of, repository_root};
    use crate::Error;
    use std::path::Path;

    #[test]
    fn an_answer_is_the_standard_output() {
        assert_eq!(output_of(Path::new("/"), &["echo", "hello"]).unwrap(), b"hello\n");
    }

    #[test]
    fn a_failure_contains_the_standard_error() {
        let failure = output_of(Path::new("/"), &["sh", "-c", "echo no >&2; exit 3"]).unwrap_err();
        assert!(matches!(failure, Error::Failed { stderr, .. } if stderr == "no"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = output_of(Path::new("/"), &["no-such-program"]).unwrap_err();
        assert!(failure.to_string().contains("no-such-program"));
        assert!(!is_installed("no-such-program"));
        assert!(is_installed("sh"));
    }

    #[test]
    fn the_root_is_found_from_inside() {
        assert!(repository_root().unwrap().join("xtask/src/lib.rs").is_file());
    }
}
