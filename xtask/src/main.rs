//! `cargo xtask`: the chores of the repository, each a file of `commands`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to whoever started them")]

mod commands;
mod failure;
mod shell;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match commands::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.explain();
            failure.exit_code()
        }
    }
}
