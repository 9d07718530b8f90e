//! `lotse export`: the page of a document as one HTML file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_serve::api::Problem;
use lotse_serve::export::export;
use lotse_serve::open::{OpenProgress, Opener as _};

use super::open::{FileOpener, request};
use crate::args::ExportArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// Reads the files, and writes the page with the answers to what a reader is likely to ask.
pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let request = request(&args.files, args.compare)?;
    let opener = FileOpener::new(&args.binary, &args.source_dir, args.no_index);
    let mut progress = OpenProgress::new(Arc::new(AtomicBool::new(false)), |_, _, _| {});
    let mut page = Err(Problem::new("the file could not be read"));
    opener
        .open(&request, &mut progress, &mut |document| {
            page = export(document, &request, &opener, env!("CARGO_PKG_VERSION"));
        })
        .map_err(failure)?;
    let page = page.map_err(failure)?;
    let out = args.out.clone().unwrap_or_else(|| page_name(&args.files));
    FileSink::new(&out).put(page.as_bytes()).map_err(|error| Failure::new(Exit::Missing, &error))?;
    screen::remark(&format!("{}: {} kB, opens in any browser", out.display(), page.len().div_ceil(1000)));
    Ok(Exit::Done)
}

fn failure(problem: Problem) -> Failure {
    Failure { exit: Exit::Unreadable, message: problem.message }
}

/// The name of the last file with the ending of a page, in the current directory.
fn page_name(files: &[PathBuf]) -> PathBuf {
    let name = files.last().and_then(|file| file.file_name()).map(Path::new);
    let mut name = name.unwrap_or(Path::new("page")).as_os_str().to_owned();
    name.push(".html");
    PathBuf::from(name)
}
