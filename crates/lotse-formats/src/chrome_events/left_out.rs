//! Events that are neither spans nor samples: counted by kind, so that none vanishes in silence.

use crate::error::Place;
use crate::reading::Diagnostic;

/// The kinds: one, several, and the letters of their types. What has another letter is of the last kind.
const KINDS: [(&str, &str, &[u8]); 6] = [
    ("asynchronous event", "asynchronous events", b"bneSTpF"),
    ("counter value", "counter values", b"C"),
    ("instant", "instants", b"iIR"),
    ("flow event", "flow events", b"stf"),
    ("event of an object", "events of objects", b"NOD"),
    ("other event", "other events", b""),
];

/// How many events of each kind are left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    counts: [u64; KINDS.len()],
}

impl LeftOut {
    /// Counts an event by the letter of its type.
    pub(crate) fn count(&mut self, phase: u8) {
        let kind = KINDS.iter().position(|(_, _, letters)| letters.contains(&phase));
        self.counts[kind.unwrap_or(KINDS.len() - 1)] += 1;
    }

    /// A note with what was left out; none if nothing was.
    pub(crate) fn note(&self) -> Option<Diagnostic> {
        let counted = self.counts.iter().zip(KINDS).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = counted
            .map(|(count, (one, several, _))| format!("{count} {}", if *count == 1 { one } else { several }))
            .collect();
        let message = || format!("not shown because they are not calls of a thread: {}", parts.join(" and "));
        (!parts.is_empty()).then(|| Diagnostic::note(Place::Whole, message()))
    }
}

#[cfg(test)]
mod tests {
    use super::LeftOut;

    #[test]
    fn events_are_counted_by_kind() {
        let mut left_out = LeftOut::default();
        assert!(left_out.note().is_none());
        b"bneCCi?".iter().for_each(|phase| left_out.count(*phase));
        assert_eq!(
            left_out.note().map(|note| note.message),
            Some(
                "not shown because they are not calls of a thread: 3 asynchronous events and 2 counter values and 1 instant and \
                 1 other event"
                    .to_owned()
            )
        );
    }
}
