//! Commands around the runs: setup, prepare, conclude, cleanup. Always through a shell, never measured.

use std::ffi::OsString;

use lotse_host::{End, Environment, Job, LaunchError, Launcher, Output};

use crate::command::{CommandError, Shell};
use crate::options::ProgramSpec;

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Once before the first run.
    Setup,
    /// Before every run.
    Prepare,
    /// After every run.
    Conclude,
    /// Once after the last run.
    Cleanup,
}

impl std::fmt::Display for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Setup => "setup",
            Self::Prepare => "prepare",
            Self::Conclude => "conclude",
            Self::Cleanup => "cleanup",
        })
    }
}

/// A hook that failed.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// It ended with an error.
    #[error("the {hook} command of '{program}' {how}: {command}{}", printed(.output))]
    Failed {
        hook: Hook,
        program: String,
        command: String,
        /// How it ended.
        how: String,
        /// The end of what it printed.
        output: String,
    },
    /// It could not be started.
    #[error("cannot start the {hook} command of '{program}'")]
    Launch { hook: Hook, program: String, source: LaunchError },
    /// The interrupt could not be reset, so no more commands can be started.
    #[error("cannot run cleanup commands after an interrupt")]
    Interrupt(#[source] std::io::Error),
    /// The command is malformed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

fn printed(output: &str) -> String {
    if output.trim().is_empty() { String::new() } else { format!("\n  it printed: {}", output.trim()) }
}

/// Bytes of the error output of a failed hook that are shown.
const SHOWN: usize = 2000;

/// Runs a program's hook, if it has one.
pub(super) fn run(
    launcher: &mut Launcher,
    shell: &Shell,
    spec: &ProgramSpec,
    hook: Hook,
    iteration: Iteration,
) -> Result<(), HookError> {
    let Some(command) = command(spec, hook) else { return Ok(()) };
    let shell = if *shell == Shell::None { &Shell::system() } else { shell };
    let job = job(shell, spec, command, iteration)?;
    let name = || spec.program.name.clone();
    let report = launcher.run(&job).map_err(|source| HookError::Launch { hook, program: name(), source })?;
    let how = match &report.end {
        End::Exited(0) => return Ok(()),
        End::Exited(code) => format!("ended with exit code {code}"),
        End::Signalled(signal) => format!("was ended by signal {signal}"),
        End::TimedOut => "took too long".to_owned(),
        End::Interrupted => "was interrupted".to_owned(),
        End::NotStarted(problem) => format!("could not be started ({problem})"),
    };
    let output = String::from_utf8_lossy(&report.stderr.bytes).into_owned();
    Err(HookError::Failed { hook, program: name(), command: command.to_owned(), how, output })
}

fn command(spec: &ProgramSpec, hook: Hook) -> Option<&str> {
    let hooks = &spec.hooks;
    match hook {
        Hook::Setup => hooks.setup.as_deref(),
        Hook::Prepare => hooks.prepare.as_deref(),
        Hook::Conclude => hooks.conclude.as_deref(),
        Hook::Cleanup => hooks.cleanup.as_deref(),
    }
}

fn job(shell: &Shell, spec: &ProgramSpec, command: &str, iteration: Iteration) -> Result<Job, CommandError> {
    let mut environment = Environment::default();
    for (name, value) in &spec.environment {
        environment.set(name, value);
    }
    set_iteration(&mut environment, iteration);
    let job = unmeasured_job(shell.argv(command)?);
    Ok(Job { environment, directory: spec.directory.clone(), ..job })
}

/// A command that is not measured: only the beginning of its errors is kept.
pub(super) fn unmeasured_job(argv: Vec<OsString>) -> Job {
    Job { stderr: Output::Capture { limit: SHOWN }, ..Job::new(argv) }
}

/// The number of a run, passed to commands in an environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Iteration {
    /// A run before measuring, from 0.
    WarmUp(u32),
    /// A measured run, from 0.
    Run(u32),
}

impl std::fmt::Display for Iteration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WarmUp(number) => write!(f, "warmup-{number}"),
            Self::Run(number) => write!(f, "{number}"),
        }
    }
}

/// Sets the variable with the number of the run, under its name in Lotse and in hyperfine.
pub(super) fn set_iteration(environment: &mut Environment, iteration: Iteration) {
    for name in ["LOTSE_ITERATION", "HYPERFINE_ITERATION"] {
        environment.set(name, iteration.to_string());
    }
}
