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

use args::{BenchVerb, Cli, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    if let Some(status) = lotse_host::spy::stand_in(std::env::args_os()) {
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
        Some(Command::Bench(bench)) => match bench.verb {
            None => commands::bench_run::run(&bench.run),
            Some(BenchVerb::Run(run)) => commands::bench_run::run(&run),
            Some(BenchVerb::Build(build)) => commands::bench_build::run(&build),
            Some(BenchVerb::Report(report)) => commands::bench_report::run(&report),
            Some(BenchVerb::History(history)) => commands::bench_history::run(&history),
            Some(BenchVerb::Gate(gate)) => commands::bench_gate::run(&gate),
            Some(BenchVerb::Pack(pack)) => commands::bench_pack::run(&pack),
            Some(BenchVerb::Replay(replay)) => commands::bench_replay::run(&replay),
            Some(BenchVerb::Restore(restore)) => commands::bench_restore::run(&restore),
            Some(BenchVerb::Watchdog(watchdog)) => commands::bench_restore::watch(&watchdog),
        },
        Some(Command::Profile(profile)) => commands::profile::run(&profile),
        Some(Command::Trace(trace)) => commands::trace::run(&trace),
        Some(Command::Spy(spy)) => commands::spy::run(&spy),
        Some(Command::Predict(predict)) => commands::predict::run(&predict),
        Some(Command::Explain(explain)) => commands::explain::run(&explain),
        Some(Command::Doctor(doctor)) => commands::doctor::run(&doctor),
        Some(Command::Config(config)) => commands::config::run(&config),
        Some(Command::Completions(completions)) => commands::completions::run(&completions),
        Some(Command::Man(man)) => commands::man::run(&man),
    }
}
