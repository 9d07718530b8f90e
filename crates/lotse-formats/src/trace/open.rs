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

/// The endings of files that may be a trace in a folder.
const ENDINGS: [&str; 5] = [".prv", ".prv.gz", ".json", ".json.gz", ".trace"];
/// How many bytes of a compressed file are decompressed to detect its format.
const HEAD: usize = 1 << 16;

/// Opens a trace.
pub fn open<'a>(folder: &'a dyn Folder, format: Option<&str>) -> Result<TraceInput<'a>, FormatError> {
    let format = match format {
        Some(id) => named(id, FormatKind::Trace)?,
        None if folder.main().is_empty() => detect_in_folder(folder)?,
        None => detect_format(folder)?,
    };
    if format.id == OTF2.id && folder.main().is_empty() && !has_archive(folder) {
        return Err(absent(folder));
    }
    match format.reader {
        Reader::Trace(open) => open(folder),
        _ => Err(FormatError::WrongKind {
            id: format.id,
            found: format.kind().title(),
            wanted: FormatKind::Trace.title(),
        }),
    }
}

/// Detects the format of the file that the user named.
fn detect_format(folder: &dyn Folder) -> Result<&'static Format, FormatError> {
    let archive = folder.names().iter().any(|name| name.ends_with(".evt") || name.ends_with(".def"));
    let main = folder.names().iter().find(|name| *name == folder.main());
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

/// Detects the format of the trace in a folder. Files that are no traces may be beside it; several traces are refused, because
/// the answer would be about one of them only.
fn detect_in_folder(folder: &dyn Folder) -> Result<&'static Format, FormatError> {
    let traces = trace_files(folder);
    let is_anchor = |name: &&String| !name.contains('/') && name.ends_with(".otf2");
    let anchors: Vec<&String> = folder.names().iter().filter(is_anchor).collect();
    match (has_archive(folder), traces.as_slice()) {
        (true, []) if anchors.len() < 2 => Ok(&OTF2),
        (false, [(_, format)]) if anchors_below(folder).next().is_none() => Ok(format),
        (false, []) => Err(absent(folder)),
        (archive, several) => {
            let mut names: Vec<String> = several.iter().map(|(name, _)| format!("`{name}`")).collect();
            names.extend(anchors.iter().map(|name| format!("`{name}`")));
            names.extend(anchors_below(folder).map(|name| format!("`{name}`")));
            if archive && anchors.is_empty() {
                names.push("an OTF2 archive".to_owned());
            }
            Err(no_trace(
                folder,
                &format!("several traces are in it ({}): name one of them", names.join(", ")),
            ))
        }
    }
}

/// The traces in a folder that consist of one file, with their formats: judged by their content, for other files have the same
/// endings.
pub(super) fn trace_files(folder: &dyn Folder) -> Vec<(&str, &'static Format)> {
    let known = |name: &'_ String| {
        let bytes = folder.bytes(name).filter(|bytes| !bytes.is_empty())?;
        format_of_bytes(name, bytes).ok().filter(|format| format.id != OTF2.id)
    };
    let files = folder.names().iter().filter(|name| may_be_trace(name));
    files.filter_map(|name| Some((name.as_str(), known(name)?))).collect()
}

/// Whether files of an archive of the folder itself are there: its anchor or its definitions, or what a crash left of the files
/// of its locations. Those of a subfolder with an anchor belong to another archive.
fn has_archive(folder: &dyn Folder) -> bool {
    let anchored: Vec<&str> =
        anchors_below(folder).filter_map(|name| Some(name.split_once('/')?.0)).collect();
    folder.names().iter().any(|name| match name.split_once('/') {
        None => [".otf2", ".def", ".evt"].iter().any(|ending| name.ends_with(ending)),
        Some((below, _)) => (name.ends_with(".evt") || name.ends_with(".def")) && !anchored.contains(&below),
    })
}

fn anchors_below(folder: &dyn Folder) -> impl Iterator<Item = &str> {
    let below = |name: &&String| name.contains('/') && name.ends_with(".otf2");
    folder.names().iter().filter(below).map(String::as_str)
}

/// The error about a folder that contains no trace itself. An archive in a subfolder is not opened: its event files are nested too
/// deep to be listed, and there may be several archives.
fn absent(folder: &dyn Folder) -> FormatError {
    if let Some(name) = anchors_below(folder).next() {
        return no_trace(folder, &format!("no trace is in it itself, but one is deeper (`{name}`)"));
    }
    let candidate = folder.names().iter().find(|name| may_be_trace(name));
    let bytes = candidate.and_then(|name| folder.bytes(name)).filter(|bytes| !bytes.is_empty());
    let refused = bytes.and_then(|bytes| format_of_bytes(folder.name(), bytes).err());
    refused.unwrap_or_else(|| no_trace(folder, "no trace is in it"))
}

/// Whether a file may be the trace of a folder; files in subfolders belong to other traces.
fn may_be_trace(name: &str) -> bool {
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

    /// Main file, names, and what is in each file but those of `OTHER`.
    struct Files<'a>(&'a str, Vec<String>, &'a [u8]);

    /// Files that are no traces.
    const OTHER: [&str; 2] = ["package.json", "z.json"];

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
            let content = if OTHER.contains(&name) { br#"{"version": "1.0"}"# } else { self.2 };
            self.1.iter().any(|it| it == name).then_some(content)
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
    fn other_files_beside_a_trace_do_not_matter() {
        assert_eq!(opened("", &["package.json", "t.json", "z.json"], CHROME, None), "chrome-trace");
        assert_eq!(opened("", &["package.json", "t.json"], CHROME, Some("chrome-trace")), "chrome-trace");
        assert_eq!(opened("", &["package.json", "log.def", "log/0.evt"], b"", None), "otf2");
    }

    /// The answer would be about none of the events, or about one of several traces.
    #[test]
    fn the_parent_of_a_trace_is_refused_whatever_else_is_in_it() {
        let parent = ["package.json", "run/traces.def", "run/traces.otf2", "run/traces/0.evt", "z.json"];
        for format in [None, Some("otf2")] {
            let error = opened("", &parent, b"", format);
            assert!(error.contains("one is deeper (`run/traces.otf2`)"), "{error}");
        }
        let two = opened("", &["a.json", "b.json", "package.json"], CHROME, None);
        assert!(two.contains("several traces are in it (`a.json`, `b.json`): name one of them"), "{two}");
        let both = opened("", &["a.json", "log.def", "log/0.evt"], CHROME, None);
        assert!(both.contains("(`a.json`, an OTF2 archive)"), "{both}");
        let anchors = opened("", &["a.otf2", "b.otf2", "a/0.evt", "b/0.evt"], b"", None);
        assert!(anchors.contains("(`a.otf2`, `b.otf2`)"), "{anchors}");
        let deeper = opened("", &["a.json", "run/t.otf2", "run/t/0.evt"], CHROME, None);
        assert!(deeper.contains("several traces are in it (`a.json`, `run/t.otf2`)"), "{deeper}");
        let chosen = opened("", &["a.json", "b.json"], CHROME, Some("chrome-trace"));
        assert!(chosen.contains("several"), "{chosen}");
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
