//! Recording a program: compiling it with callbacks, linking the runtime into it, starting it.
//!
//! All settings are environment variables, so that the user's command (`cargo run`, `cargo test`, a script that calls them) need
//! not be changed. They make Cargo call Lotse instead of the compiler (`wrapper`) and start programs through Lotse (`runner`);
//! both are links to Lotse's executable, which distinguishes them by their names. A separate target directory keeps the user's
//! unchanged.

mod collecting;
mod flags;
mod runner;
mod sampler;
mod session;
mod trial;
mod waiting;
mod wrapper;

pub use collecting::{GrowingFile, Parent, kill, pause, terminate};
pub use runner::{ProgramRun, program_runs};
pub use sampler::{ProgramSamples, program_samples};
pub use session::{CompiledCrate, RecordedBuild, SpyError, SpySession, Toolchain};
pub use trial::capabilities;
pub use waiting::{CollectorEnd, CollectorProcess, CommandEnd, wait_for_command};

use std::ffi::OsString;
use std::path::Path;

/// The name under which Lotse acts as the compiler.
const COMPILER_LINK: &str = "lotse-spy-rustc";
/// The name under which Lotse starts a program.
const RUNNER_LINK: &str = "lotse-spy-runner";

/// Variable with the path of the runtime's object file.
const OBJECT_VARIABLE: &str = "LOTSE_SPY_OBJECT";
/// Variable with the crates to compile with callbacks, separated by commas; all if it is not set.
const ONLY_VARIABLE: &str = "LOTSE_SPY_ONLY";
/// Variable with the crates to compile without callbacks, separated by commas.
const EXCLUDE_VARIABLE: &str = "LOTSE_SPY_EXCLUDE";
/// Variable that requests a build without callbacks but with line information.
const LINES_VARIABLE: &str = "LOTSE_SPY_LINES";
/// Variable with the directory for notes about crates.
const NOTES_VARIABLE: &str = "LOTSE_SPY_NOTES";
/// Variable with the process id of the collector.
const COLLECTOR_VARIABLE: &str = "LOTSE_SPY_COLLECTOR";

/// Acts as compiler wrapper or program runner if Lotse was called under one of these names. Returns the exit status.
#[must_use]
pub fn run_as_compiler_or_runner(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter();
    let name = arguments.next()?;
    let rest = arguments.collect();
    match Path::new(&name).file_name()?.to_str()? {
        COMPILER_LINK => Some(wrapper::run(rest)),
        RUNNER_LINK => Some(runner::run(rest)),
        _ => None,
    }
}

/// Replaces Lotse by another program; returns only if that fails, with the status for it.
fn become_program(mut command: std::process::Command) -> u8 {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    let text = format!("lotse: cannot start `{}`: {error}\n", command.get_program().display());
    // If standard error is closed, the error cannot be reported.
    drop(std::io::stderr().write_all(text.as_bytes()));
    127
}
