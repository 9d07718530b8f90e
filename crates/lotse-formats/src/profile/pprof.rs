//! The protocol buffer of pprof, which Go, the successors of gperftools and many agents write.
//!
//! Sample types are the event types; the default is the one that the file names, else the last. A location may have
//! several lines: all but the outermost are inlined. A location without lines is resolved by symbols later. Labels that
//! name a thread make parts; other labels are left out with a note. Samples with a wrong number of values are left out.

mod claim;
mod message;
mod place;
mod read;
mod thread;
mod wire;
mod write;

pub(crate) use self::write::WRITER;
use crate::format::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "pprof",
    title: "pprof protocol buffer",
    extensions: &["pprof", "prof", "pb"],
    claim: claim::claim,
    reader: Reader::Profile(read::read),
};
