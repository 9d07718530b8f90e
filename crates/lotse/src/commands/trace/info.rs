//! `lotse trace info`.

use lotse_trace::answer::InfoAnswer;
use lotse_trace::report;

use super::{ending, is_damaged, print, read_trace, remark_each_repair, report_losses};
use crate::args::trace::InfoArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &InfoArgs) -> Result<Exit, Failure> {
    let path = &args.input.trace;
    let trace = read_trace(path, &args.input.read, !args.output.json)?;
    let answer = InfoAnswer::from_trace(&trace);
    match args.output.json {
        true => report_losses(path, &trace.repairs),
        false => remark_each_repair(path, &answer.facts.repairs),
    }
    print(&args.output, args.table.as_deref(), &answer, || report::info(&answer))?;
    Ok(ending(is_damaged(&trace)))
}
