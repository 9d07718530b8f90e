//! All actions, and their selection by the user. A new action is one file and one line in [`ACTIONS`].

mod affinity;
mod aslr;
mod cache_flush;
mod cpuset;
mod drop_caches;
mod fifo;
mod governor;
mod ionice;
mod nice;
mod nice_others;
mod pause;
mod preheat;
mod smt;
mod stop_others;
mod swap;
mod sync;
mod thp;
mod turbo;

use super::action::{Action, Context, Preset};
use super::error::ChoiceError;
use super::others::OthersRule;
use super::process::ProcessId;
use crate::separation_choice::{ActionProbe, Chosen};
use crate::tree::SystemTree;

/// All actions in the order in which they are applied: hardware first, so that later actions see the remaining CPUs; stopping
/// other processes last, since no action must wait for a stopped process; then the actions before every run.
pub(super) const ACTIONS: &[&dyn Action] = &[
    smt::ACTION,
    turbo::ACTION,
    governor::ACTION,
    swap::ACTION,
    thp::ACTION,
    aslr::ACTION,
    nice::ACTION,
    ionice::ACTION,
    fifo::ACTION,
    affinity::ACTION,
    cpuset::ACTION,
    nice_others::ACTION,
    stop_others::ACTION,
    sync::ACTION,
    drop_caches::ACTION,
    pause::ACTION,
    preheat::ACTION,
    cache_flush::ACTION,
];

/// The action with a name.
pub(super) fn named(name: &str) -> Option<&'static dyn Action> {
    ACTIONS.iter().copied().find(|action| action.name() == name)
}

/// The actions of a list such as `usable,cpuset=1`, each once, in the order in which they are applied.
pub fn choose<S: AsRef<str>>(list: &[S]) -> Result<Vec<Chosen>, ChoiceError> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for word in list {
        let word = word.as_ref().trim();
        match word {
            "none" | "" => {}
            "usable" | "all" => chosen.extend(preset(word == "all")),
            _ => chosen.push(single(word)?),
        }
    }
    let place = |name: &str| ACTIONS.iter().position(|action| action.name() == name);
    // An action that was named sorts before the same action of a preset, so removing duplicates keeps the named one.
    chosen.sort_by_key(|it| (place(it.name), !it.named));
    chosen.dedup_by_key(|it| it.name);
    Ok(chosen)
}

fn preset(all: bool) -> impl Iterator<Item = Chosen> {
    let included = move |action: &&&dyn Action| match action.preset() {
        Preset::Usable => true,
        Preset::All => all,
        Preset::ByName => false,
    };
    ACTIONS.iter().filter(included).map(|action| Chosen { name: action.name(), argument: None, named: false })
}

fn single(word: &str) -> Result<Chosen, ChoiceError> {
    let (name, argument) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let Some(action) = named(name) else {
        let names = ["none", "usable", "all"].into_iter().chain(ACTIONS.iter().map(|action| action.name()));
        let known = names.collect::<Vec<_>>().join(", ");
        return Err(ChoiceError::Unknown { name: name.to_owned(), known });
    };
    if let Some(value) = argument.filter(|value| !action.accepts(value)) {
        let expected = action.argument().unwrap_or("it takes no value");
        return Err(ChoiceError::Value { action: action.name(), value: value.to_owned(), expected });
    }
    Ok(Chosen { name: action.name(), argument: argument.map(str::to_owned), named: true })
}

/// What all actions would do on this machine. Changes nothing.
pub fn probes() -> Vec<ActionProbe> {
    let tree = SystemTree::real();
    // There is no launcher yet; Lotse itself has the same permissions.
    let own = ProcessId::own(&tree).unwrap_or(ProcessId { pid: 0, start: 0 });
    let rule = OthersRule::default();
    let context =
        Context { kernel: &tree, launcher: own, argument: None, rule: &rule, session: "lotse-probe" };
    ACTIONS.iter().map(|action| probe(*action, &context)).collect()
}

fn probe(action: &'static dyn Action, context: &Context<'_>) -> ActionProbe {
    let probed = action.probe(context);
    ActionProbe {
        name: action.name(),
        explanation: action.explanation(),
        argument: action.argument(),
        presets: match action.preset() {
            Preset::Usable => &["usable", "all"],
            Preset::All => &["all"],
            Preset::ByName => &[],
        },
        works: probed.is_ok(),
        detail: probed.unwrap_or_else(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ACTIONS, Chosen, choose, probes};
    use crate::quiet::error::ChoiceError;
    use std::collections::BTreeSet;

    fn names(list: &[&str]) -> Vec<&'static str> {
        choose(list).unwrap().iter().map(|chosen| chosen.name).collect()
    }

    #[test]
    fn names_are_unique_and_everything_is_explained() {
        let unique: BTreeSet<_> = ACTIONS.iter().map(|action| action.name()).collect();
        assert_eq!(unique.len(), ACTIONS.len());
        assert!(ACTIONS.iter().all(|action| action.explanation().len() > 20));
        assert!(ACTIONS.iter().all(|action| action.argument().is_some() || !action.accepts("1")));
    }

    #[test]
    fn presets_grow_and_lists_add_to_them() {
        assert_eq!(names(&["none"]), [""; 0]);
        assert_eq!(names(&["usable"]), ["nice", "ionice", "sync"]);
        let all = names(&["all"]);
        assert!(names(&["usable"]).iter().all(|name| all.contains(name)));
        assert!(all.contains(&"stop-others") && !all.contains(&"aslr") && !all.contains(&"drop-caches"));
        assert_eq!(names(&["usable", "aslr", "nice"]), ["aslr", "nice", "ionice", "sync"]);
    }

    #[test]
    fn values_are_kept_and_wrong_ones_named() {
        let chosen = choose(&["usable", "nice=-5"]).unwrap();
        assert!(chosen.contains(&Chosen { name: "nice", argument: Some("-5".into()), named: true }));
        assert!(matches!(choose(&["quieter"]), Err(ChoiceError::Unknown { name, .. }) if name == "quieter"));
        for wrong in ["nice=99", "nice=x", "aslr=1", "cpuset=", "affinity=b", "pause=-1", "thp=sometimes"] {
            assert!(matches!(choose(&[wrong]), Err(ChoiceError::Value { .. })), "{wrong}");
        }
    }

    #[test]
    fn this_machine_answers_for_every_action() {
        let probes = probes();
        assert_eq!(probes.len(), ACTIONS.len());
        assert!(probes.iter().all(|probe| !probe.detail.is_empty()), "{probes:?}");
    }
}
