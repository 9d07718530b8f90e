//! From `--separate` to the options of a separation.

use lotse_host::quiet::{self, SeparationOptions};
use lotse_model::results::{Design, SeparationRecord};

use crate::args::SeparationArgs;
use crate::exit::{Exit, Failure};

/// Actions that choose CPUs, which a duet does itself.
const CHOOSE_CPUS: [&str; 2] = ["affinity", "cpuset"];

/// What was asked for; nothing where nothing was.
pub(crate) fn options(args: &SeparationArgs, design: Design) -> Result<Option<SeparationOptions>, Failure> {
    let mut actions = quiet::choose(&args.separate).map_err(|error| Failure::new(Exit::Usage, &error))?;
    if design == Design::Duet {
        let chooses = |name: &str| CHOOSE_CPUS.contains(&name);
        if let Some(action) = actions.iter().find(|action| action.named && chooses(action.name)) {
            let message = format!("a duet chooses its CPUs itself: leave out --separate {}", action.name);
            return Err(Failure::usage(message));
        }
        actions.retain(|action| !chooses(action.name));
    }
    if actions.is_empty() {
        return Ok(None);
    }
    // The name under which this very program can be started again, whatever happens to its file.
    let watchdog = ["/proc/self/exe", "bench", "watchdog"].map(Into::into).to_vec();
    let SeparationArgs { separate_keep, separate_only, .. } = args;
    Ok(Some(SeparationOptions {
        actions,
        keep: separate_keep.clone(),
        only: separate_only.clone(),
        watchdog,
    }))
}

/// The actions that were named and not done, a line each, for those who do not see the report.
pub(crate) fn not_done(
    options: Option<&SeparationOptions>,
    record: Option<&SeparationRecord>,
) -> Vec<String> {
    let (Some(options), Some(record)) = (options, record) else { return Vec::new() };
    let is_named = |name: &str| options.actions.iter().any(|action| action.named && action.name == name);
    let refused = record.refused.iter().filter(|refused| is_named(&refused.action));
    refused.map(|refused| format!("--separate {}: not done: {}", refused.action, refused.reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::not_done;
    use lotse_host::quiet::{SeparationOptions, choose};
    use lotse_model::results::{RefusedAction, SeparationRecord};

    #[test]
    fn only_what_was_named_is_missed() {
        let actions = choose(&["all", "turbo"]).unwrap();
        let options = SeparationOptions { actions, ..SeparationOptions::default() };
        let refused = ["turbo", "swap"]
            .map(|action| RefusedAction { action: action.to_owned(), reason: "there is none".to_owned() });
        let record = SeparationRecord { applied: Vec::new(), refused: refused.into() };
        let lines = not_done(Some(&options), Some(&record));
        assert_eq!(lines, ["--separate turbo: not done: there is none"]);
        assert!(not_done(None, None).is_empty());
    }
}
