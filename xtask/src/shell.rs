//! Runs programs whose output goes to the terminal or to a file.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// Runs a command line in `folder` with additional environment variables; an exit status other than 0 is a failure.
pub(crate) fn run(folder: &Path, environment: &[(&str, &str)], line: &[&str]) -> Result<(), Failure> {
    let [program, arguments @ ..] = line else { return Ok(()) };
    let status = Command::new(program)
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .status()
        .map_err(|source| xtask::Error::Start { program: (*program).to_owned(), source })?;
    if status.success() { Ok(()) } else { Err(Failure::Step { line: line.join(" "), status }) }
}

/// Runs a command line whose output goes to a file; the end of the file is printed if the command fails.
pub(crate) fn run_with_log(
    folder: &Path,
    environment: &[(&str, &str)],
    line: &[&str],
    log: &Path,
) -> Result<(), Failure> {
    let [program, arguments @ ..] = line else { return Ok(()) };
    let file_failed = |source| xtask::Error::File { path: log.to_owned(), source };
    let file = File::create(log).map_err(file_failed)?;
    let status = Command::new(program)
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file.try_clone().map_err(file_failed)?)
        .stderr(file)
        .status()
        .map_err(|source| xtask::Error::Start { program: (*program).to_owned(), source })?;
    if status.success() {
        return Ok(());
    }
    let output = fs::read(log).map_err(file_failed)?;
    let output = String::from_utf8_lossy(&output);
    let lines: Vec<&str> = output.lines().collect();
    println!("{}", lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n"));
    Err(Failure::Step { line: line.join(" "), status })
}

/// The number of lines at the end of a log that are printed.
const LINES_SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use super::{run, run_with_log};
    use crate::failure::Failure;
    use std::path::Path;

    #[test]
    fn the_status_decides() {
        let shell = |script| run(Path::new("/"), &[("LOTSE_X", "7")], &["sh", "-c", script]);
        assert!(shell("test $LOTSE_X = 7").is_ok());
        assert!(matches!(shell("exit 3"), Err(Failure::Step { status, .. }) if status.code() == Some(3)));
    }

    #[test]
    fn output_goes_to_the_log() {
        let log = std::env::temp_dir().join(format!("xtask-log-{}", std::process::id()));
        let shell = |script| run_with_log(Path::new("/"), &[("LOTSE_X", "bad")], &["sh", "-c", script], &log);
        assert!(shell("echo good; echo $LOTSE_X >&2").is_ok());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "good\nbad\n");
        assert!(shell("exit 3").is_err());
        std::fs::remove_file(log).unwrap();
    }
}
