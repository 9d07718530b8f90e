//! `lotse profile convert`.

use std::path::Path;

use lotse_formats::write::{WRITERS, Writer};
use lotse_profile::convert::prepare;

use super::{analyse, apply_selection, ending, event_types, format_failure, read_unchanged, source};
use crate::args::profile::ConvertArgs;
use crate::exit::{Exit, Failure};
use crate::export::save;
use crate::screen;

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    let writer = writer(args)?;
    let source = source(&args.input.file)?;
    let mut opened = read_unchanged(&source, &args.input.read, true)?;
    apply_selection(&mut opened, &args.input.read, (&args.select, &args.events))?;
    let first = first_event(args, &opened)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let prepared = prepare(&opened, &analysis, writer, first).map_err(format_failure)?;
    let mut bytes = Vec::new();
    let lost =
        (writer.write)(&prepared.profile, &mut bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    save(args.out.as_deref().unwrap_or(Path::new("-")), &bytes)?;
    prepared.notes.iter().for_each(|note| screen::remark(note));
    lost.iter().for_each(|lost| screen::remark(&lost.message));
    Ok(ending(&opened))
}

/// The writer of the format asked for, else of the extension of the output.
fn writer(args: &ConvertArgs) -> Result<&'static Writer, Failure> {
    let ids = || WRITERS.iter().map(|writer| writer.id).collect::<Vec<_>>().join(", ");
    if let Some(to) = &args.to {
        let named = WRITERS.iter().find(|writer| writer.id == to);
        return named.ok_or_else(|| {
            Failure::usage(format!("profiles are not written as {to:?}; there are {}", ids()))
        });
    }
    let name = args.out.as_deref().and_then(Path::to_str).unwrap_or("");
    let ending =
        |writer: &&Writer| name.strip_suffix(writer.extension).is_some_and(|stem| stem.ends_with('.'));
    let found = WRITERS.iter().find(ending);
    found.ok_or_else(|| {
        let why =
            if name.is_empty() { String::new() } else { format!("the ending of {name} names no format; ") };
        Failure::usage(format!("{why}say what to write with --to: {}", ids()))
    })
}

/// The index of the event type that is to be written first, if one is asked for.
fn first_event(
    args: &ConvertArgs,
    opened: &lotse_profile::open::Opened<'_>,
) -> Result<Option<usize>, Failure> {
    let types = event_types(opened, &args.events)?;
    let chosen = types.choose(&args.events.events).map_err(|error| Failure::new(Exit::Usage, &error))?;
    match chosen.first() {
        None => Ok(None),
        Some(column) => column.event().map(Some).ok_or_else(|| {
            Failure::usage(format!("{} is derived; only event types of the file can be written", column.name))
        }),
    }
}
