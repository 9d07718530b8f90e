//! `lotse trace critical-path`.

use lotse_trace::analyze::critical;
use lotse_trace::report;

use super::{ending, limit, print, subject};
use crate::args::trace::CriticalPathArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &CriticalPathArgs) -> Result<Exit, Failure> {
    let (subject, damaged) = subject(&args.input, &args.cut, !args.output.json)?;
    let answer = critical(&subject);
    let limit = limit(&args.output, args.limit, 20);
    print(&args.output, args.table.as_deref(), &answer, || report::critical_path(&answer, limit))?;
    Ok(ending(damaged))
}
