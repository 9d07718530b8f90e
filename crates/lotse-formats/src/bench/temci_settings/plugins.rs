//! Translates temci's plugins, each of which changes the machine in some way, to actions of `--separate`.

use std::collections::BTreeMap;

use super::RunSettings;
use crate::bench::temci_keys::Notes;
use crate::yaml::YamlNode;

/// The plugins of temci's preset `usable`, as its documentation lists them.
const USABLE: [&str; 8] = [
    "cpu_governor",
    "disable_swap",
    "sync",
    "nice",
    "disable_aslr",
    "disable_ht",
    "cpuset",
    "disable_intel_turbo",
];

/// The plugins that the preset `all` has in addition.
const ALL: [&str; 2] = ["stop_start", "other_nice"];

/// Plugins whose action has no value, with the action.
const PLAIN: [(&str, &str); 11] = [
    ("cpuset", "cpuset"),
    ("disable_aslr", "aslr"),
    ("disable_ht", "smt"),
    ("disable_intel_turbo", "turbo"),
    ("disable_amd_boost", "turbo"),
    ("disable_turbo_boost", "turbo"),
    ("disable_swap", "swap"),
    ("drop_fs_caches", "drop-caches"),
    ("flush_cpu_caches", "cache-flush"),
    ("stop_start", "stop-others"),
    ("sync", "sync"),
];

/// Plugins without an action in Lotse, and what to do instead.
const ELSEWHERE: [(&str, &str); 2] = [
    (
        "env_randomize",
        "random environment variables (`env_randomize`): --layouts NUM draws sizes of the environment",
    ),
    (
        "disable_cpu_caches",
        "switching the processor's caches off (`disable_cpu_caches`): --separate cache-flush empties them before every run",
    ),
];

/// Settings of plugins that Lotse does not support: key, temci's default, meaning.
const UNSUPPORTED: [(&str, &str, &str); 9] = [
    ("other_nice_misc/min_nice", "-10", "`other_nice_misc: min_nice`"),
    (
        "drop_fs_caches_misc/free_dentries_inodes",
        "true",
        "dropping only a part of the caches (`free_dentries_inodes: false`)",
    ),
    (
        "drop_fs_caches_misc/free_pagecache",
        "true",
        "dropping only a part of the caches (`free_pagecache: false`)",
    ),
    ("preheat_misc/when", "before_each_run", "`preheat_misc: when`: preheat is before every run"),
    (
        "stop_start_misc/dry_run",
        "false",
        "only showing what would be stopped (`dry_run`): `lotse doctor` says what stop-others would do",
    ),
    (
        "stop_start_misc/min_id",
        "1500",
        "`stop_start_misc: min_id`: --separate-keep names programs to leave alone",
    ),
    (
        "stop_start_misc/min_nice",
        "-10",
        "`stop_start_misc: min_nice`: --separate-keep names programs to leave alone",
    ),
    ("env_randomize_misc/min", "4", "`env_randomize_misc`: --layouts NUM draws sizes of the environment"),
    ("env_randomize_misc/max", "4", "`env_randomize_misc`: --layouts NUM draws sizes of the environment"),
];

/// Lists of programs to stop or not, with temci's defaults. Lotse has its own rule.
const LISTS: [(&str, &[&str]); 3] = [
    ("stop_start_misc/comm_prefixes", &["ssh", "xorg", "bluetoothd"]),
    ("stop_start_misc/comm_prefixes_ignored", &["dbus", "kworker"]),
    ("stop_start_misc/subtree_suffixes", &["dm", "apache"]),
];

/// The settings of plugins in a file.
#[derive(Default)]
pub(super) struct Plugins {
    pub(super) preset: Option<String>,
    /// Plugins that are switched on or off explicitly.
    chosen: BTreeMap<String, bool>,
    /// Settings of single plugins.
    values: BTreeMap<String, String>,
}

impl Plugins {
    /// Switches a plugin on if `active` is true.
    pub(super) fn set(&mut self, plugin: &str, active: Option<bool>) {
        // `cpuset: {active: false}` is a default and does not override a preset.
        if active == Some(true) {
            self.chosen.insert(plugin.to_owned(), true);
        }
    }

