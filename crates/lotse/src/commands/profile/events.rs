//! `lotse profile events`.

use lotse_profile::answer::{DiagnosticAnswer, EventAnswer, default_event};
use lotse_profile::{csv, report};
use serde::Serialize;

use super::{analyse, diagnostics, ending, event_types, numbers, print, read_unchanged, source};
use crate::args::profile::EventsArgs;
use crate::exit::{Exit, Failure};

#[derive(Serialize)]
struct EventsAnswer {
    schema: &'static str,
    format: &'static str,
    events: Vec<EventAnswer>,
    /// The event type that lists show and are sorted by without `--event`.
    default_event: Option<String>,
    diagnostics: Vec<DiagnosticAnswer>,
}

/// Lists the event types with their totals, and says which one is the default.
pub(crate) fn run(args: &EventsArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_unchanged(&source, &args.input.read, !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let columns = match args.events.events.as_slice() {
        [] => types.all().to_vec(),
        chosen => types.choose(chosen).map_err(|error| Failure::new(Exit::Usage, &error))?,
    };
    let analysis = analyse(&opened, &args.input.read)?;
    let answer = EventsAnswer {
        schema: "lotse.profile.events/1",
        format: opened.format,
        events: EventAnswer::for_columns(&columns, &analysis.totals),
        default_event: default_event(&opened.profile),
        diagnostics: diagnostics(&opened, &analysis.notes),
    };
    let document = || match args.output.csv {
        true => csv::events(&answer.events),
        false => report::events(&columns, &answer.events, numbers(&args.output)),
    };
    let note = answer.default_event.as_ref().map(|name| format!("shown unless another is chosen: {name}"));
    print(&args.output, &answer, document, &Vec::from_iter(note))?;
    Ok(ending(&opened))
}
