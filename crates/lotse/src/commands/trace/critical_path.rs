//! `lotse trace critical-path`.

use lotse_trace::analyze::critical;
use lotse_trace::report;

use super::{ending, print, subject};
use crate::args::trace::CriticalPathArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &CriticalPathArgs) -> Result<Exit, Failure> {
    let (subject, damaged) = subject(&args.input, &args.cut, !args.output.json)?;
    let answer = critical(&subject);
    let limit = if args.output.csv { 0 } else { args.limit };
    print(&args.output, &answer, || report::critical_path(&answer, limit))?;
    Ok(ending(damaged))
}
