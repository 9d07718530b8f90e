//! The protocol buffer of pprof, which is what Go, gperftools' successors and many agents write.
//!
//! Sample types are the event types, the default one first where the file names one. A location may hold several
//! lines: all but the outermost are inlined. A location without lines waits for symbols. Labels of a thread make
//! parts; other labels are left out, which is told. Samples whose number of values is wrong are left out.

mod claim;
mod message;
mod place;
mod read;
mod thread;
mod wire;
mod write;

pub(crate) use self::write::WRITER;
use crate::recognise::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "pprof",
    title: "pprof protocol buffer",
    extensions: &["pprof", "prof", "pb"],
    claim: claim::claim,
    reader: Reader::Profile(read::read),
};
