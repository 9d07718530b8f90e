//! Reads a history, and the executables that were recorded.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_formats::history::{History, RingStacks};
use lotse_formats::read_history;
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_spy::decode::{Consumer, Decoded, Image, RecordedProcess, Selection, decode_process, processes};
use lotse_symbols::Binary;

use crate::exit::{Exit, Failure};
use crate::screen;

/// Reads a history, passes its structures and accesses to a consumer, and prints a remark on processes that are left out.
pub(crate) fn decode(path: &Path, consumer: &mut dyn Consumer) -> Result<Decoded, Failure> {
    let source = open(path)?;
    let history = read(&source)?;
    let (decoded, left_out) = decode_history(&history, consumer);
    remark_left_out(&left_out);
    Ok(decoded)
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

/// Processes that are left out: for each reason their number, and the first of them as text.
pub(crate) type LeftOut = BTreeMap<&'static str, (usize, String)>;

/// Decodes all processes; those whose executable cannot be used are counted by reason.
pub(crate) fn decode_history(history: &History<'_>, consumer: &mut dyn Consumer) -> (Decoded, LeftOut) {
    let mut decoded = Decoded::selecting(selection(history));
    let none = RingStacks::default();
    let mut left_out = LeftOut::new();
    for process in processes(history, &none) {
        let (number, path) = (process.number, process.executable.map_or("?", |executable| executable.path));
        if let Err((reason, detail)) = decode_one(&mut decoded, history, process, consumer) {
            let entry =
                left_out.entry(reason).or_insert_with(|| (0, format!("process {number}, `{path}`{detail}")));
            entry.0 += 1;
        }
    }
    decoded.coverage.lost += history.end.as_ref().map_or(0, |end| end.lost);
    (decoded, left_out)
}

/// Prints a remark on the processes that are left out, and why.
pub(crate) fn remark_left_out(left_out: &LeftOut) {
    for (reason, (count, first)) in left_out {
        let more = if *count > 1 { format!("; and {} more", count - 1) } else { String::new() };
        screen::remark(&format!("left out, for {reason}: {first}{more}"));
    }
}

/// The structures that the recording was limited to; all of them if this version of Lotse does not know their names.
fn selection(history: &History<'_>) -> Selection {
    let Some(start) = &history.start else { return Selection::default() };
    Selection::new(&start.structures, start.min_bytes).unwrap_or_else(|error| {
        screen::remark(&format!("all structures are shown: {error}"));
        Selection::default()
    })
}

/// The reasons why a recording is incomplete, each as a clause.
pub(crate) fn incomplete(history: &History<'_>, lost: u64) -> Vec<String> {
    let cut = history.end.is_none().then(|| "it was cut off before its end".to_owned());
    let signal = history.end.as_ref().and_then(|end| end.signal);
    let killed =
        signal.map(|signal| format!("the program was ended by signal {signal}{}", signal_name(signal)));
    let lost = (lost > 0).then(|| format!("{lost} records were lost"));
    let stated = history.end.iter().flat_map(|end| end.incomplete.clone());
    cut.into_iter().chain(stated).chain(killed).chain(lost).collect()
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        2 => " (SIGINT)",
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// Decodes a process with the names stored in the history, else with those of its executable; or returns a reason and a detail
/// why that is not possible.
fn decode_one(
    decoded: &mut Decoded,
    history: &History<'_>,
    process: RecordedProcess<'_>,
    consumer: &mut dyn Consumer,
) -> Result<(), (&'static str, String)> {
    let executable = process.executable.ok_or(("the history does not say what ran", String::new()))?;
    let stored = history
        .names
        .iter()
        .find(|names| names.path == executable.path && process.stamp == Some((names.size, names.modified)));
    if let Some(names) = stored {
        let image = Image::stored(names, executable.base, executable.end);
        decode_process(decoded, &image, process.rings, consumer);
        return Ok(());
    }
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
