//! `lotse profile data`.

use lotse_profile::answer::{EventAnswer, default_event};
use lotse_profile::csv;
use lotse_profile::data::{DataAnswer, StructureGrouping, structures};
use lotse_profile::report;

use super::{
    analyse, columns, diagnostics, ending, event_types, limited, numbers, print, read_unchanged, remarks,
    source,
};
use crate::args::profile::DataArgs;
use crate::exit::{Exit, Failure};

/// Lists data structures by the site of their allocation, or with `--stacks` by its whole stack.
pub(crate) fn run(args: &DataArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_unchanged(&source, &args.input.read, !args.output.json)?;
    if opened.profile.data.is_empty() {
        let message = format!(
            "a profile in the format {} holds nothing about data structures; DHAT, heaptrack and Massif do",
            opened.format
        );
        return Err(Failure { exit: Exit::Missing, message });
    }
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let grouping = if args.stacks { StructureGrouping::Stacks } else { StructureGrouping::Sites };
    let (totals, all) = structures(&opened.profile, &analysis.parts, &columns, grouping);
    let answer = DataAnswer {
        schema: "lotse.profile.data/1",
        format: opened.format.to_owned(),
        events: EventAnswer::for_columns(&columns, &totals),
        default_event: default_event(&opened.profile),
        count: all.len(),
        structures: limited(all, args.limit),
        diagnostics: diagnostics(&opened, &[]),
    };
    let document = || match args.output.csv {
        true => csv::data(&answer),
        false => report::data(&answer, &columns, numbers(&args.output)),
    };
    print(&args.output, &answer, document, &[])?;
    if !args.output.json {
        remarks::cut(answer.structures.len(), answer.count, "data structures");
    }
    Ok(ending(&opened))
}
