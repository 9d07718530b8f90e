//! Starts programs whose output goes straight to the terminal.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// Runs a command line in `folder` with some additional environment; any other status than 0 is a failure.
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

#[cfg(test)]
mod tests {
    use super::run;
    use crate::failure::Failure;
    use std::path::Path;

    #[test]
    fn the_status_decides() {
        let shell = |script| run(Path::new("/"), &[("LOTSE_X", "7")], &["sh", "-c", script]);
        assert!(shell("test $LOTSE_X = 7").is_ok());
        assert!(matches!(shell("exit 3"), Err(Failure::Step { status, .. }) if status.code() == Some(3)));
    }
}
