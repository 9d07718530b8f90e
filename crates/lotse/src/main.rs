//! The command line of Lotse: turns arguments into options, calls an engine with them and prints its answer.

use std::process::ExitCode;

mod args;
mod commands;
mod exit;
mod export;
mod progress;
mod rules;
mod screen;
mod settings;

use args::{Cli, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    if let Some(status) = lotse_host::spy::run_as_compiler_or_runner(std::env::args_os()) {
        return status.into();
    }
    match run(Cli::read()) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            screen::error(&failure.message);
            failure.exit.into()
        }
    }
}

/// Runs the command that was given; without one, shows what to try.
fn run(cli: Cli) -> Result<Exit, Failure> {
    screen::set_display_options(screen::DisplayOptions { wide: cli.wide, verbose: cli.verbose });
    match cli.command {
        None => commands::hello::run(),
        Some(Command::Bench(bench)) => commands::bench::run(&bench),
        Some(Command::Profile(profile)) => commands::profile::run(&profile),
        Some(Command::Trace(trace)) => commands::trace::run(&trace),
        Some(Command::Spy(spy)) => commands::spy::run(&spy),
        Some(Command::Predict(predict)) => commands::predict::run(&predict),
        Some(Command::Open(open)) => commands::open::run(&open),
        Some(Command::Export(export)) => commands::export::run(&export),
        Some(Command::Explain(explain)) => commands::explain::run(&explain),
        Some(Command::Doctor(doctor)) => commands::doctor::run(&doctor),
        Some(Command::Config(config)) => commands::config::run(&config),
        Some(Command::Completions(completions)) => commands::completions::run(&completions),
        Some(Command::Man(man)) => commands::man::run(&man),
    }
}
