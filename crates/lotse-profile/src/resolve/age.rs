//! Warns if a file is newer than a profile, because it may not be the recorded version.

use super::files::Files;

/// How much newer a file may be: the resolution of some file systems is 2 seconds.
const TOLERANCE: i64 = 2 * 1_000_000_000;

/// A warning about a file that was changed after the profile was recorded; `None` if it was not, or if that is unknown.
pub(crate) fn newer(files: &dyn Files, path: &str, recorded: Option<i64>, doubtful: &str) -> Option<String> {
    let after = files.modified(path)?.saturating_sub(recorded?);
    let (path, span) = (path.trim_end_matches(" (deleted)"), duration(after));
    (after > TOLERANCE).then(|| {
        format!(
            "warning: {path} was changed {span} after the profile was recorded; {doubtful} may belong to another version"
        )
    })
}

/// Nanoseconds in a readable unit.
fn duration(nanoseconds: i64) -> String {
    const SECOND: i64 = 1_000_000_000;
    const HOUR: i64 = 3600 * SECOND;
    let units = [(24 * HOUR, "days"), (HOUR, "hours"), (60 * SECOND, "minutes")];
    let (unit, name) =
        units.into_iter().find(|(unit, _)| nanoseconds >= 2 * unit).unwrap_or((SECOND, "seconds"));
    format!("{} {name}", nanoseconds / unit)
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Source;

    use super::{Files, newer};

    struct Changed(Option<i64>);

    impl Files for Changed {
        fn open(&self, _: &str) -> Option<Box<dyn Source>> {
            None
        }

        fn modified(&self, _: &str) -> Option<i64> {
            self.0
        }
    }

    #[test]
    fn more_than_two_seconds_are_reported() {
        const SECOND: i64 = 1_000_000_000;
        let recorded = 1_700_000_000 * SECOND;
        let warning =
            |after: i64| newer(&Changed(Some(recorded + after * SECOND)), "a", Some(recorded), "lines");
        assert_eq!(warning(-1000), None);
        assert_eq!(warning(2), None);
        for (after, span) in [
            (3, "3 seconds"),
            (61, "61 seconds"),
            (300, "5 minutes"),
            (7200, "2 hours"),
            (90_000_000, "1041 days"),
        ] {
            let expected = format!(
                "warning: a was changed {span} after the profile was recorded; lines may belong to another version"
            );
            assert_eq!(warning(after), Some(expected));
        }
        assert_eq!(newer(&Changed(None), "a", Some(recorded), "lines"), None);
        assert_eq!(newer(&Changed(Some(recorded)), "a", None, "lines"), None);
    }
}
