//! `lotse spy`: records what a program does to its data structures, and says what that tells.

use crate::args::spy::{SpyArgs, SpyVerb};
use crate::exit::{Exit, Failure};

mod collect;
mod coverage;
mod input;
mod run;

pub(crate) fn run(args: &SpyArgs) -> Result<Exit, Failure> {
    match &args.verb {
        SpyVerb::Run(args) => run::run(args),
        SpyVerb::Coverage(args) => coverage::run(args),
        SpyVerb::Collect(args) => collect::run(args),
    }
}
