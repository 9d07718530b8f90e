//! Starts a program with the environment that it would have without Lotse.
//!
//! In a recorded run Lotse's process is replaced by the program (`exec`). In an unrecorded run, which serves to measure its time,
//! Lotse samples the program, waits for it, and writes its wall time to a file.

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

/// Variable with the names of the variables that Lotse changed, separated by commas. The original value of `NAME` is in
/// `LOTSE_SPY_WAS_NAME`, if it was set.
pub(super) const RESTORE_VARIABLE: &str = "LOTSE_SPY_RESTORE";
/// Variable with the folder for wall times and samples; set in unrecorded runs only.
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

/// Restores the variables that Lotse changed for Cargo.
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
    // The run is more important than its time, without which severities are unknown.
    drop(fs::write(place, format!("{seconds} {}", command.get_program().display())));
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        // The exit status that shells use.
        (None, Some(signal)) => 128_u8.saturating_add(signal as u8),
        (None, None) => 1,
    }
}

/// A program and its wall time.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramRun {
    pub program: PathBuf,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// The wall times that unrecorded runs wrote to a folder.
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
