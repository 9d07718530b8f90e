//! Starting a program: with the environment that the user's command would give it.
//!
//! In a recorded run Lotse becomes the program. In an unrecorded run, which is made for its time, Lotse waits for the
//! program, has it sampled, and leaves a note of how long it took.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::sampler::run_sampled;
use super::{NOTES_VARIABLE, become_program};

/// Variables as the user had them, by name; a name alone was not set.
pub(super) const RESTORE_VARIABLE: &str = "LOTSE_SPY_RESTORE";
/// Where to note how long the program took.
pub(super) const TIMES_VARIABLE: &str = "LOTSE_SPY_TIMES";

pub(super) fn run(arguments: Vec<OsString>) -> u8 {
    let Some((program, rest)) = arguments.split_first() else { return 2 };
    let mut command = Command::new(program);
    command.args(rest);
    restore(&mut command);
    match env::var_os(TIMES_VARIABLE) {
        Some(folder) => timed(command, Path::new(&folder)),
        None => become_program(command),
    }
}

/// Takes out what Lotse put into the environment for Cargo.
fn restore(command: &mut Command) {
    let own =
        [RESTORE_VARIABLE, TIMES_VARIABLE, NOTES_VARIABLE, super::OBJECT_VARIABLE, super::LINES_VARIABLE];
    for variable in own {
        command.env_remove(variable);
    }
    let changed = env::var(RESTORE_VARIABLE);
    for name in changed.as_deref().unwrap_or("").split(',').filter(|name| !name.is_empty()) {
        let saved = format!("LOTSE_SPY_WAS_{name}");
        match env::var_os(&saved) {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
        command.env_remove(saved);
    }
}

fn timed(mut command: Command, folder: &Path) -> u8 {
    let (status, seconds) = run_sampled(folder, || {
        let started = Instant::now();
        (command.status(), started.elapsed().as_secs_f64())
    });
    let Ok(status) = status else { return become_program(command) };
    let place = folder.join(format!("time-{}", std::process::id()));
    // The run itself is what the user wants; without its time severities stay open.
    drop(fs::write(place, format!("{seconds} {}", command.get_program().display())));
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        // As shells do.
        (None, Some(signal)) => 128_u8.saturating_add(signal as u8),
        (None, None) => 1,
    }
}

/// How long a program took.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramRun {
    /// The program.
    pub program: PathBuf,
    /// Seconds of wall time.
    pub seconds: f64,
}

/// The notes that runs left in a directory.
pub fn program_runs(folder: &Path) -> io::Result<Vec<ProgramRun>> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_time = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"time-"));
        if is_time {
            let text = fs::read_to_string(&path)?;
            runs.extend(text.split_once(' ').and_then(|(seconds, program)| {
                Some(ProgramRun { program: program.into(), seconds: seconds.parse().ok()? })
            }));
        }
    }
    Ok(runs)
}
