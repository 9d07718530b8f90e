//! `lotse predict`: how long loops take, without running them.

use crate::args::predict::{PredictArgs, PredictVerb};
use crate::exit::{Exit, Failure};

mod ask;
mod calibrate;
mod compiled;
mod fit;
mod input;
mod machine;

pub(crate) fn run(args: &PredictArgs) -> Result<Exit, Failure> {
    match &args.verb {
        Some(PredictVerb::Calibrate(args)) => calibrate::run(args),
        Some(PredictVerb::Fit(args)) => fit::run(args),
        None => ask::run(&args.ask),
    }
}
