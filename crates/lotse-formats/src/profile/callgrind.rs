//! Callgrind out file, and what cachegrind and xdebug write in nearly the same way.
//!
//! Reading adds up: self costs by function, calls by pair of functions. Costs by line, call sites and jumps stay
//! in the file; reading only notes where each function's lines are, and `expand` reads those of one function.
//! Bytes are split into pieces that are decoded independently (`decode`), then joined (`join`, `identity`);
//! how they are split does not change the profile.

mod called;
mod claim;
mod decode;
mod ending;
mod expand;
mod faults;
mod header;
mod identity;
mod join;
mod lookup;
mod names;
mod piece;
mod read;
mod scan;
mod siblings;
mod slow;
mod split;
mod tokens;
mod units;
mod write;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

pub(crate) use self::claim::{Writer, claim};
pub(crate) use self::expand::expand;
use self::read::Input;
pub use self::write::WRITER;
use crate::error::FormatError;
use crate::reading::{Diagnostic, Reading};
use crate::recognise::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "callgrind",
    title: "Callgrind out file",
    extensions: &["callgrind"],
    claim: |source| match siblings::stands_for_others(source) {
        true => Confidence::Certain,
        false => claim(source.bytes(), Writer::Callgrind),
    },
    reader: Reader::Profile(read),
};

const DIALECT: Dialect = Dialect { id: FORMAT.id, signed: false };

/// What differs between those who write in this way.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// The format.
    pub(crate) id: &'static str,
    /// Whether `-5` is a cost below zero.
    pub(crate) signed: bool,
}

fn read(source: &dyn Source, workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_in_pieces(source, workers, split::PIECE)
}

/// Reads a source with its siblings.
fn read_in_pieces(
    source: &dyn Source,
    workers: &dyn Workers,
    size: usize,
) -> Result<Reading<Profile>, FormatError> {
    let mut told = Vec::new();
    let siblings = siblings::gather(source, &mut told);
    let name = siblings::file_name(source.name());
    let several = !siblings.dumps.is_empty();
    let mut inputs = vec![Input { name: several.then_some(name), ..Input::alone(source.bytes()) }];
    inputs.extend(siblings.dumps.iter().map(|it| Input {
        bytes: &it.bytes,
        beside: Some(&it.name),
        name: Some(&it.name),
        counted: siblings.counted,
    }));
    if several && source.bytes().is_empty() {
        inputs.remove(0);
    }
    inputs.sort_by_key(|input| siblings::rank(input.bytes));
    let (value, mut diagnostics) = read::profile(&inputs, source.name(), &DIALECT, workers, size)?;
    diagnostics.append(&mut told);
    Ok(Reading { value, format_id: DIALECT.id, diagnostics })
}

/// Reads a source without siblings in another dialect.
pub(crate) fn read_alone(
    source: &dyn Source,
    dialect: &Dialect,
    workers: &dyn Workers,
) -> Result<Reading<Profile>, FormatError> {
    let input = Input::alone(source.bytes());
    let (value, diagnostics): (Profile, Vec<Diagnostic>) =
        read::profile(&[input], source.name(), dialect, workers, split::PIECE)?;
    Ok(Reading { value, format_id: dialect.id, diagnostics })
}

#[cfg(test)]
mod tests;
