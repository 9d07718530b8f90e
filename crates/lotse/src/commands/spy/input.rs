//! Reading a history, and the executables it speaks of.

use std::path::Path;

use lotse_formats::history::{History, Stacks};
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_spy::decode::{Consumer, Decoded, Image, decode_process, processes};
use lotse_symbols::Binary;

use crate::exit::{Exit, Failure};
use crate::screen;

/// Reads a history, gives its structures to a consumer made for it, and says what is missing.
pub(crate) fn decode(path: &Path, consumer: &mut dyn Consumer) -> Result<Decoded, Failure> {
    let source = open(path)?;
    let history = read(path, source.bytes())?;
    Ok(decode_history(&history, consumer))
}

pub(crate) fn open(path: &Path) -> Result<FileSource, Failure> {
    FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))
}

pub(crate) fn read<'a>(path: &Path, bytes: &'a [u8]) -> Result<History<'a>, Failure> {
    let reading = History::read(&path.display().to_string(), bytes).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    reading.diagnostics.iter().for_each(|diagnostic| screen::remark(&format!("{}: {diagnostic}", path.display())));
    Ok(reading.value)
}

pub(crate) fn decode_history(history: &History<'_>, consumer: &mut dyn Consumer) -> Decoded {
    let mut decoded = Decoded::default();
    let none = Stacks::default();
    for process in processes(history, &none) {
        let number = process.number;
        let Some(executable) = process.executable else {
            screen::remark(&format!("process {number}: the history does not say what it ran; it is left out"));
            continue;
        };
        let file = match FileSource::open(Path::new(executable.path)) {
            Ok(file) => file,
            Err(error) => {
                screen::remark(&format!("process {number} is left out, for its names are missing: {error}"));
                continue;
            }
        };
        if process.stamp.is_some() && process.stamp != file.stamp().map(|stamp| (stamp.size, stamp.modified)) {
            let path = executable.path;
            screen::remark(&format!("process {number} is left out: `{path}` was built anew since it was recorded; record again"));
            continue;
        }
        match Binary::parse(file.bytes()) {
            Ok(binary) => {
                let image = Image::new(binary, executable.base, executable.end);
                decode_process(&mut decoded, &image, process.rings, consumer);
            }
            Err(error) => screen::remark(&format!("process {number} is left out: {}: {error}", executable.path)),
        }
    }
    decoded
}
