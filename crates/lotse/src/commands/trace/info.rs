//! `lotse trace info`.

use lotse_trace::answer::InfoAnswer;
use lotse_trace::report;

use super::{ending, is_damaged, print, read};
use crate::args::trace::InfoArgs;
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &InfoArgs) -> Result<Exit, Failure> {
    let trace = read(&args.input.trace, &args.input.read, !args.output.json)?;
    let answer = InfoAnswer::of(&trace);
    print(&args.output, args.table.as_deref(), &answer, || report::info(&answer))?;
    Ok(ending(is_damaged(&trace)))
}
