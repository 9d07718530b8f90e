//! `lotse trace phases`.

use lotse_trace::analyze::PhasesAnswer;
use lotse_trace::iterations::iterations;
use lotse_trace::phases::{Options, Threshold};
use lotse_trace::report;

use super::{ending, print, subject_of, threads};
use crate::args::trace::{CutArgs, PhasesArgs};
use crate::exit::{Exit, Failure};
use crate::progress::ProgressLine;

pub(crate) fn run(args: &PhasesArgs) -> Result<Exit, Failure> {
    let options = options(args)?;
    let whole_run = CutArgs::whole_run(args.clock);
    let (mut subject, damaged) = subject_of(&args.input, &whole_run, !args.output.json)?;
    let mut line = ProgressLine::new(true);
    let workers = threads(&args.input.read, "looking for phases", &mut line);
    let answer = PhasesAnswer {
        schema: "lotse.trace.phases/1",
        phases: subject.phases(options, &workers),
        iterations: iterations(&subject.trace, &workers),
    };
    print(&args.output, None, &answer, || report::phases(&answer))?;
    Ok(ending(damaged))
}

/// The options of the search for phases, if they are within their ranges.
fn options(args: &PhasesArgs) -> Result<Options, Failure> {
    let usual = Options::default();
    let threshold = match args.threshold {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            return Err(Failure::usage("--threshold is a share of the strongest change, from 0 to 1"));
        }
        Some(share) => Threshold::Relative(share),
        None => usual.threshold,
    };
    let window = args.window.unwrap_or(usual.window);
    if !(1..usual.steps).contains(&window) {
        return Err(Failure::usage(format!(
            "--window takes 1 to {} of the {} steps",
            usual.steps - 1,
            usual.steps
        )));
    }
    Ok(Options { window, threshold, ..usual })
}
