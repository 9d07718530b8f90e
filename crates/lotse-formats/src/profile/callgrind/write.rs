//! Writes a profile in callgrind's syntax, with numbers for names.
//!
//! Costs by line are written where they are complete; what remains of a function's self cost is written at line 0. The
//! costs of a function without any line are written at the line of its definition, as profilers of interpreters do.
//! Calls are written at their sites where the sites add up to the calls, otherwise also at the line of the definition.
//! Units are in the names of event types.

mod body;
mod name;

use std::io::{self, Write as _};

use lotse_model::Profile;
use lotse_model::bytes::Sink;
use lotse_model::profile::{Details, EventType, Part};

use self::body::PartWriter;
use self::name::one_line;
use super::units;
use crate::error::Place;
use crate::reading::Diagnostic;
use crate::write::{Naming, Needs, Writer};

/// Writes callgrind out files.
pub const WRITER: Writer = Writer {
    id: "callgrind",
    title: "Callgrind out file",
    extension: "callgrind",
    needs: Needs::Totals,
    names: Naming::AsRead,
    write,
};

fn write(profile: &Profile, sink: &mut dyn Sink) -> io::Result<Vec<Diagnostic>> {
    let mut out = Vec::new();
    out.extend_from_slice(b"# callgrind format\n");
    for (number, part) in profile.parts.iter().enumerate() {
        header(profile, part, number, &mut out)?;
        PartWriter::new(profile, number).write(&mut out)?;
        let totals = (0..profile.events.len()).map(|event| part.own.costs.total(event).max(0));
        let totals: Vec<String> = totals.map(|total| total.to_string()).collect();
        writeln!(out, "\ntotals: {}", totals.join(" "))?;
    }
    sink.put(&out)?;
    Ok(left_out(profile))
}

/// Writes the header of a part.
fn header(profile: &Profile, part: &Part, number: usize, out: &mut Vec<u8>) -> io::Result<()> {
    writeln!(
        out,
        "{}version: 1\ncreator: lotse-{}",
        if number > 0 { "\n" } else { "" },
        env!("CARGO_PKG_VERSION")
    )?;
    if let Some(process) = part.process {
        writeln!(out, "pid: {process}")?;
    }
    if let Some(command) = &profile.command {
        writeln!(out, "cmd: {}", one_line(command))?;
    }
    writeln!(out, "part: {}", part.number.unwrap_or(number as u64 + 1))?;
    if let Some(thread) = part.thread {
        writeln!(out, "thread: {thread}")?;
    }
    if let Some(trigger) = &part.trigger {
        writeln!(out, "desc: Trigger: {}", one_line(trigger))?;
    }
    writeln!(out, "\npositions: {}line", if body::has_addresses(profile) { "instr " } else { "" })?;
    events(profile, out)?;
    writeln!(out)
}

/// Writes the event types with their titles, and the formulas.
fn events(profile: &Profile, out: &mut Vec<u8>) -> io::Result<()> {
    let plain =
        profile.events.iter().map(|event| EventType { name: name::word(&event.name), ..event.clone() });
    let plain: Vec<EventType> = plain.collect();
    // Titles and formulas refer to the names as they are read back, without units.
    for (event, name) in profile.events.iter().zip(plain.iter().map(|event| &event.name)) {
        if let Some(title) = &event.title {
            writeln!(out, "event: {name} : {}", one_line(title))?;
        }
    }
    for formula in &profile.formulas {
        write!(out, "event: {} = {}", name::word(&formula.name), one_line(&formula.text))?;
        if let Some(title) = &formula.title {
            write!(out, " : {}", one_line(title))?;
        }
        writeln!(out)?;
    }
    let names: Vec<String> = plain.iter().map(units::name_with_unit).collect();
    writeln!(out, "events: {}", names.join(" "))
}

/// What of the profile the format cannot hold.
fn left_out(profile: &Profile) -> Vec<Diagnostic> {
    let mut left_out = Vec::new();
    let has_negative = |cells: &[u64]| profile.signed && cells.iter().any(|&cell| (cell as i64) < 0);
    if profile
        .parts
        .iter()
        .any(|part| has_negative(part.own.costs.cells()) || has_negative(part.calls.costs.cells()))
    {
        let message = "the format has no costs below zero; they are written as 0";
        left_out.push(Diagnostic::loss(Place::Whole, message));
    }
    if profile.has_stacks() {
        left_out.push(Diagnostic::loss(Place::Whole, "the format has no stacks, only calls"));
    }
    if !profile.data.is_empty() {
        left_out.push(Diagnostic::loss(Place::Whole, "the format has no data structures"));
    }
    if matches!(&profile.details, Details::OnDemand(places) if !places.extents.is_empty()) {
        left_out.push(Diagnostic::loss(Place::Whole, "costs by line were not read and are not written"));
    }
    left_out
}
