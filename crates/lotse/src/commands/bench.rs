//! `lotse bench`: its verbs, one file each, and what they share.

mod build;
mod build_file;
mod earlier;
mod export;
mod gate;
mod history;
mod keep;
mod options;
mod pack;
mod programs;
mod replay;
pub(super) mod report;
mod report_choice;
mod restore;
mod run;
mod separation;
mod settings;
mod status;
mod suite;
mod watch;

use crate::args::{BenchArgs, BenchVerb};
use crate::exit::{Exit, Failure};

/// Runs the verb that was given; without one, measures.
pub(crate) fn run(args: &BenchArgs) -> Result<Exit, Failure> {
    match &args.verb {
        None => run::run(&args.run),
        Some(BenchVerb::Run(run)) => run::run(run),
        Some(BenchVerb::Build(build)) => build::run(build),
        Some(BenchVerb::Report(report)) => report::run(report),
        Some(BenchVerb::History(history)) => history::run(history),
        Some(BenchVerb::Gate(gate)) => gate::run(gate),
        Some(BenchVerb::Pack(pack)) => pack::run(pack),
        Some(BenchVerb::Replay(replay)) => replay::run(replay),
        Some(BenchVerb::Restore(restore)) => restore::run(restore),
        Some(BenchVerb::Watchdog(watchdog)) => restore::watch(watchdog),
    }
}
