//! The list of all formats, and the recognition of a source's format.
//!
//! Each format states its confidence that it can read a source, a *claim*, from the content. The file name only decides
//! between equal claims. If they are still equal, the user has to choose.

use lotse_model::bytes::{Folder, Memory, Source};
use lotse_model::{Profile, ResultSet, Suite, Workers};

use crate::bench::{hyperfine, lotse_json, lotse_log, temci_result, temci_suite};
use crate::error::FormatError;
use crate::history::{self, History};
use crate::kindred::readable_form;
use crate::outline::outline;
use crate::profile::{
    cachegrind, callgrind, chrome_trace, collapsed, cpuprofile, dhat, firefox, gecko, gmon, gprof_text,
    heaptrack, massif, perf_data, perf_script, pprof, pprof_legacy, pstats, speedscope, xdebug,
};
use crate::reading::Reading;
use crate::trace::{self, TraceInput};
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
    trace::open::OTF2,
    trace::chrome::FORMAT,
    trace::paraver::FORMAT,
    history::FORMAT,
];

/// A format Lotse reads.
#[derive(Debug)]
pub struct Format {
    /// The name for `--format`.
    pub id: &'static str,
    /// The name in messages and lists.
    pub title: &'static str,
    /// Of file names, without the dot.
    pub extensions: &'static [&'static str],
    /// The confidence that a source is in this format, by its content.
    pub claim: fn(&dyn Source) -> Confidence,
    pub reader: Reader,
}

/// The function that reads a format; its type determines what the format holds.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Reader {
    Results(fn(&dyn Source) -> Result<Reading<ResultSet>, FormatError>),
    /// Programs to measure.
    Suite(fn(&dyn Source) -> Result<Reading<Suite>, FormatError>),
    /// A profile, decoded by several workers.
    Profile(ReadProfile),
    /// A trace whose events are decoded on demand.
    Trace(OpenTrace),
    /// The accesses of a program to its data structures, which are decoded on demand.
    History(ReadHistory),
}

/// Reads a profile.
pub type ReadProfile = fn(&dyn Source, &dyn Workers) -> Result<Reading<Profile>, FormatError>;

/// Opens a trace.
pub type OpenTrace = for<'a> fn(&'a dyn Folder) -> Result<TraceInput<'a>, FormatError>;

/// Reads the chunks of a history.
pub type ReadHistory = for<'a> fn(&'a dyn Source) -> Result<Reading<History<'a>>, FormatError>;

/// What a format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Measurements of programs.
    BenchResult,
    /// Programs to measure.
    Suite,
    /// Costs of functions, calls, lines, data structures.
    Profile,
    /// Events of a parallel program.
    Trace,
    /// Accesses of a program to its data structures.
    History,
}

impl Kind {
    /// The name for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::BenchResult => "benchmark result",
            Self::Suite => "benchmark suite",
            Self::Profile => "profile",
            Self::Trace => "trace",
            Self::History => "history of data structures",
        }
    }

    /// The command that reads files of this kind.
    pub fn command(self) -> &'static str {
        match self {
            Self::BenchResult => "lotse bench report",
            Self::Suite => "lotse bench --file",
            Self::Profile => "lotse profile top",
            Self::Trace => "lotse trace analyze",
            Self::History => "lotse spy analyze",
        }
    }
}

/// The confidence of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is another format.
    No,
    /// Nothing contradicts it.
    Possible,
    /// Some properties of the format were found.
    Likely,
    /// The source states the format, or has keys that no other format has.
    Certain,
}

impl Format {
    /// What the format holds.
    pub fn kind(&self) -> Kind {
        match self.reader {
            Reader::Results(_) => Kind::BenchResult,
            Reader::Suite(_) => Kind::Suite,
            Reader::Profile(_) => Kind::Profile,
            Reader::Trace(_) => Kind::Trace,
            Reader::History(_) => Kind::History,
        }
    }

    fn named_like(&self, name: &str) -> bool {
        self.extensions
            .iter()
            .any(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
    }
}

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
    match choose(source, format, Kind::BenchResult)?.reader {
        Reader::Results(read) => read(source),
        _ => Err(unrecognised(source, Kind::BenchResult)),
    }
}

/// Reads a suite in the given format, or in the recognised one.
pub fn read_suite(source: &dyn Source, format: Option<&str>) -> Result<Reading<Suite>, FormatError> {
    match choose(source, format, Kind::Suite)?.reader {
        Reader::Suite(read) => read(source),
        _ => Err(unrecognised(source, Kind::Suite)),
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
    let mut reading = match choose(&source, format, Kind::Profile)?.reader {
        Reader::Profile(read) => read(&source, workers)?,
        _ => return Err(unrecognised(&source, Kind::Profile)),
    };
    reading.diagnostics.extend(damage);
    Ok(reading)
}

/// Reads a history of data structures.
pub fn read_history(source: &dyn Source) -> Result<Reading<History<'_>>, FormatError> {
    match recognised(source, Kind::History)?.reader {
        Reader::History(read) => read(source),
        _ => Err(unrecognised(source, Kind::History)),
    }
}

fn choose(source: &dyn Source, id: Option<&str>, kind: Kind) -> Result<&'static Format, FormatError> {
    match id {
        Some(id) => named(id, kind),
        None => recognised(source, kind),
    }
}

/// The format with an id. Two formats share an id if the same files can be read as two kinds, such as profile and trace.
pub(crate) fn named(id: &str, kind: Kind) -> Result<&'static Format, FormatError> {
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
pub(crate) fn recognised(source: &dyn Source, kind: Kind) -> Result<&'static Format, FormatError> {
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

fn unrecognised(source: &dyn Source, kind: Kind) -> FormatError {
    let name = source.name().to_owned();
    if kind == Kind::History {
        let form = "no history of data structures; `lotse spy run -- COMMAND` records one";
        return FormatError::OtherForm { name, form };
    }
    match readable_form(source).filter(|_| kind == Kind::Profile) {
        Some(form) => FormatError::OtherForm { name, form },
        None => FormatError::Unrecognised { name, known: ids(kind) },
    }
}

fn ids(kind: Kind) -> String {
    let ids: Vec<&str> =
        FORMATS.iter().filter(|format| format.kind() == kind).map(|format| format.id).collect();
    ids.join(", ")
}
