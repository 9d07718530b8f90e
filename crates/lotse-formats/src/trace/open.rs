//! Opens a trace in the given format, or detects the format.
//!
//! The format is detected by the content of the main file. If there is none, or it is too damaged, an OTF2 archive is
//! recognised by the names of its other files.

use lotse_model::bytes::{Folder, Memory, Source};

use super::{TraceInput, otf2};
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, FormatKind, Reader};
use crate::recognise::{named, recognised};
use crate::unpack::unpack;

pub(crate) const OTF2: Format = Format {
    id: "otf2",
    title: "Open Trace Format 2",
    extensions: &["otf2"],
    claim: |source| if otf2::claim_anchor(source.bytes()) { Confidence::Certain } else { Confidence::No },
    reader: Reader::Trace(otf2::open),
};

/// The endings of files that may be a trace in a folder without a main file.
const ENDINGS: [&str; 5] = [".prv", ".prv.gz", ".json", ".json.gz", ".trace"];
/// How many bytes of a compressed file are decompressed to detect its format.
const HEAD: usize = 1 << 16;

/// Opens a trace.
pub fn open<'a>(folder: &'a dyn Folder, format: Option<&str>) -> Result<TraceInput<'a>, FormatError> {
    let format = match format {
        Some(id) => named(id, FormatKind::Trace)?,
        None => detect_format(folder)?,
    };
    match format.reader {
        Reader::Trace(open) => open(folder),
        _ => Err(FormatError::WrongKind {
            id: format.id,
            found: format.kind().title(),
            wanted: FormatKind::Trace.title(),
        }),
    }
}

/// Detects the format by the files.
fn detect_format(folder: &dyn Folder) -> Result<&'static Format, FormatError> {
    if let Some(name) = nested_anchor(folder) {
        return Err(no_trace(folder, &format!("no trace is in it itself, but one is deeper (`{name}`)")));
    }
    let archive = folder.names().iter().any(|name| name.ends_with(".evt") || name.ends_with(".def"));
    let main = match folder.main() {
        "" if archive => return Ok(&OTF2),
        "" => folder.names().iter().find(|name| is_main(name)),
        _ => folder.names().iter().find(|name| *name == folder.main()),
    };
    let bytes = match main.and_then(|main| folder.bytes(main)) {
        _ if archive && main.is_none() => return Ok(&OTF2),
        None => return Err(no_trace(folder, "no trace is in it")),
        Some([]) if !archive => return Err(no_trace(folder, "it is empty")),
        Some(bytes) => bytes,
    };
    match format_of_bytes(folder.name(), bytes) {
        Err(FormatError::Unrecognised { .. }) if archive => Ok(&OTF2),
        format => format,
    }
}

/// The anchor of an archive in a subfolder, if the named folder itself contains no trace. Such an archive is not opened:
/// its event files are nested too deep to be listed, and there may be several archives.
fn nested_anchor(folder: &dyn Folder) -> Option<&str> {
    let is_archive_file = |name: &str| name.ends_with(".otf2") || name.ends_with(".def");
    let is_trace = |name: &&String| !name.contains('/') && (is_archive_file(name) || is_main(name));
    if !folder.main().is_empty() || folder.names().iter().any(|name| is_trace(&name)) {
        return None;
    }
    folder.names().iter().find(|name| name.ends_with(".otf2")).map(String::as_str)
}

