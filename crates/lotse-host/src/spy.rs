//! Recording a program: compiling it with callbacks, linking the runtime into it, starting it.
//!
//! Everything goes through the environment, so the command (`cargo run`, `cargo test`, a script that calls them) stays as
//! the user wrote it. Cargo is asked to call Lotse instead of the compiler (`wrapper`) and to start programs through
//! Lotse (`runner`); both are links to Lotse's own executable that are told apart by their names. Lotse's own target
//! directory keeps the user's as it is.

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

/// The name under which Lotse stands in for the compiler.
const COMPILER_LINK: &str = "lotse-spy-rustc";
/// The name under which Lotse starts a program.
const RUNNER_LINK: &str = "lotse-spy-runner";

/// Names the object to link in the environment of the compiler.
const OBJECT_VARIABLE: &str = "LOTSE_SPY_OBJECT";
/// Names crates to compile with callbacks, separated by commas; all if it is missing.
const ONLY_VARIABLE: &str = "LOTSE_SPY_ONLY";
/// Names crates to compile without callbacks, separated by commas.
const EXCLUDE_VARIABLE: &str = "LOTSE_SPY_EXCLUDE";
/// Says that crates are compiled without callbacks, but so that their lines are known.
const LINES_VARIABLE: &str = "LOTSE_SPY_LINES";
/// Names the directory for notes about crates and runs.
const NOTES_VARIABLE: &str = "LOTSE_SPY_NOTES";
/// Names the collector's process.
const COLLECTOR_VARIABLE: &str = "LOTSE_SPY_COLLECTOR";

/// Acts as the compiler or as the starter of programs, if Lotse was called by the name of one. Gives the exit status.
#[must_use]
pub fn stand_in(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
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
    // Nobody is left to complain to if standard error is closed.
    drop(std::io::stderr().write_all(text.as_bytes()));
    127
}
