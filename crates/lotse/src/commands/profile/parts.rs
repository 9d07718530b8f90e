//! `lotse profile parts`.

use lotse_profile::answer::{DiagnosticAnswer, EventAnswer, PartAnswer};
use lotse_profile::{csv, events::EventTypes, parts, report};
use serde::Serialize;

use super::{analyse, diagnostics, ending, numbers, print, read_unchanged, source};
use crate::args::profile::PartsArgs;
use crate::exit::{Exit, Failure};

#[derive(Serialize)]
struct PartsAnswer {
    schema: &'static str,
    format: &'static str,
    events: Vec<EventAnswer>,
    parts: Vec<PartAnswer>,
    diagnostics: Vec<DiagnosticAnswer>,
}

/// Lists the parts of a profile with their costs in all event types.
pub(crate) fn run(args: &PartsArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_unchanged(&source, &args.input.read, !args.output.json)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let types = EventTypes::new(&opened.profile, &[]).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let columns = types.own();
    let answer = PartsAnswer {
        schema: "lotse.profile.parts/1",
        format: opened.format,
        events: EventAnswer::for_columns(&columns, &analysis.totals),
        parts: parts::parts(&opened.profile, &analysis.summary()),
        diagnostics: diagnostics(&opened, &analysis.notes),
    };
    let document = || match args.output.csv {
        true => csv::parts(&answer.parts, &answer.events),
        false => report::parts(&answer.parts, &columns, numbers(&args.output)),
    };
    print(&args.output, &answer, document, &[])?;
    Ok(ending(&opened))
}
