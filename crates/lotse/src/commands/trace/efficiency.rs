//! `lotse trace efficiency`.

use std::path::Path;

use lotse_trace::analyze::{EfficiencyAnswer, RunEfficiency, efficiency_of};
use lotse_trace::report;
use lotse_trace::scaling::{Scaling, scaling};

use super::{ending, print, subject};
use crate::args::trace::EfficiencyArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &EfficiencyArgs) -> Result<Exit, Failure> {
    let (mut runs, mut cautions) = (Vec::new(), Vec::new());
    let mut damaged = false;
    for path in &args.traces {
        let (efficiency, caution, is_damaged) = run_efficiency(args, path)?;
        damaged |= is_damaged;
        cautions.push(caution);
        runs.push((path.display().to_string(), efficiency));
    }
    let growth = if args.weak { Scaling::Weak } else { Scaling::Strong };
    let answer =
        EfficiencyAnswer { schema: "lotse.trace.efficiency/1", runs: scaling(runs, growth), cautions };
    let form = if args.output.csv { report::efficiency_rows } else { report::efficiency };
    print(&args.output, None, &answer, || form(&answer))?;
    Ok(ending(damaged))
}

/// The efficiencies of one trace, a caution about them, and whether events are missing. The trace itself is dropped, so that only
/// one is in memory at a time.
fn run_efficiency(
    args: &EfficiencyArgs,
    path: &Path,
) -> Result<(RunEfficiency, Option<String>, bool), Failure> {
    let (subject, damaged) = subject(path, &args.read, &args.cut, !args.output.json)?;
    let efficiency = efficiency_of(&subject).ok_or_else(|| Failure {
        exit: Exit::Unreadable,
        message: format!("{}: nothing in this trace ran on a processor", path.display()),
    })?;
    Ok((efficiency, report::caution(&subject.facts), damaged))
}
