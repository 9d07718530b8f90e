//! The index of a large profile in the user's cache: the digest is read first, the rest when it is needed.
//!
//! ```text
//! header | path, format, diagnostics, digest | all functions with costs | parts, calls, stacks
//! ```
//!
//! An index is valid for one version of a file: path, size, time of change and a sample of its bytes must be the same.
//! Each function here that takes `Columns` both reads and writes, so that the two directions cannot differ.

use std::path::Path;
use std::sync::Arc;

use lotse_formats::index::{
    ColumnReader, ColumnVisitor, ColumnWriter, IndexError, MAGIC, VERSION, visit_costs, visit_head,
    visit_rest, write_rest,
};
use lotse_formats::recognise::FORMATS;
use lotse_formats::{Diagnostic, Place, Weight};
use lotse_host::{Cache, FileSource, IndexPlace};
use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::profile::{Builder, Costs};

use crate::analysis::{CycleMode, InclusiveOrigin, PartSum, Summary};
use crate::digest::{digest, parts_without_costs};

/// Smaller files get no index, because reading them again is as fast.
const LEAST_SIZE: usize = 16 << 20;

/// The place of a profile's index in a cache; `None` for a small file, or an input that is not a file.
pub fn place(source: &FileSource, cache: &Cache) -> Option<IndexPlace> {
    IndexPlace::new(source, cache, LEAST_SIZE)
}

/// The numbers at the start of an index.
fn header(place: &IndexPlace) -> [u64; 5] {
    let [size, modified, sample] = place.stamp();
    [MAGIC, VERSION, size, modified, sample]
}

/// The path of the profile that an index belongs to; `None` for a file that is not an index of this version.
pub fn original(index: &Path) -> Option<String> {
    let index = FileSource::open(index).ok()?;
    let mut columns = ColumnReader::new(index.bytes());
    let (mut header, mut original) = ([0; 5], String::new());
    header.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    (header[..2] == [MAGIC, VERSION]).then_some(original)
}

/// What is read from an index at once: the digest, with the costliest functions only.
pub(crate) struct Indexed {
    pub(crate) profile: Profile,
    pub(crate) summary: Summary,
    pub(crate) format: &'static str,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) rest: UnreadIndex,
}

/// The part of an index that is not read yet.
pub(crate) struct UnreadIndex {
    index: FileSource,
    start: usize,
}

impl UnreadIndex {
    /// Reads all functions with their costs.
    pub(crate) fn functions(&mut self) -> Result<(Profile, Summary), IndexError> {
        let mut columns = ColumnReader::new(&self.index.bytes()[self.start..]);
        let (mut profile, mut summary) = (Profile::default(), Summary::default());
        functions_and_summary(&mut columns, &mut profile, &mut summary)?;
        columns.seal()?;
        if !is_consistent(&profile, &summary) {
            return Err(IndexError::Damaged("its tables do not fit together"));
        }
        self.start = self.index.bytes().len() - columns.left().len();
        Ok((profile, summary))
    }

    /// Reads the remaining tables into a profile that has all functions.
    pub(crate) fn load(&self, profile: &mut Profile) -> Result<(), IndexError> {
        let mut columns = ColumnReader::new(&self.index.bytes()[self.start..]);
        visit_rest(&mut columns, profile)?;
        columns.seal()?;
        profile.check().map_err(|_| IndexError::Damaged("its tables do not fit together"))
    }
}

/// The index of a file, if there is one and the file is still the same.
pub(crate) fn load(place: &IndexPlace) -> Option<Indexed> {
    let index = FileSource::open(place.path()).ok()?;
    let mut columns = ColumnReader::new(index.bytes());
    let mut found = header(place);
    found.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    let mut original = String::new();
    columns.text(&mut original).ok()?;
    if found != header(place) || original != place.original() {
        return None;
    }
    let (mut profile, mut summary) = (Profile::default(), Summary::default());
    let (mut format, mut diagnostics) = (String::new(), Vec::new());
    format_and_diagnostics(&mut columns, &mut format, &mut diagnostics).ok()?;
    functions_and_summary(&mut columns, &mut profile, &mut summary).ok()?;
    columns.seal().ok()?;
    if !is_consistent(&profile, &summary) {
        return None;
    }
    let format = FORMATS.iter().find(|known| known.id == format)?.id;
    let start = index.bytes().len() - columns.left().len();
    // Marks the index as recently used. A cache that cannot be written deletes nothing, so errors do not matter.
    Cache::touch(place.path());
    Some(Indexed { profile, summary, format, diagnostics, rest: UnreadIndex { index, start } })
}

