//! `lotse trace info`.

use lotse_trace::answer::InfoAnswer;
use lotse_trace::report;

use super::{ending, is_damaged, print, read_silently, tell_each, tell_losses};
use crate::args::trace::InfoArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &InfoArgs) -> Result<Exit, Failure> {
    let path = &args.input.trace;
    let trace = read_silently(path, &args.input.read, !args.output.json)?;
    let answer = InfoAnswer::from_trace(&trace);
    match args.output.json {
        true => tell_losses(path, &trace.repairs),
        false => tell_each(path, &answer.facts.repairs),
    }
    print(&args.output, args.table.as_deref(), &answer, || report::info(&answer))?;
    Ok(ending(is_damaged(&trace)))
}
