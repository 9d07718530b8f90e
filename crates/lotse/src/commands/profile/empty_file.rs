//! The answer to an empty file.

use lotse_host::FileSource;
use lotse_model::bytes::Source as _;

use crate::exit::{Exit, Failure};

/// Up to this many files are listed.
const LISTED: usize = 4;

/// The failure for an empty file. It is used only after reading failed, because some formats allow an empty file.
pub(in crate::commands) fn empty_file_failure(source: &FileSource) -> Option<Failure> {
    let why = format!("{} is empty: its profiler was stopped early or still runs", source.name());
    let message = why + &beside(source);
    source.bytes().is_empty().then_some(Failure { exit: Exit::Unreadable, message })
}

/// The files beside it whose names go on with a number: callgrind leaves the file that it was told to write empty if each
/// thread has its own. Those that can be read as they are were read already; others may be packed.
fn beside(source: &FileSource) -> String {
    let own = source.name().rsplit('/').next().unwrap_or(source.name());
    let is_numbered = |rest: &str| {
        rest.strip_prefix(['-', '.'])
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    // A folder that cannot be listed has no files to name.
    let mut names = source.siblings().unwrap_or_else(|_| Vec::new());
    names.retain(|name| name.strip_prefix(own).is_some_and(is_numbered));
    let [first, ..] = names.as_slice() else { return String::new() };
    let folder = source.name().strip_suffix(own).unwrap_or("");
    let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > LISTED { ", …" } else { "" };
    format!(
        ". Beside it lie {listed}{more}, perhaps of its threads: `lotse open {folder}{first}` or `lotse profile top {folder}{first}` \
         reads one"
    )
}
