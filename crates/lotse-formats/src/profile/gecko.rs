//! Gecko profile JSON.

pub(crate) mod location;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use crate::error::FormatError;
use crate::reading::Reading;
use crate::recognise::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "gecko",
    title: "Gecko profile JSON",
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
