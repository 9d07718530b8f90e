//! Reading a history, and the executables it speaks of.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_formats::history::{History, Stacks};
use lotse_formats::read_history;
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_spy::decode::{Consumer, Decoded, Image, RecordedProcess, decode_process, processes};
use lotse_symbols::Binary;

use crate::exit::{Exit, Failure};
use crate::screen;

/// Reads a history, gives its structures to a consumer made for it, and says what is missing.
pub(crate) fn decode(path: &Path, consumer: &mut dyn Consumer) -> Result<Decoded, Failure> {
    let source = open(path)?;
    let history = read(&source)?;
    Ok(decode_history(&history, consumer))
}

pub(crate) fn open(path: &Path) -> Result<FileSource, Failure> {
    FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))
}

pub(crate) fn read(source: &FileSource) -> Result<History<'_>, Failure> {
    let reading = read_history(source).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    reading
        .diagnostics
        .iter()
        .for_each(|diagnostic| screen::remark(&format!("{}: {diagnostic}", source.name())));
    Ok(reading.value)
}

/// Decodes all processes; those that cannot be named are counted by reason.
pub(crate) fn decode_history(history: &History<'_>, consumer: &mut dyn Consumer) -> Decoded {
    let mut decoded = Decoded::default();
    let none = Stacks::default();
    let mut left_out: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    for process in processes(history, &none) {
        let (number, path) = (process.number, process.executable.map_or("?", |executable| executable.path));
        if let Err((reason, detail)) = decode_one(&mut decoded, process, consumer) {
            let entry =
                left_out.entry(reason).or_insert_with(|| (0, format!("process {number}, `{path}`{detail}")));
            entry.0 += 1;
        }
    }
    for (reason, (count, first)) in left_out {
        let more = if count > 1 { format!("; and {} more", count - 1) } else { String::new() };
        screen::remark(&format!("left out, for {reason}: {first}{more}"));
    }
    decoded
}

/// Decodes a process, or says why that is not possible.
fn decode_one(
    decoded: &mut Decoded,
    process: RecordedProcess<'_>,
    consumer: &mut dyn Consumer,
) -> Result<(), (&'static str, String)> {
    let executable = process.executable.ok_or(("the history does not say what ran", String::new()))?;
    let file = FileSource::open(Path::new(executable.path))
        .map_err(|error| ("the program's file is gone", format!(" ({error})")))?;
    if process.stamp.is_some() && process.stamp != file.stamp().map(|stamp| (stamp.size, stamp.modified)) {
        return Err(("the program was built anew since it was recorded; record again", String::new()));
    }
    let binary = Binary::parse(file.bytes())
        .map_err(|error| ("the program's file cannot be read", format!(" ({error})")))?;
    let image = Image::new(binary, executable.base, executable.end);
    decode_process(decoded, &image, process.rings, consumer);
    Ok(())
}
