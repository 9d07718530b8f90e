//! The options of separation, which keeps other work of the machine away from the programs, from `--separate` and from the suite.

use lotse_host::quiet::{self, SeparationOptions};
use lotse_model::results::{Design, SeparationRecord};

use crate::args::SeparationArgs;
use crate::exit::{Exit, Failure};

/// Actions that choose CPUs, which a duet does itself.
const CHOOSE_CPUS: [&str; 2] = ["affinity", "cpuset"];

/// The value of `--separate` that stands for the actions the suite asks for.
const OF_SUITE: &str = "suite";

/// A remark if the suite asks for actions and the user did not agree to them: they are not done.
pub(crate) fn hint(args: &SeparationArgs, of_suite: &[String]) -> Option<String> {
    let agreed = args.separate.iter().any(|word| word.trim() == OF_SUITE);
    (!agreed && !of_suite.is_empty()).then(|| {
        format!(
            "the suite asks to keep the rest of the machine away ({}); nothing of that is done: add --separate {OF_SUITE} if \
             you want it",
            of_suite.join(", ")
        )
    })
}

/// The actions asked for; `None` if there are none.
pub(crate) fn options(
    args: &SeparationArgs,
    of_suite: &[String],
    design: Design,
) -> Result<Option<SeparationOptions>, Failure> {
    if of_suite.is_empty() && args.separate.iter().any(|word| word.trim() == OF_SUITE) {
        return Err(Failure::usage("--separate suite: the suite asks for nothing to be done to the machine"));
    }
    let mut words: Vec<&str> = Vec::new();
    for word in &args.separate {
        match word.trim() {
            OF_SUITE => words.extend(of_suite.iter().map(String::as_str)),
            word => words.push(word),
        }
    }
    let mut actions = quiet::choose(&words).map_err(|error| Failure::new(Exit::Usage, &error))?;
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
    // This path starts the running program again, even if its file is replaced meanwhile.
    let watchdog = ["/proc/self/exe", "bench", "watchdog"].map(Into::into).to_vec();
    let SeparationArgs { separate_keep, separate_only, .. } = args;
    Ok(Some(SeparationOptions {
        actions,
        keep: separate_keep.clone(),
        only: separate_only.clone(),
        watchdog,
    }))
}

/// Lines about actions that were named and could not be done, for output that does not include the report.
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
    use super::{hint, not_done, options};
    use crate::args::SeparationArgs;
    use lotse_host::quiet::{SeparationOptions, choose};
    use lotse_model::results::Design;
    use lotse_model::results::{RefusedAction, SeparationRecord};

    fn separate(words: &[&str]) -> SeparationArgs {
        let separate = words.iter().map(|&word| word.to_owned()).collect();
        SeparationArgs { separate, separate_keep: Vec::new(), separate_only: None }
    }

    #[test]
    fn a_suite_changes_nothing_unless_the_user_agrees() {
        let wishes = ["nice=-5".to_owned(), "sync".to_owned()];
        assert!(options(&separate(&[]), &wishes, Design::Blocks).unwrap().is_none());
        let hint_text = hint(&separate(&["usable"]), &wishes).unwrap();
        assert!(hint_text.contains("nice=-5, sync") && hint_text.contains("--separate suite"), "{hint_text}");
        let agreed = options(&separate(&["suite", "aslr"]), &wishes, Design::Blocks).unwrap().unwrap();
        let names: Vec<&str> = agreed.actions.iter().map(|action| action.name).collect();
        assert_eq!(names, ["aslr", "nice", "sync"]);
        assert_eq!(hint(&separate(&["suite"]), &wishes), None);
        assert!(options(&separate(&["suite"]), &[], Design::Blocks).is_err(), "there is nothing to agree to");
    }

    #[test]
    fn only_actions_that_were_named_are_reported_as_not_done() {
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
