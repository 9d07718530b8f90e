//! `lotse trace diff`.

use std::path::Path;

use lotse_trace::analyze::Subject;
use lotse_trace::diff::{Side, diff};
use lotse_trace::report;

use super::{Asked, ending, hands, is_damaged, limit, phase_failure, print, read};
use crate::args::trace_diff::DiffArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Line;

pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let (before, one) = side(args, &args.before)?;
    let (after, other) = side(args, &args.after)?;
    let answer = diff(&before, &after);
    let limit = limit(&args.output, args.limit, 10);
    print(&args.output, args.table.as_deref(), &answer, || report::diff(&answer, limit))?;
    Ok(ending(one || other))
}

/// One trace after the other, so that only one is in memory.
fn side(args: &DiffArgs, path: &Path) -> Result<(Side, bool), Failure> {
    let asked = Asked::new(path, &args.cut)?;
    let trace = read(path, &args.read, !args.output.json)?;
    let damaged = is_damaged(&trace);
    let mut line = Line::new(true);
    let workers = hands(&args.read, "analysing", &mut line);
    let subject = Subject::new(trace, &asked.options(), &workers).map_err(phase_failure)?;
    Ok((Side::new(&path.display().to_string(), &subject), damaged))
}
