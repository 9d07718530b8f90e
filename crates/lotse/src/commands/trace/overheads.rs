//! `lotse trace overheads`.

use lotse_trace::analyze::{OverheadsAnswer, Subject};
use lotse_trace::overheads::overheads;
use lotse_trace::report;

use super::{AnalysisRequest, ending, is_damaged, limit, part_failure, print, read, threads};
use crate::args::trace::{ClockArg, CutArgs, OverheadsArgs};
use crate::exit::{Exit, Failure};
use crate::progress::ProgressLine;

pub(crate) fn run(args: &OverheadsArgs) -> Result<Exit, Failure> {
    let with_remarks = !args.output.json;
    let sequential = read(&args.sequential, &args.read, with_remarks)?;
    let parallel = read(&args.parallel, &args.read, with_remarks)?;
    let damaged = is_damaged(&sequential) || is_damaged(&parallel);
    let request = AnalysisRequest::new(&args.parallel, &CutArgs::whole_run(ClockArg::Corrected))?;
    let mut line = ProgressLine::new(true);
    let workers = threads(&args.read, "analysing", &mut line);
    let parallel = Subject::new(parallel, &request.options(), &workers).map_err(part_failure)?;
    let overheads = overheads(&sequential, &parallel.trace, &parallel.waits);
    let answer = OverheadsAnswer { schema: "lotse.trace.overheads/1", overheads };
    let limit = limit(&args.output, args.limit, 20);
    print(&args.output, None, &answer, || report::overheads(&answer.overheads, limit))?;
    Ok(ending(damaged))
}