/// Writes the index of a file, whose profile may be in use meanwhile. The costs of parts are not copied for it.
pub(crate) fn save(
    place: &IndexPlace,
    profile: &Profile,
    summary: &Summary,
    format: &str,
    diagnostics: &[Diagnostic],
) -> Result<(), lotse_host::FileError> {
    let (mut small_profile, mut small) =
        digest(profile, summary).unwrap_or_else(|| empty_digest(profile, summary));
    let (mut format, mut original) = (format.to_owned(), place.original().to_owned());
    place.put(|out| {
        let mut columns = ColumnWriter::new(out);
        let mut write = || -> Result<(), IndexError> {
            header(place).iter_mut().try_for_each(|number| columns.number(number))?;
            columns.text(&mut original)?;
            format_and_diagnostics(&mut columns, &mut format, &mut diagnostics.to_vec())?;
            functions_and_summary(&mut columns, &mut small_profile, &mut small)?;
            columns.seal()?;
            // One after the other, so that the copy of the names is gone before costs are copied.
            visit_head(&mut columns, &mut head(profile))?;
            summary_columns(&mut columns, &mut summary.clone())?;
            columns.seal()?;
            write_rest(&mut columns, profile)?;
            columns.seal()
        };
        write().map_err(std::io::Error::other)
    })
}

/// A copy of what the head of an index has of a profile.
fn head(profile: &Profile) -> Profile {
    Profile {
        strings: profile.strings.clone(),
        objects: profile.objects.clone(),
        builds: profile.builds.clone(),
        files: profile.files.clone(),
        functions: profile.functions.clone(),
        events: profile.events.clone(),
        default_event: profile.default_event,
        period: profile.period.clone(),
        formulas: profile.formulas.clone(),
        parts: parts_without_costs(profile),
        signed: profile.signed,
        command: profile.command.clone(),
        creator: profile.creator.clone(),
        recorded: profile.recorded,
        ..Profile::default()
    }
}

/// A digest without functions, for profiles that cannot have one.
fn empty_digest(profile: &Profile, summary: &Summary) -> (Profile, Summary) {
    let empty = Costs::new(profile.events.len(), profile.signed);
    let empty_profile = Profile {
        events: profile.events.clone(),
        default_event: profile.default_event,
        formulas: profile.formulas.clone(),
        signed: profile.signed,
        ..Builder::new().finish()
    };
    let (own, inclusive) = (Arc::new(empty.clone()), Arc::new(empty));
    let totals = summary.totals.clone();
    (empty_profile, Summary { own, inclusive, totals, functions: summary.functions, ..Summary::default() })
}

/// Reads or writes the format and the diagnostics of the file.
fn format_and_diagnostics(
    columns: &mut impl ColumnVisitor,
    format: &mut String,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), IndexError> {
    columns.text(format)?;
    let mut remarks: Vec<(String, String, bool)> = diagnostics
        .drain(..)
        .map(|it| (it.place.to_string(), it.message, it.weight == Weight::Loss))
        .collect();
    columns.list(&mut remarks, |columns, (place, message, loss)| {
        columns.text(place)?;
        columns.text(message)?;
        columns.flag(loss)
    })?;
    let weight = |loss| if loss { Weight::Loss } else { Weight::Note };
    *diagnostics = remarks
        .into_iter()
        .map(|(place, message, loss)| Diagnostic { place: Place::Path(place), message, weight: weight(loss) })
        .collect();
    Ok(())
}

/// Reads or writes functions with their costs.
fn functions_and_summary(
    columns: &mut impl ColumnVisitor,
    profile: &mut Profile,
    summary: &mut Summary,
) -> Result<(), IndexError> {
    visit_head(columns, profile)?;
    summary_columns(columns, summary)
}

