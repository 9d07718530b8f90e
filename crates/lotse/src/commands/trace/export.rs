//! `lotse trace export`.

use std::io::{self, Write};
use std::path::Path;

use lotse_formats::trace::open::open;
use lotse_host::{FolderFiles, FolderSource};
use lotse_model::bytes::FolderSink;
use lotse_trace::export::{Events, TARGETS, Target, TargetWriter, Written, target_of_extension};

use super::{ending, report_repairs, subject_of};
use crate::args::trace::{ClockArg, CutArgs, ExportArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let target = target(args)?;
    refuse_overwriting(args, target)?;
    let as_recorded = args.phase.is_none() && args.clock == ClockArg::Raw;
    // Arrows between messages need to know which belong together.
    let (written, damaged) = if as_recorded && !target.needs_matching {
        recorded(args, target)?
    } else {
        let cut = CutArgs { phase: args.phase, ..CutArgs::whole_run(args.clock) };
        let (subject, damaged) = subject_of(&args.input, &cut, true)?;
        (write(args, target, Events::Analysed(&subject.trace))?, damaged)
    };
    if written.dropped > 0 {
        let dropped = written.dropped;
        screen::remark(&format!(
            "{dropped} events have no place in this format and were left out; an analysis of the copy may find fewer waits, \
             no late progress and other gains"
        ));
    }
    Ok(ending(damaged || !written.complete))
}

/// Writes the recorded events directly from the files, without keeping them in memory.
fn recorded(args: &ExportArgs, target: &Target) -> Result<(Written, bool), Failure> {
    let folder =
        FolderSource::open(&args.input.trace).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let input =
        open(&folder, args.input.read.format.as_deref()).map_err(super::super::profile::format_failure)?;
    report_repairs(&args.input.trace, &input.repairs);
    let damaged = input.repairs.iter().any(|repair| repair.loss);
    let written = write(args, target, Events::Recorded(&input))?;
    if !written.complete {
        screen::remark("events could not be read to their end; `lotse trace info` says where");
    }
    Ok((written, damaged))
}

fn write(args: &ExportArgs, target: &Target, events: Events<'_>) -> Result<Written, Failure> {
    let done = match target.writer {
        TargetWriter::Archive(write) => {
            let (folder, name) = archive(&args.out);
            write(events, &FolderFiles::new(folder), &name)
        }
        TargetWriter::Stream(write) => streamed(&args.out, |out| write(events, out)),
        TargetWriter::Absent(why) => Err(io::Error::new(io::ErrorKind::Unsupported, why)),
    };
    let out = args.out.display();
    done.map_err(|error| Failure { exit: Exit::Missing, message: format!("cannot write {out}: {error}") })
}

/// Writes to a file, or to standard output for `-`.
fn streamed(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<Written>,
) -> io::Result<Written> {
    if path == Path::new("-") {
        let mut out = io::BufWriter::new(io::stdout());
        return write(&mut out).and_then(|written| out.flush().map(|()| written));
    }
    let (folder, name) = split(path);
    let files = FolderFiles::new(folder);
    let mut file = files.create(&name)?;
    let written = write(&mut *file)?;
    file.flush()?;
    Ok(written)
}

/// The format to write: the one asked for, else that of the extension of the output.
fn target(args: &ExportArgs) -> Result<&'static Target, Failure> {
    let extension = args.out.extension().and_then(|extension| extension.to_str());
    let Some(target) = args.to.or(extension.and_then(target_of_extension)) else {
        let ids: Vec<&str> = TARGETS.iter().map(|target| target.id).collect();
        return Err(Failure::usage(format!(
            "the ending of {} names no format; say what to write with --to: {}",
            args.out.display(),
            ids.join(", ")
        )));
    };
    match target.writer {
        TargetWriter::Absent(why) => Err(Failure { exit: Exit::Missing, message: why.to_owned() }),
        TargetWriter::Archive(_) if args.out == Path::new("-") => {
            Err(Failure::usage("an OTF2 archive is many files and cannot go to standard output"))
        }
        _ => Ok(target),
    }
}

/// Refuses an output that would overwrite the trace: events are read while others are written.
fn refuse_overwriting(args: &ExportArgs, target: &Target) -> Result<(), Failure> {
    let is_archive = matches!(target.writer, TargetWriter::Archive(_));
    let anchor = if is_archive {
        let (folder, name) = archive(&args.out);
        folder.join(format!("{name}.{}", target.extension))
    } else {
        args.out.clone()
    };
    let same = match (anchor.canonicalize(), args.input.trace.canonicalize()) {
        (Ok(out), Ok(input)) => out == input || (input.is_dir() && out.starts_with(&input)),
        _ => false,
    };
    let taken = is_archive && anchor.exists();
    if same || taken {
        return Err(Failure::usage(format!("{} exists; choose another name", anchor.display())));
    }
    Ok(())
}

/// The folder of an archive and its name: `x/run.otf2`, or a folder for `traces.otf2`.
fn archive(path: &Path) -> (std::path::PathBuf, String) {
    if path.extension().is_some_and(|ending| ending == "otf2") {
        let (folder, name) = split(path);
        let stem = name.strip_suffix(".otf2").unwrap_or(&name).to_owned();
        return (folder, stem);
    }
    (path.to_path_buf(), "traces".to_owned())
}

fn split(path: &Path) -> (std::path::PathBuf, String) {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    (folder.to_path_buf(), name)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::archive;

    #[test]
    fn archives_are_named_by_their_anchor_or_by_their_folder() {
        for (path, folder, name) in
            [("x/run.otf2", "x", "run"), ("run.otf2", ".", "run"), ("folder", "folder", "traces")]
        {
            assert_eq!(archive(Path::new(path)), (PathBuf::from(folder), name.to_owned()), "{path}");
        }
    }
}
