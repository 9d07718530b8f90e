//! The singular of messages about repairs: messages begin with a count and are stored in the plural, so that those of
//! several locations can be summed.

use std::borrow::Cow;

/// The words after the count: in the plural, in the singular.
const FORMS: &[(&str, &str)] = &[
    ("calls without a leave, closed when their", "call without a leave, closed when its"),
    ("calls ", "call "),
    (
        "communicators have too many members together: theirs were",
        "communicator has too many members: its members were",
    ),
    ("definitions end before their last field: they were", "definition ends before its last field: it was"),
    ("definitions end before their", "definition ends before its"),
    ("events before the event that precedes them", "event before the event that precedes it"),
    ("groups number their", "group numbers its"),
    ("leaves of regions that were", "leave of a region that was"),
    ("locations have", "location has"),
    ("members of groups are", "member of a group is"),
    ("messages longer than any memory: their lengths are", "message longer than any memory: its length is"),
    ("messages ", "message "),
    ("names were used before they were defined: they were", "name was used before it was defined: it was"),
    ("names were used before they were", "name was used before it was"),
    ("processes are", "process is"),
    ("records end before their", "record ends before its"),
    ("records ", "record "),
    ("references point", "reference points"),
    ("references ", "reference "),
    ("communicators are", "communicator is"),
    ("groups are", "group is"),
    ("locations are", "location is"),
    ("machines are", "machine is"),
    ("regions are", "region is"),
    ("strings are", "string is"),
    ("windows are", "window is"),
];

/// A count with its words, in the singular for 1.
pub(super) fn counted_words(count: u64, what: &str) -> String {
    if count != 1 {
        return format!("{count} {what}");
    }
    let form = FORMS.iter().find_map(|(many, one)| Some(format!("{one}{}", what.strip_prefix(many)?)));
    let what = form.map_or(Cow::Borrowed(what), Cow::Owned);
    format!("1 {}", what.replace(", 1 of them otherwise", ", and otherwise"))
}

/// The message of a single repair, in the singular if its count is 1.
pub(super) fn message(message: &str) -> Cow<'_, str> {
    message.strip_prefix("1 ").map_or(Cow::Borrowed(message), |what| Cow::Owned(counted_words(1, what)))
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn one_of_something_is_singular() {
        for (many, one) in [
            (
                "1 groups are defined again, 1 of them otherwise: the first was kept",
                "1 group is defined again, and otherwise: the first was kept",
            ),
            ("1 references to what was never defined", "1 reference to what was never defined"),
            ("1 references point to what is not defined", "1 reference points to what is not defined"),
            ("1 calls still open at the end", "1 call still open at the end"),
            (
                "1 calls without a leave, closed when their caller was left",
                "1 call without a leave, closed when its caller was left",
            ),
            ("1 processes are defined again", "1 process is defined again"),
            ("11 groups are defined again", "11 groups are defined again"),
            ("no clock", "no clock"),
        ] {
            assert_eq!(message(many), one);
        }
    }
}
