//! `lotse bench restore`: undoes the changes to the machine that a killed measurement left; and the watchdog process, which
//! usually does so as soon as the measurement is killed.

use lotse_host::Scratch;
use lotse_host::quiet::{self, QuietError, Restored};
use serde::Serialize;

use crate::args::{RestoreArgs, WatchdogArgs};
use crate::exit::{Exit, Failure};
use crate::screen;

#[derive(Serialize)]
struct RestoreAnswer {
    schema: &'static str,
    measurements: Vec<Restored>,
}

pub(crate) fn run(args: &RestoreArgs) -> Result<Exit, Failure> {
    let measurements = quiet::restore().map_err(failure)?;
    let complete = measurements.iter().all(|restored| restored.failed.is_empty());
    if args.json {
        screen::json(&RestoreAnswer { schema: "lotse.restore/1", measurements })?;
    } else {
        let mut lines: Vec<String> = measurements.iter().flat_map(sentences).collect();
        if lines.is_empty() {
            lines.push("nothing to put back: no measurement left the machine changed".to_owned());
        }
        screen::write(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    }
    Ok(if complete { Exit::Done } else { Exit::Missing })
}

/// Undoes the changes that earlier measurements left, and prints a remark on them. Their temporary directories are removed.
pub(crate) fn before_measuring() {
    Scratch::remove_abandoned();
    match quiet::restore() {
        Ok(all) => all.iter().flat_map(sentences).for_each(|line| screen::remark(&line)),
        Err(error) => {
            screen::remark(&format!("cannot look for earlier measurements: {}", failure(error).message))
        }
    }
}

/// The watchdog: waits until the measurement ends, and then undoes the changes that the measurement left.
pub(crate) fn watch(args: &WatchdogArgs) -> Result<Exit, Failure> {
    let (mut pipe, mut ready) = (std::io::stdin().lock(), std::io::stdout().lock());
    let restored = quiet::watch(&args.journal, &mut pipe, &mut ready).map_err(failure)?;
    restored.iter().flat_map(sentences).for_each(|line| screen::remark(&line));
    Ok(Exit::Done)
}

fn failure(error: QuietError) -> Failure {
    Failure::new(Exit::Missing, &error)
}

/// Which changes of one measurement were undone, and which were not.
fn sentences(restored: &Restored) -> Vec<String> {
    let Restored { owner, values, restarted, kept, failed } = restored;
    let what = match (restarted, values) {
        (true, _) => "left changes, which the restart of the machine has undone".to_owned(),
        (false, 0) => "left nothing that is still changed".to_owned(),
        (false, 1) => "left the machine changed: 1 value was put back".to_owned(),
        (false, count) => format!("left the machine changed: {count} values were put back"),
    };
    let first = format!("the measurement of process {owner} was killed and {what}");
    let last = (!failed.is_empty()).then(|| "run `lotse bench restore` again to retry".to_owned());
    [first].into_iter().chain(kept.iter().chain(failed).cloned()).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use lotse_host::quiet::Restored;

    fn restored(values: usize, restarted: bool) -> Restored {
        Restored { owner: 7, values, restarted, kept: Vec::new(), failed: Vec::new() }
    }

    #[test]
    fn what_was_put_back_is_counted() {
        let first = |restored: &Restored| sentences(restored).remove(0);
        assert!(first(&restored(0, false)).ends_with("left nothing that is still changed"));
        assert!(first(&restored(1, false)).ends_with("1 value was put back"));
        assert!(first(&restored(3, false)).ends_with("3 values were put back"));
        assert!(first(&restored(0, true)).contains("restart"));
    }

    #[test]
    fn what_was_not_put_back_is_listed() {
        let kept = vec!["turbo: now 2".to_owned()];
        let failed = vec!["smt: refused".to_owned()];
        let lines = sentences(&Restored { kept, failed, ..restored(1, false) });
        assert_eq!(lines[1..], ["turbo: now 2", "smt: refused", "run `lotse bench restore` again to retry"]);
    }
}
