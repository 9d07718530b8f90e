//! `lotse trace diff`.

use std::path::Path;

use lotse_trace::diff::{RunSums, diff};
use lotse_trace::report;

use super::{ending, limit, print_filtered, subject};
use crate::args::trace_diff::DiffArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let (before, before_damaged) = sums(args, &args.before)?;
    let (after, after_damaged) = sums(args, &args.after)?;
    let answer = diff(&before, &after);
    let limit = limit(&args.output, args.limit, 10);
    let document = |limit| report::diff(&answer, limit);
    print_filtered(&args.output, args.table.as_deref(), &answer, (&args.filter, limit), document)?;
    Ok(ending(before_damaged || after_damaged))
}

/// The sums of one trace; the trace itself is dropped, so that only one is in memory at a time.
fn sums(args: &DiffArgs, path: &Path) -> Result<(RunSums, bool), Failure> {
    let (subject, damaged) = subject(path, &args.read, &args.cut, !args.output.json)?;
    Ok((RunSums::new(&path.display().to_string(), &subject), damaged))
}
