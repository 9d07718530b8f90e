//! A sentence about work between tests that may be waiting.

use lotse_report::number::format_seconds;
use lotse_report::shorten::{NameKind, shortened};

use super::short_names::short_path;
use crate::polling_work::PollingWorkAnswer;

/// The greatest length of call paths in sentences.
const LETTERS: usize = 48;

pub(super) fn polling(work: &PollingWorkAnswer) -> String {
    let path = |path: &str| shortened(NameKind::Path, &short_path(path), LETTERS);
    format!(
        "Up to {} may be waiting that counts as computation: in {} loops, {} asks until it succeeds, with {} in between.",
        format_seconds(work.seconds),
        work.loops,
        path(&work.callpath),
        path(&work.work)
    )
}