/// Whether a file may be the main file of a folder; files in subfolders belong to other traces.
fn is_main(name: &str) -> bool {
    !name.contains('/') && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The error that a folder has no trace: what was found, and what was expected.
fn no_trace(folder: &dyn Folder, found: &str) -> FormatError {
    FormatError::Damaged {
        name: folder.name().to_owned(),
        place: Place::Whole,
        problem: format!(
            "{found}: expected an OTF2 archive (its anchor, .otf2), Chrome's events (.json, .json.gz) or a Paraver \
             trace (.prv)"
        ),
    }
}

/// Detects the format by the content of a file, which may be compressed.
fn format_of_bytes(name: &str, bytes: &[u8]) -> Result<&'static Format, FormatError> {
    let packed = Memory { name, bytes: bytes.get(..HEAD).unwrap_or(bytes) };
    match unpack(&packed) {
        // A file that is not compressed is recognised by all its bytes.
        Ok((source, _)) if source.bytes() == packed.bytes => {
            recognised(&Memory { name, bytes }, FormatKind::Trace)
        }
        // Only the beginning was decompressed, so the diagnostics about its end do not matter.
        Ok((source, _)) => recognised(&source, FormatKind::Trace),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Folder;

    use super::open;

    struct Files<'a>(&'a str, Vec<String>, &'a [u8]);

    impl Folder for Files<'_> {
        fn name(&self) -> &str {
            "named"
        }

        fn main(&self) -> &str {
            self.0
        }

        fn names(&self) -> &[String] {
            &self.1
        }

        fn bytes(&self, name: &str) -> Option<&[u8]> {
            self.1.iter().any(|it| it == name).then_some(self.2)
        }
    }

    fn opened(main: &str, names: &[&str], bytes: &[u8], format: Option<&str>) -> String {
        let files = Files(main, names.iter().map(|name| (*name).to_owned()).collect(), bytes);
        match open(&files, format) {
            Ok(trace) => trace.format_id.to_owned(),
            Err(error) => error.to_string(),
        }
    }

    const CHROME: &[u8] = br#"[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]"#;
    const PARAVER: &[u8] = b"#Paraver (x at y):1_ns:1(1):1:1(1:1)\n";

    #[test]
    fn the_format_is_known_from_the_content_and_the_file_from_its_name() {
        assert_eq!(opened("x", &["x"], CHROME, None), "chrome-trace");
        assert_eq!(opened("x", &["x"], PARAVER, None), "paraver");
        assert_eq!(opened("", &["a.txt", "b.prv"], PARAVER, None), "paraver");
        assert_eq!(opened("", &["b.json"], CHROME, Some("chrome-trace")), "chrome-trace");
        let error = opened("x", &["x"], CHROME, Some("otf2"));
        assert!(error.contains("OTF2"), "{error}");
    }

    #[test]
    fn an_archive_in_a_folder_of_the_one_named_is_pointed_at() {
        let deep = ["x_trace/log.def", "x_trace/log.otf2"];
        let error = opened("", &deep, b"", None);
        assert!(error.contains("one is deeper (`x_trace/log.otf2`)"), "{error}");
        assert_eq!(opened("", &["log.def", "log/0.evt", "old/log.otf2"], b"", None), "otf2");
        // Nothing but events is left of an archive after a crash.
        assert_eq!(opened("", &["log/0.evt"], b"", None), "otf2");
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let nothing = opened("x", &["x"], b"hello", None);
        assert!(
            nothing.starts_with("named is in none of the formats read here (otf2, chrome-trace, paraver)"),
            "{nothing}"
        );
        let expected = "expected an OTF2 archive (its anchor, .otf2), Chrome's events (.json, .json.gz) or a Paraver \
                        trace (.prv)";
        let message = |found: &str| format!("named: the whole input: {found}: {expected}");
        assert_eq!(opened("", &["notes.txt", "run/t.json"], CHROME, None), message("no trace is in it"));
        assert_eq!(opened("x", &["x"], b"", None), message("it is empty"));
        let archive = opened("x.otf2", &["x.otf2", "x/0.evt"], b"", None);
        assert_eq!(archive, "otf2", "an empty anchor says nothing, its files do");
        let wrong = opened("x", &["x"], CHROME, Some("callgrind"));
        assert_eq!(wrong, "callgrind is a format for a profile, but a trace is needed here");
        assert!(opened("x", &["x"], CHROME, Some("y")).contains("otf2, chrome-trace, paraver"));
    }
}
