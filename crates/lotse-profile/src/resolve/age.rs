//! Whether a file is newer than a profile, so that it may be another version than the recorded one.

use super::files::Files;

/// How much newer a file may be: clocks of file servers differ, and a program is built, run and recorded in one go.
const TOLERANCE: i64 = 60 * 1_000_000_000;

/// A warning about a file that was changed after the profile was recorded; `None` where all is well or not known.
pub(crate) fn newer(files: &dyn Files, path: &str, recorded: Option<i64>, doubtful: &str) -> Option<String> {
    let after = files.modified(path)?.saturating_sub(recorded?);
    let (path, span) = (path.trim_end_matches(" (deleted)"), duration(after));
    (after > TOLERANCE).then(|| {
        format!(
            "warning: {path} was changed {span} after the profile was recorded; {doubtful} may belong to another version"
        )
    })
}

/// Nanoseconds as a person says them.
fn duration(nanoseconds: i64) -> String {
    const MINUTE: i64 = 60 * 1_000_000_000;
    let units = [(24 * 60 * MINUTE, "days"), (60 * MINUTE, "hours"), (MINUTE, "minutes")];
    let (unit, name) =
        units.into_iter().find(|(unit, _)| nanoseconds >= 2 * unit).unwrap_or((MINUTE, "minute"));
    match nanoseconds / unit {
        1 => "a minute".to_owned(),
        count => format!("{count} {name}"),
    }
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
    fn more_than_a_minute_is_reported() {
        const SECOND: i64 = 1_000_000_000;
        let recorded = 1_700_000_000 * SECOND;
        let warning =
            |after: i64| newer(&Changed(Some(recorded + after * SECOND)), "a", Some(recorded), "lines");
        assert_eq!(warning(-1000), None);
        assert_eq!(warning(60), None);
        for (after, span) in
            [(61, "a minute"), (300, "5 minutes"), (7200, "2 hours"), (90_000_000, "1041 days")]
        {
            let expected = format!(
                "warning: a was changed {span} after the profile was recorded; lines may belong to another version"
            );
            assert_eq!(warning(after), Some(expected));
        }
        assert_eq!(newer(&Changed(None), "a", Some(recorded), "lines"), None);
        assert_eq!(newer(&Changed(Some(recorded)), "a", None, "lines"), None);
    }
}
