//! The index of a big profile in the user's cache: what a list of functions needs first, the rest when it is needed.
//!
//! An index belongs to one file as it was: path, size, time of change and a sample of its bytes must be the same.

use std::path::Path;

use lotse_formats::index::{
    ColumnReader, ColumnVisitor, ColumnWriter, IndexError, MAGIC, VERSION, visit_costs, visit_head,
    visit_rest,
};
use lotse_formats::recognise::FORMATS;
use lotse_formats::{Diagnostic, Place, Weight};
use lotse_host::{Cache, FileSource, IndexPlace};
use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::profile::{Builder, Costs};

use crate::analysis::{Origin, PartSum, Summary, Way};
use crate::digest::digest;

/// Smaller files are read again as fast.
const WORTH_FROM: usize = 16 << 20;

/// The place of a profile's index in a cache; `None` for a small file or none.
pub fn place(source: &FileSource, cache: &Cache) -> Option<IndexPlace> {
    IndexPlace::new(source, cache, WORTH_FROM)
}

/// What an index begins with.
fn header(place: &IndexPlace) -> [u64; 5] {
    let [size, modified, sample] = place.stamp();
    [MAGIC, VERSION, size, modified, sample]
}

/// The profile that an index belongs to; `None` for what is no index of this version.
pub fn original(index: &Path) -> Option<String> {
    let index = FileSource::open(index).ok()?;
    let mut columns = ColumnReader::new(index.bytes());
    let (mut header, mut original) = ([0; 5], String::new());
    header.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    (header[..2] == [MAGIC, VERSION]).then_some(original)
}

/// What an index gives at once: the costliest functions only.
pub(crate) struct Indexed {
    pub(crate) profile: Profile,
    pub(crate) summary: Summary,
    pub(crate) format: &'static str,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) rest: Rest,
}

/// The part of an index that is not read yet.
pub(crate) struct Rest {
    index: FileSource,
    start: usize,
}

impl Rest {
    /// All functions with their costs.
    pub(crate) fn functions(&mut self) -> Result<(Profile, Summary), IndexError> {
        let mut columns = ColumnReader::new(&self.index.bytes()[self.start..]);
        let (mut profile, mut summary) = (Profile::default(), Summary::default());
        table(&mut columns, &mut profile, &mut summary)?;
        columns.seal()?;
        if !fits(&profile, &summary) {
            return Err(IndexError::Damaged("its tables do not fit together"));
        }
        self.start = self.index.bytes().len() - columns.left().len();
        Ok((profile, summary))
    }

    /// Completes a profile that has all functions.
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
    told(&mut columns, &mut format, &mut diagnostics).ok()?;
    table(&mut columns, &mut profile, &mut summary).ok()?;
    columns.seal().ok()?;
    if !fits(&profile, &summary) {
        return None;
    }
    let format = FORMATS.iter().find(|known| known.id == format)?.id;
    let start = index.bytes().len() - columns.left().len();
    // A cache that cannot be written deletes nothing either, so that the order does not matter.
    Cache::touch(place.path());
    Some(Indexed { profile, summary, format, diagnostics, rest: Rest { index, start } })
}

/// Writes the index of a file. The profile is taken apart and put together again on the way.
pub(crate) fn save(
    place: &IndexPlace,
    profile: &mut Profile,
    summary: &mut Summary,
    format: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), lotse_host::FileError> {
    let mut format = format.to_owned();
    let (mut small_profile, mut small) =
        digest(profile, summary).unwrap_or_else(|| none_of(profile, summary));
    let mut original = place.original().to_owned();
    place.put(|out| {
        let mut columns = ColumnWriter::new(out);
        let mut write = || -> Result<(), IndexError> {
            header(place).iter_mut().try_for_each(|number| columns.number(number))?;
            columns.text(&mut original)?;
            told(&mut columns, &mut format, diagnostics)?;
            table(&mut columns, &mut small_profile, &mut small)?;
            columns.seal()?;
            table(&mut columns, profile, summary)?;
            columns.seal()?;
            visit_rest(&mut columns, profile)?;
            columns.seal()
        };
        write().map_err(std::io::Error::other)
    })
}

/// A digest without functions, which answers no question.
fn none_of(profile: &Profile, summary: &Summary) -> (Profile, Summary) {
    let empty = Costs::new(profile.events.len(), profile.signed);
    let nobody = Profile {
        events: profile.events.clone(),
        default_event: profile.default_event,
        formulas: profile.formulas.clone(),
        signed: profile.signed,
        ..Builder::new().finish()
    };
    let (own, inclusive) = (empty.clone(), empty);
    let totals = summary.totals.clone();
    (nobody, Summary { own, inclusive, totals, functions: summary.functions, ..Summary::default() })
}

