//! `lotse export`: the page of a document as one HTML file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_serve::api::{DocumentKind, Problem};
use lotse_serve::export::ExportedPage;
use lotse_serve::open::{OpenProgress, OpenRequest, Opener as _};

use super::open::{FileOpener, request};
use crate::args::ExportArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// Reads the files, and writes the page with the answers to what a reader is likely to ask.
pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let request = request(&args.files, args.compare, args.kind)?;
    let opener = FileOpener::new(&args.binary, &args.source_dir, args.no_index).renaming(&args.rename)?;
    let page = page(&opener, &request).map_err(failure)?;
    let out = args.out.clone().unwrap_or_else(|| page_name(&args.files));
    FileSink::new(&out).put(page.as_bytes()).map_err(|error| Failure::new(Exit::Missing, &error))?;
    screen::remark(&format!("{}: {} kB, opens in any browser", out.display(), page.len().div_ceil(1000)));
    Ok(Exit::Done)
}

/// The page of all documents that the files are. If only another document than the first cannot be read, it is left out.
fn page(opener: &FileOpener, request: &OpenRequest) -> Result<String, Problem> {
    let kinds = opener.kinds(request)?;
    let mut export = ExportedPage::new(opener);
    add(&mut export, opener, request, &kinds)?;
    for other in request.others(&kinds) {
        if let Err(problem) = add(&mut export, opener, &other, &kinds) {
            screen::remark(&format!("{} is left out: {}", other.name(), problem.message));
        }
    }
    export.page(env!("CARGO_PKG_VERSION"))
}

/// Reads one document of the files and adds it to the page.
fn add(
    export: &mut ExportedPage<'_>,
    opener: &FileOpener,
    request: &OpenRequest,
    kinds: &[DocumentKind],
) -> Result<(), Problem> {
    let mut progress = OpenProgress::new(Arc::new(AtomicBool::new(false)), |_, _, _| {});
    let chosen = OpenRequest { kind: request.kind.or(kinds.first().copied()), ..request.clone() };
    let mut added = Err(Problem::new("the file could not be read"));
    opener.open(&chosen, &mut progress, &mut |document| added = export.add(document, request, kinds))?;
    added
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
