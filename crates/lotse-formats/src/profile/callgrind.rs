//! Callgrind out file.

use lotse_model::bytes::Source;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Detail, OnDemand};
use lotse_model::{Profile, Workers};

use crate::error::FormatError;
use crate::reading::Reading;
use crate::recognise::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "callgrind",
    title: "Callgrind out file",
    extensions: &[],
    claim,
    reader: Reader::Profile(read),
};

fn claim(_source: &dyn Source) -> Confidence {
    Confidence::No
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    Err(FormatError::Unrecognised { name: source.name().to_owned(), known: FORMAT.id.to_owned() })
}

/// The costs inside one function, read from the places that reading left.
pub(crate) fn expand(
    source: &dyn Source,
    _profile: &Profile,
    _places: &OnDemand,
    _function: FunctionId,
) -> Result<Detail, FormatError> {
    Err(FormatError::Unrecognised { name: source.name().to_owned(), known: FORMAT.id.to_owned() })
}
