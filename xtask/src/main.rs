//! `cargo xtask`: development tasks of the repository, one file of `commands` each.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands print their results")]

mod commands;
mod failure;
mod shell;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match commands::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}
