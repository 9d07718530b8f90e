//! The text that GNU gprof prints: flat profile, call graph or both, with or without explanations; also the output of its
//! variants for embedded systems, which count cycles instead of seconds.
//!
//! Self times come from the call graph, or from the flat profile for functions without an entry there. The cost of a
//! call is the time of the callee and its callees; a call inside a cycle has none, since gprof states none. The
//! inclusive time of a function is the stated one: self and children of its entry, else calls times the total per call
//! of the flat profile where rounding permits. The inclusive time of a member of a cycle is at least the cost of the
//! calls from outside the cycle, which gprof states in the lines of its callers. Functions of the same name are
//! distinguished by their index. Without a call graph, the number of calls of each function is an event type.
//!
//! Times are kept in units much smaller than the printed hundredths of a second, so that they can be divided, and are
//! adjusted to add up to the total that the file states (`refine`).

mod decimal;
mod flat;
mod line;
mod refine;
mod table;

use lotse_model::Profile;
use lotse_model::Workers;
use lotse_model::bytes::Source;
use lotse_model::profile::readable;

use self::table::GprofTable;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format =
    Format { id: "gprof", title: "text of gprof", extensions: &[], claim, reader: Reader::Profile(read) };

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let head = &bytes[..bytes.len().min(16 << 10)];
    let mut lines = head.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    match lines.find_map(begins) {
        Some(_) => Confidence::Certain,
        None => Confidence::No,
    }
}

/// The section of the text that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Explanations and the index by name.
    Other,
    /// The flat profile before its first row.
    FlatHeader,
    /// The flat profile.
    Flat,
    /// The call graph.
    Graph,
}

/// The section that begins with this line, if any.
fn begins(line: &str) -> Option<Section> {
    if line.trim_end() == "Flat profile:" {
        return Some(Section::FlatHeader);
    }
    let titles = ["children", "called", "name"];
    let graph = line.starts_with("index") && titles.iter().all(|title| line.contains(title));
    graph.then_some(Section::Graph)
}

/// Reads line by line; a line that cannot be read is reported and left out.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut table = GprofTable::new();
    let mut diagnostics = Diagnostics::default();
    let mut section = Section::Other;
    let mut number = 0;
    for line in source.bytes().split(|&byte| byte == b'\n') {
        number += 1;
        let line = readable(line.strip_suffix(b"\r").unwrap_or(line));
        match next(&mut table, section, &line) {
            Ok(next) => section = next,
            Err(problem) => diagnostics.loss(Place::Line(number), problem),
        }
    }
    if section == Section::Graph && !table.at_end_of_entry() {
        diagnostics.loss(Place::Line(number), "the call graph ends within an entry");
    }
    if table.is_empty() {
        return Err(Diagnostic::loss(Place::Line(number), "expected a flat profile or a call graph")
            .into_error(source.name()));
    }
    let value = table.profile(&mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// Reads a line and gives back the section of the next one.
fn next(table: &mut GprofTable, section: Section, line: &str) -> Result<Section, &'static str> {
    if let Some(section) = begins(line) {
        return Ok(section);
    }
    let blank = line.trim().is_empty();
    match section {
        Section::Other => {
            table.granularity(line);
            Ok(section)
        }
        Section::FlatHeader if table.row(line).is_ok() => Ok(Section::Flat),
        Section::FlatHeader => {
            table.header(line);
            // A call graph may follow a flat profile without rows.
            Ok(if line.starts_with('\u{c}') { Section::Other } else { section })
        }
        Section::Flat | Section::Graph if blank => Ok(Section::Other),
        Section::Flat => table.row(line).map(|()| section),
        Section::Graph => table.graph_line(line).map(|()| section),
    }
}

#[cfg(test)]
mod tests;