    /// Reads a key below `exec_plugins`; `false` if it is not known.
    pub(super) fn read_key(&mut self, key: &str, node: &YamlNode, notes: &mut Notes<'_>) -> bool {
        if key == "exec_active" {
            self.chosen.extend(notes.texts(node).into_iter().map(|plugin| (plugin, true)));
            return true;
        }
        if let Some(plugin) = key.strip_suffix("_active") {
            if let Some(active) = notes.flag(node) {
                self.chosen.insert(plugin.to_owned(), active);
            }
            return true;
        }
        if let Some((_, default)) = LISTS.iter().find(|(known, _)| *known == key) {
            if notes.texts(node) != *default {
                notes.not_supported(&format!(
                    "`{}`: --separate-keep names programs to leave alone",
                    key.replace('/', ": ")
                ));
            }
            return true;
        }
        if let Some((_, default, meaning)) = UNSUPPORTED.iter().find(|(known, ..)| *known == key) {
            if notes.texts(node).join(",") != *default {
                notes.not_supported(meaning);
            }
            return true;
        }
        let known = [
            "nice_misc/",
            "other_nice_misc/nice",
            "cpu_governor_misc/",
            "preheat_misc/",
            "sleep_misc/",
            "discarded_runs_misc/",
            "env_randomize_misc/",
        ];
        if known.iter().any(|prefix| key.starts_with(prefix)) && node.entries().is_none() {
            self.values.extend(notes.non_empty_text(node).map(|value| (key.to_owned(), value)));
            return true;
        }
        false
    }

    /// Adds the actions of all active plugins to the settings.
    pub(super) fn finish(mut self, run: &mut RunSettings, notes: &mut Notes<'_>) {
        let preset: &[&[&str]] = match self.preset.take().as_deref() {
            None | Some("none") => &[],
            Some("usable") => &[&USABLE],
            Some("all") => &[&USABLE, &ALL],
            Some(other) => {
                notes.remark(format!("There is no preset {other:?}: none, usable and all are known."));
                &[]
            }
        };
        for plugin in preset.concat() {
            self.chosen.entry(plugin.to_owned()).or_insert(true);
        }
        let chosen = std::mem::take(&mut self.chosen);
        for plugin in chosen.iter().filter(|(_, active)| **active).map(|(plugin, _)| plugin) {
            self.add_actions(plugin, run, notes);
        }
        run.separation.dedup();
    }

    /// Adds the actions of one plugin. Defaults of its settings are temci's.
    fn add_actions(&self, plugin: &str, run: &mut RunSettings, notes: &mut Notes<'_>) {
        let value =
            |key: &str, default: &str| self.values.get(key).cloned().unwrap_or_else(|| default.to_owned());
        let actions = &mut run.separation;
        match plugin {
            "nice" => {
                actions.push(format!("nice={}", value("nice_misc/nice", "-15")));
                actions.extend(
                    io_class(&value("nice_misc/io_nice", "1")).map(|class| format!("ionice={class}")),
                );
            }
            "other_nice" => actions.push(format!("nice-others={}", value("other_nice_misc/nice", "19"))),
            "cpu_governor" => {
                actions.push(format!("governor={}", value("cpu_governor_misc/governor", "performance")))
            }
            "preheat" => actions.push(format!("preheat={}", milliseconds(&value("preheat_misc/time", "10")))),
            "sleep" => actions.push(format!("pause={}", milliseconds(&value("sleep_misc/seconds", "10")))),
            "discarded_runs" => {
                let runs = value("discarded_runs_misc/runs", "1");
                match runs.parse::<u32>() {
                    Ok(runs) => run.counts.discarded = run.counts.discarded.max(Some(runs)),
                    Err(_) => {
                        notes.remark(format!("`discarded_runs_misc: runs` is {runs:?}, which is no number."))
                    }
                }
            }
            _ => match PLAIN.iter().find(|(known, _)| *known == plugin) {
                Some((_, action)) => actions.push((*action).to_owned()),
                None => match ELSEWHERE.iter().find(|(known, _)| *known == plugin) {
                    Some((_, meaning)) => notes.not_supported(meaning),
                    None => notes.remark(format!("There is no plugin {plugin:?}: it is left out.")),
                },
            },
        }
    }
}

/// The I/O scheduling class of temci's number; `None` for 0.
fn io_class(number: &str) -> Option<&'static str> {
    match number {
        "1" | "realtime" => Some("realtime"),
        "2" | "best-effort" => Some("best-effort"),
        "3" | "idle" => Some("idle"),
        _ => None,
    }
}

/// Seconds as milliseconds. A text that is not a number stays, so that a later error shows what the user wrote.
fn milliseconds(seconds: &str) -> String {
    seconds.parse::<f64>().map_or_else(|_| seconds.to_owned(), |seconds| format!("{:.0}", seconds * 1000.0))
}
