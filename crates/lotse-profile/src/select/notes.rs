//! Notes about what a selection leaves, and about expressions that match nothing.

use lotse_model::Profile;
use lotse_report::number::format_share;

use super::Selection;
use crate::analysis::Analysis;
use crate::events::{Column, default_event};

/// The middle of a note about an expression that no function matches.
pub(super) const NO_MATCH: &str = ": no function on a stack matches";

/// The end of the note about a selection.
const OF_WHOLE: &str = "shares are of the whole profile";

/// The beginning and the end of the note about what a filter leaves of an event type.
const LEAVES: &str = "the filter leaves ";
const ALL_OF_WHOLE: &str = "all shares are of the whole";

impl Analysis<'_> {
    /// Whether only some samples or frames of the profile count.
    pub fn is_selection(&self) -> bool {
        self.selection
    }

    /// The share of the whole profile that a selection leaves of an event type; `None` without a selection, or if the costs
    /// of the event type do not add up.
    pub fn share_left(&self, column: &Column) -> Option<f64> {
        let share = column.total(&self.own.totals()).as_f64() / column.total(&self.totals).as_f64();
        (self.selection && column.adds_up()).then_some(share).filter(|share| share.is_finite())
    }

    /// The notes, with what a selection leaves of this event type instead of the default one. Expressions that match nothing
    /// come first.
    pub fn notes_for(&self, column: &Column) -> Vec<String> {
        let Some(left) = self.share_left(column) else { return self.notes.clone() };
        let (unmatched, rest): (Vec<String>, Vec<String>) = self
            .notes
            .iter()
            .filter(|note| !note.ends_with(OF_WHOLE))
            .cloned()
            .partition(|it| is_no_match(it));
        let share = format_share(left, 1);
        let left = format!("{LEAVES}{share} of the whole ({}); {ALL_OF_WHOLE}", column.name);
        unmatched.into_iter().chain([left]).chain(rest).collect()
    }
}

fn is_no_match(note: &str) -> bool {
    note.contains(NO_MATCH)
}

/// Whether a note says what a selection leaves of a profile or of two, or that an expression matches nothing.
pub fn is_filter_note(note: &str) -> bool {
    is_no_match(note) || note.ends_with(OF_WHOLE) || note.starts_with(LEAVES)
}

/// The note that no function matches focus, if there is one.
pub fn focus_without_match(notes: &[String]) -> Option<&str> {
    notes.iter().map(String::as_str).find(|note| is_no_match(note) && note.starts_with("focus "))
}

/// A note about a focus that only one of two profiles has functions for.
fn one_sided_focus(sides: [&Analysis<'_>; 2]) -> Option<String> {
    let [old, new] = sides.map(|side| focus_without_match(&side.notes));
    let (missing, which, other) = match (old, new) {
        (Some(note), None) => (note, "new", "old"),
        (None, Some(note)) => (note, "old", "new"),
        _ => return None,
    };
    let focus = missing.split_once(NO_MATCH).map_or(missing, |(focus, _)| focus);
    Some(format!(
        "{focus} matches functions that are only in the {which} profile; of the {other} one nothing is left"
    ))
}

/// What a selection leaves of the old and of the new profile; first the expressions that match nothing in one or both.
/// Nothing without a selection.
pub fn compared_notes(sides: [&Analysis<'_>; 2], columns: [&Column; 2]) -> Vec<String> {
    let one_sided = one_sided_focus(sides);
    // One sentence about both says what only one side lacks.
    let counts = |note: &&String| is_no_match(note) && (one_sided.is_none() || !note.starts_with("focus "));
    let [old, new] = sides.map(|side| side.notes.iter().filter(counts).collect::<Vec<_>>());
    let end = |note: &String| note.split_once(NO_MATCH).map(|(option, _)| option.to_owned());
    let is_in = |notes: &[&String], note: &String| notes.iter().any(|other| end(other) == end(note));
    let gone = old.iter().map(|note| match is_in(&new, note) {
        true => format!("old and new: {note}"),
        false => format!("old: {note}"),
    });
    let only_new = new.iter().filter(|note| !is_in(&old, note)).map(|note| format!("new: {note}"));
    let left = sides.iter().zip(columns).map(|(side, column)| side.share_left(column));
    let left: Vec<String> =
        left.map(|left| left.map_or_else(|| "?".to_owned(), |left| format_share(left, 1))).collect();
    let is_selection = sides.iter().any(|side| side.is_selection());
    let left = (is_selection && columns[1].adds_up()).then(|| {
        let (old, new, event) = (&left[0], &left[1], &columns[1].name);
        format!("{LEAVES}old {old}, new {new} of the whole ({event}); {ALL_OF_WHOLE}")
    });
    one_sided.iter().cloned().chain(gone).chain(only_new).chain(left).collect()
}

/// A note about what is left: `focus=main ignore=malloc keeps 34.2 % of Ir; …`.
pub(super) fn selection_note(profile: &Profile, analysis: &Analysis<'_>, selection: &Selection) -> String {
    let named = [
        ("focus", &selection.focus),
        ("ignore", &selection.ignore),
        ("hide", &selection.hide),
        ("show", &selection.show),
    ];
    let active: Vec<String> =
        named.iter().filter_map(|(name, it)| Some(format!("{name}={}", it.as_ref()?.text))).collect();
    let event = selection.chosen_event(profile).or(default_event(analysis.profile)).unwrap_or(0);
    let left: i128 = profile.parts.iter().map(|part| part.samples.costs.total(event)).sum();
    let kept = match (profile.events.get(event), analysis.totals.get(event)) {
        (Some(event), Some(&total)) => {
            let share = format_share(crate::analysis::share(left, total), 1);
            format!("{share} of {}; {OF_WHOLE}", event.name)
        }
        _ => "nothing: the profile has no costs".to_owned(),
    };
    format!("{} keeps {kept}", active.join(" "))
}
