//! Short texts of a comparison.

use lotse_report::number::format_percent;
use lotse_report::shorten::{NameKind, shortened};

use crate::diff::{DiffAnswer, Status};
use crate::events::Cost;

/// The reason why the table has no rows.
pub(super) fn unchanged(answer: &DiffAnswer) -> &'static str {
    let counts = &answer.counts;
    match &answer.hidden {
        _ if answer.lines.is_some() || answer.calls.is_some() => "nothing changed",
        hidden if hidden.noise > 0 => "no function changed by more than noise and --min-change",
        hidden if hidden.changed > 0 => "no function changed by more than --min-change",
        _ if counts.matched + counts.gone + counts.new == 0 => "no function is what was filtered for",
        _ => "nothing changed",
    }
}

/// A difference as a share of a total.
pub(super) fn signed_share(difference: Cost, total: Cost) -> String {
    let share = difference.as_f64() / total.as_f64();
    if !share.is_finite() {
        return String::new();
    }
    let text = format_percent(share, 1);
    if share > 0.0 { format!("+{text}") } else { text }
}

/// A name, shortened for a sentence.
pub(super) fn short(name: &str) -> String {
    const LETTERS: usize = 48;
    shortened(NameKind::Function, name, LETTERS)
}

/// The title of one of the compared profiles.
pub(super) fn side_name(at: usize, others: usize) -> String {
    match at {
        0 => "old".to_owned(),
        _ if others == 1 => "new".to_owned(),
        _ => format!("[{}]", at + 1),
    }
}

/// A status as a word.
pub(super) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Matched => "matched",
        Status::Gone => "gone",
        Status::New => "new",
    }
}