/// The format and what was odd about the file.
fn told(
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

/// Functions with their costs.
fn table(
    columns: &mut impl ColumnVisitor,
    profile: &mut Profile,
    summary: &mut Summary,
) -> Result<(), IndexError> {
    visit_head(columns, profile)?;
    summary_columns(columns, summary)
}

fn summary_columns(columns: &mut impl ColumnVisitor, summary: &mut Summary) -> Result<(), IndexError> {
    const WAYS: [Way; 3] = [Way::Folded, Way::Gprof, Way::Raw];
    let mut way = WAYS.iter().position(|way| *way == summary.way).unwrap_or(0);
    columns.size(&mut way)?;
    summary.way = *WAYS.get(way).ok_or(IndexError::Damaged("an unknown way"))?;
    let mut origin = Origin::ALL.iter().position(|origin| *origin == summary.origin).unwrap_or(0);
    columns.size(&mut origin)?;
    summary.origin = *Origin::ALL.get(origin).ok_or(IndexError::Damaged("an unknown origin"))?;
    visit_costs(columns, &mut summary.own)?;
    visit_costs(columns, &mut summary.inclusive)?;
    maybe_column(columns, &mut summary.called)?;
    maybe_column(columns, &mut summary.recursed)?;
    let mut cycles: Vec<u32> = summary.cycle.iter().map(|cycle| cycle.unwrap_or(u32::MAX)).collect();
    columns.column(&mut cycles)?;
    summary.cycle = cycles.into_iter().map(|cycle| (cycle != u32::MAX).then_some(cycle)).collect();
    columns.flags(&mut summary.active)?;
    columns.size(&mut summary.functions)?;
    wide(columns, &mut summary.totals)?;
    columns.size(&mut summary.pairs)?;
    maybe_size(columns, &mut summary.samples)?;
    maybe_size(columns, &mut summary.stacks)?;
    columns.list(&mut summary.parts, |columns, part: &mut PartSum| {
        columns.flag(&mut part.chosen)?;
        wide(columns, &mut part.totals)?;
        maybe_size(columns, &mut part.samples)
    })?;
    columns.list(&mut summary.notes, |columns, note| columns.text(note))
}

fn maybe_column(columns: &mut impl ColumnVisitor, column: &mut Option<Vec<u64>>) -> Result<(), IndexError> {
    let mut there = column.is_some();
    columns.flag(&mut there)?;
    // An absent column is written as an empty one.
    let mut values = column.take().map_or(Vec::new(), |values| values);
    columns.column(&mut values)?;
    *column = there.then_some(values);
    Ok(())
}

fn maybe_size(columns: &mut impl ColumnVisitor, size: &mut Option<usize>) -> Result<(), IndexError> {
    let mut number = size.map(|size| size as u64);
    columns.optional_number(&mut number)?;
    *size = number.map(|number| number as usize);
    Ok(())
}

/// Numbers of 128 bits, each as two columns' halves.
fn wide(columns: &mut impl ColumnVisitor, numbers: &mut Vec<i128>) -> Result<(), IndexError> {
    let mut low: Vec<u64> = numbers.iter().map(|&number| number as u64).collect();
    let mut high: Vec<i64> = numbers.iter().map(|&number| (number >> 64) as i64).collect();
    columns.column(&mut low)?;
    columns.column(&mut high)?;
    *numbers =
        low.iter().zip(&high).map(|(&low, &high)| (i128::from(high) << 64) | i128::from(low)).collect();
    Ok(())
}

/// Whether all that a list of functions looks at is there.
fn fits(profile: &Profile, summary: &Summary) -> bool {
    let (functions, events) = (profile.functions.len(), profile.events.len());
    let of_all = |column: &Option<Vec<u64>>| column.as_ref().is_none_or(|column| column.len() == functions);
    let rows = |costs: &Costs| {
        costs.width() == events
            && (costs.rows() == functions || events == 0)
            && costs.signed() == profile.signed
    };
    rows(&summary.own)
        && rows(&summary.inclusive)
        && of_all(&summary.called)
        && of_all(&summary.recursed)
        && summary.cycle.len() == functions
        && summary.active.len() == functions
        && summary.totals.len() == events
        && summary.parts.len() == profile.parts.len()
        && summary.parts.iter().all(|part| part.totals.len() == events)
        && profile.check_names().is_ok()
}
