//! The list of all formats, and the recognition of a source's format.
//!
//! Each format states its confidence that it can read a source, a *claim*, from the content. The file name only decides
//! between equal claims. If they are still equal, the user has to choose.

use lotse_model::bytes::{Memory, Source};
use lotse_model::{Profile, ResultSet, Suite, Workers};

use crate::bench::{hyperfine, lotse_json, lotse_log, temci_result, temci_suite};
use crate::error::FormatError;
use crate::format::{Confidence, Format, FormatKind, Reader};
use crate::history::{self, History};
use crate::kindred::readable_form;
use crate::outline::outline;
use crate::profile::{
    cachegrind, callgrind, chrome_trace, collapsed, cpuprofile, dhat, firefox, gecko, gmon, gprof_text,
    heaptrack, massif, perf_data, perf_script, pprof, pprof_legacy, pstats, speedscope, stackprof, xdebug,
};
use crate::reading::Reading;
use crate::trace;
use crate::unpack::unpack;

/// All formats that can be read. A new format is a file and a line here.
pub const FORMATS: &[Format] = &[
    lotse_log::FORMAT,
    lotse_json::FORMAT,
    hyperfine::FORMAT,
    temci_result::FORMAT,
    temci_suite::FORMAT,
    callgrind::FORMAT,
    cachegrind::FORMAT,
    xdebug::FORMAT,
    gmon::FORMAT,
    gprof_text::FORMAT,
    perf_script::FORMAT,
    perf_data::FORMAT,
    pprof::FORMAT,
    pprof_legacy::FORMAT,
    collapsed::FORMAT,
    firefox::FORMAT,
    gecko::FORMAT,
    speedscope::FORMAT,
    chrome_trace::FORMAT,
    cpuprofile::FORMAT,
    heaptrack::FORMAT,
    dhat::FORMAT,
    massif::FORMAT,
    pstats::FORMAT,
    stackprof::FORMAT,
    trace::open::OTF2,
    trace::chrome::FORMAT,
    trace::paraver::FORMAT,
    history::FORMAT,
];

/// All formats that claim the source, in the order of decreasing confidence.
pub fn claims(source: &dyn Source) -> Vec<(&'static Format, Confidence)> {
    let mut claims: Vec<_> = FORMATS.iter().map(|format| (format, (format.claim)(source))).collect();
    if claims.iter().all(|&(_, confidence)| confidence < Confidence::Certain) {
        claim_by_outline(source, &mut claims);
    }
    claims.retain(|&(_, confidence)| confidence > Confidence::No);
    claims.sort_by_key(|&(format, confidence)| {
        std::cmp::Reverse((confidence, format.named_like(source.name())))
    });
    claims
}

/// Raises claims by the outline of a long JSON document, whose characteristic keys may be far from its beginning.
fn claim_by_outline(source: &dyn Source, claims: &mut [(&'static Format, Confidence)]) {
    let Some(bytes) = outline(source.bytes()) else { return };
    let outline = Memory { name: source.name(), bytes: &bytes };
    for (format, confidence) in claims {
        let claim = (format.claim)(&outline);
        if claim >= Confidence::Likely {
            *confidence = claim.max(*confidence);
        }
    }
}

/// Reads measurements in the given format, or in the recognised one.
pub fn read_results(source: &dyn Source, format: Option<&str>) -> Result<Reading<ResultSet>, FormatError> {
    match choose(source, format, FormatKind::BenchResult)?.reader {
        Reader::Results(read) => read(source),
        _ => Err(unrecognised(source, FormatKind::BenchResult)),
    }
}

/// Reads a suite in the given format, or in the recognised one.
pub fn read_suite(source: &dyn Source, format: Option<&str>) -> Result<Reading<Suite>, FormatError> {
    match choose(source, format, FormatKind::Suite)?.reader {
        Reader::Suite(read) => read(source),
        _ => Err(unrecognised(source, FormatKind::Suite)),
    }
}

/// Reads a profile in the given format, or in the recognised one. Compressed bytes are decompressed.
///
/// Costs inside functions may not be read yet: [`crate::detail`] reads them from the same source.
pub fn read_profile(
    source: &dyn Source,
    format: Option<&str>,
    workers: &dyn Workers,
) -> Result<Reading<Profile>, FormatError> {
    let (source, damage) = unpack(source)?;
    let mut reading = match choose(&source, format, FormatKind::Profile)?.reader {
        Reader::Profile(read) => read(&source, workers)?,
        _ => return Err(unrecognised(&source, FormatKind::Profile)),
    };
    reading.diagnostics.extend(damage);
    Ok(reading)
}

/// Reads a history of data structures.
pub fn read_history(source: &dyn Source) -> Result<Reading<History<'_>>, FormatError> {
    match recognised(source, FormatKind::History)?.reader {
        Reader::History(read) => read(source),
        _ => Err(unrecognised(source, FormatKind::History)),
    }
}

fn choose(source: &dyn Source, id: Option<&str>, kind: FormatKind) -> Result<&'static Format, FormatError> {
    match id {
        Some(id) => named(id, kind),
        None => recognised(source, kind),
    }
}

