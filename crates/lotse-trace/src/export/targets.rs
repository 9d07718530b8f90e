//! The list of formats that traces are written in. A new one is a function and a line here.

use std::io::{self, Write};

use lotse_model::bytes::FolderSink;

use super::{Events, Written, chrome, csv, otf2};

/// A format that traces are written in.
#[derive(Debug)]
pub struct Target {
    /// What `--to` calls it.
    pub id: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// How names of such files end, without the dot.
    pub extension: &'static str,
    /// Whether it shows which messages belong together, for which the trace has to be analysed first.
    pub needs_matching: bool,
    pub writer: TargetWriter,
}

/// How a format is written.
#[derive(Debug, Clone, Copy)]
pub enum TargetWriter {
    /// Into one file or standard output.
    Stream(fn(Events<'_>, &mut (dyn Write + Send)) -> io::Result<Written>),
    /// Into a folder, as an archive of that name.
    Archive(fn(Events<'_>, &dyn FolderSink, &str) -> io::Result<Written>),
    /// This build of Lotse does not have it; what to do about that.
    Absent(&'static str),
}

/// All of them, in the order of the help.
pub const TARGETS: &[Target] = &[
    Target {
        id: "chrome",
        title: "Chrome's events as JSON, with messages, for Perfetto",
        extension: "json",
        needs_matching: true,
        writer: TargetWriter::Stream(|events, out| chrome(events, out)),
    },
    Target {
        id: "csv",
        title: "A row for each event",
        extension: "csv",
        needs_matching: false,
        writer: TargetWriter::Stream(|events, out| csv(events, out)),
    },
    Target {
        id: "otf2",
        title: "An OTF2 archive",
        extension: "otf2",
        needs_matching: false,
        writer: TargetWriter::Archive(otf2),
    },
    Target {
        id: "parquet",
        title: "A row for each event as a Parquet table, where Lotse was built with it",
        extension: "parquet",
        needs_matching: false,
        writer: PARQUET,
    },
];

#[cfg(feature = "parquet")]
const PARQUET: TargetWriter = TargetWriter::Stream(super::parquet::parquet);

#[cfg(not(feature = "parquet"))]
const PARQUET: TargetWriter = TargetWriter::Absent(
    "this Lotse was built without Parquet; build it with `cargo install --locked --path crates/lotse --features parquet`, \
     or write csv",
);

/// The format of that id.
pub fn target_named(id: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.id == id)
}

/// The format of files whose name ends so.
pub fn target_of_extension(extension: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.extension == extension)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{TARGETS, target_named, target_of_extension};

    #[test]
    fn ids_and_extensions_name_one_format_each() {
        let ids: BTreeSet<_> = TARGETS.iter().map(|target| target.id).collect();
        let extensions: BTreeSet<_> = TARGETS.iter().map(|target| target.extension).collect();
        assert_eq!((ids.len(), extensions.len()), (TARGETS.len(), TARGETS.len()));
        assert_eq!(target_named("chrome").map(|it| it.extension), Some("json"));
        assert_eq!(target_of_extension("json").map(|it| it.id), Some("chrome"));
        assert!(target_of_extension("txt").is_none());
    }
}