/// Reads or writes a summary. Enumerations are stored as their index, optional values as a flag and a value.
fn summary_columns(columns: &mut impl ColumnVisitor, summary: &mut Summary) -> Result<(), IndexError> {
    const CYCLE_MODES: [CycleMode; 3] = [CycleMode::Folded, CycleMode::Gprof, CycleMode::Raw];
    let mut cycle_mode =
        CYCLE_MODES.iter().position(|cycle_mode| *cycle_mode == summary.cycle_mode).unwrap_or(0);
    columns.size(&mut cycle_mode)?;
    summary.cycle_mode = *CYCLE_MODES.get(cycle_mode).ok_or(IndexError::Damaged("an unknown cycle mode"))?;
    let mut origin = InclusiveOrigin::ALL.iter().position(|origin| *origin == summary.origin).unwrap_or(0);
    columns.size(&mut origin)?;
    summary.origin = *InclusiveOrigin::ALL.get(origin).ok_or(IndexError::Damaged("an unknown origin"))?;
    visit_costs(columns, Arc::make_mut(&mut summary.own))?;
    visit_costs(columns, Arc::make_mut(&mut summary.inclusive))?;
    optional_column(columns, &mut summary.called)?;
    optional_column(columns, &mut summary.recursed)?;
    let mut cycles: Vec<u32> = summary.cycle.iter().map(|cycle| cycle.unwrap_or(u32::MAX)).collect();
    columns.column(&mut cycles)?;
    summary.cycle = cycles.into_iter().map(|cycle| (cycle != u32::MAX).then_some(cycle)).collect();
    columns.flags(Arc::make_mut(&mut summary.lower_bounds))?;
    columns.flags(&mut summary.active)?;
    columns.size(&mut summary.functions)?;
    wide_column(columns, &mut summary.totals)?;
    columns.size(&mut summary.pairs)?;
    optional_size(columns, &mut summary.samples)?;
    optional_size(columns, &mut summary.stacks)?;
    columns.list(&mut summary.parts, |columns, part: &mut PartSum| {
        columns.flag(&mut part.chosen)?;
        wide_column(columns, &mut part.totals)?;
        optional_size(columns, &mut part.samples)
    })?;
    columns.list(&mut summary.notes, |columns, note| columns.text(note))
}

fn optional_column(
    columns: &mut impl ColumnVisitor,
    column: &mut Option<Vec<u64>>,
) -> Result<(), IndexError> {
    let mut present = column.is_some();
    columns.flag(&mut present)?;
    // An absent column is written as an empty one.
    let mut values = column.take().map_or(Vec::new(), |values| values);
    columns.column(&mut values)?;
    *column = present.then_some(values);
    Ok(())
}

fn optional_size(columns: &mut impl ColumnVisitor, size: &mut Option<usize>) -> Result<(), IndexError> {
    let mut number = size.map(|size| size as u64);
    columns.optional_number(&mut number)?;
    *size = number.map(|number| number as usize);
    Ok(())
}

/// Reads or writes 128-bit numbers as two columns of 64 bits.
fn wide_column(columns: &mut impl ColumnVisitor, numbers: &mut Vec<i128>) -> Result<(), IndexError> {
    let mut low: Vec<u64> = numbers.iter().map(|&number| number as u64).collect();
    let mut high: Vec<i64> = numbers.iter().map(|&number| (number >> 64) as i64).collect();
    columns.column(&mut low)?;
    columns.column(&mut high)?;
    *numbers =
        low.iter().zip(&high).map(|(&low, &high)| (i128::from(high) << 64) | i128::from(low)).collect();
    Ok(())
}

/// Whether all tables that a list of functions uses have the same number of rows and columns.
fn is_consistent(profile: &Profile, summary: &Summary) -> bool {
    let (functions, events) = (profile.functions.len(), profile.events.len());
    let is_complete =
        |column: &Option<Vec<u64>>| column.as_ref().is_none_or(|column| column.len() == functions);
    let rows = |costs: &Costs| {
        costs.width() == events
            && (costs.rows() == functions || events == 0)
            && costs.signed() == profile.signed
    };
    rows(&summary.own)
        && rows(&summary.inclusive)
        && is_complete(&summary.called)
        && is_complete(&summary.recursed)
        && summary.cycle.len() == functions
        && (summary.lower_bounds.is_empty() || summary.lower_bounds.len() == functions)
        && summary.active.len() == functions
        && summary.totals.len() == events
        && summary.parts.len() == profile.parts.len()
        && summary.parts.iter().all(|part| part.totals.len() == events)
        && profile.check_names().is_ok()
}
