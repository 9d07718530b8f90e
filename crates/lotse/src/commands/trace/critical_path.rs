//! `lotse trace critical-path`.

use lotse_trace::analyze::critical;
use lotse_trace::report;

use super::{ending, limit, print_filtered, subject_of};
use crate::args::trace::CriticalPathArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &CriticalPathArgs) -> Result<Exit, Failure> {
    let (subject, damaged) = subject_of(&args.input, &args.cut, !args.output.json)?;
    let answer = critical(&subject);
    let limit = limit(&args.output, args.limit, 20);
    let document = |limit| report::critical_path(&answer, limit);
    print_filtered(&args.output, args.table.as_deref(), &answer, (&args.filter, limit), document)?;
    Ok(ending(damaged))
}