/// The format with an id. Two formats share an id if the same files can be read as two kinds, such as profile and trace.
pub(crate) fn named(id: &str, kind: FormatKind) -> Result<&'static Format, FormatError> {
    let of_id = || FORMATS.iter().filter(|format| format.id == id);
    let format = of_id().find(|format| format.kind() == kind).or_else(|| of_id().next());
    let format = format.ok_or_else(|| FormatError::UnknownFormat { id: id.to_owned(), known: ids(kind) })?;
    if format.kind() == kind {
        return Ok(format);
    }
    let (found, wanted) = (format.kind().title(), kind.title());
    Err(FormatError::WrongKind { id: format.id, found, wanted })
}

/// The format of the given kind that claims the source with the highest confidence.
pub(crate) fn recognised(source: &dyn Source, kind: FormatKind) -> Result<&'static Format, FormatError> {
    let mut claims = claims(source);
    let surest = claims.first().copied();
    claims.retain(|(format, _)| format.kind() == kind);
    let Some(&(best, confidence)) = claims.first() else {
        return Err(other_kind(source, surest).unwrap_or_else(|| unrecognised(source, kind)));
    };
    let rank = |format: &Format, confidence| (confidence, format.named_like(source.name()));
    claims.retain(|&(format, other)| rank(format, other) == rank(best, confidence));
    if claims.len() > 1 {
        let claims = claims.iter().map(|(format, _)| format.id).collect();
        return Err(FormatError::Ambiguous { name: source.name().to_owned(), claims });
    }
    Ok(best)
}

/// The error for a file that certainly holds something else; it names the command for that.
fn other_kind(source: &dyn Source, surest: Option<(&Format, Confidence)>) -> Option<FormatError> {
    let (format, _) = surest.filter(|(_, confidence)| *confidence == Confidence::Certain)?;
    let (name, kind) = (source.name().to_owned(), format.kind());
    Some(FormatError::OtherKind { name, found: kind.title(), id: format.id, command: kind.command() })
}

fn unrecognised(source: &dyn Source, kind: FormatKind) -> FormatError {
    let name = source.name().to_owned();
    if kind == FormatKind::History {
        let form = "no history of data structures; `lotse spy run -- COMMAND` records one";
        return FormatError::OtherForm { name, form };
    }
    match readable_form(source).filter(|_| kind == FormatKind::Profile) {
        Some(form) => FormatError::OtherForm { name, form },
        None => FormatError::Unrecognised { name, known: ids(kind) },
    }
}

fn ids(kind: FormatKind) -> String {
    let ids: Vec<&str> =
        FORMATS.iter().filter(|format| format.kind() == kind).map(|format| format.id).collect();
    ids.join(", ")
}
