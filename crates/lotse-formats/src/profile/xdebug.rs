//! Xdebug out file.

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use super::callgrind::{Dialect, Writer, claim, read_alone};
use crate::error::FormatError;
use crate::reading::Reading;
use crate::recognise::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "xdebug",
    title: "Xdebug out file",
    extensions: &[],
    claim: |source| claim(source.bytes(), Writer::Xdebug),
    reader: Reader::Profile(read),
};

const DIALECT: Dialect = Dialect { id: FORMAT.id, signed: true };

fn read(source: &dyn Source, workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_alone(source, &DIALECT, workers)
}
