//! `lotse spy`: records what a program does to its data structures, and analyses the recording.

use crate::args::spy::{SpyArgs, SpyVerb};
use crate::exit::{Exit, Failure};

pub(super) mod analyze;
mod collect;
mod collecting;
mod coverage;
mod digest;
mod history;
mod input;
mod reported;
mod run;
mod samples;
mod sites;

pub(crate) fn run(args: &SpyArgs) -> Result<Exit, Failure> {
    match &args.verb {
        SpyVerb::Run(args) => run::run(args),
        SpyVerb::Analyze(args) => analyze::run(args),
        SpyVerb::Sites(args) => sites::sites(args),
        SpyVerb::Phases(args) => sites::phases(args),
        SpyVerb::History(args) => history::run(args),
        SpyVerb::Coverage(args) => coverage::run(args),
        SpyVerb::Collect(args) => collect::run(args),
    }
}
