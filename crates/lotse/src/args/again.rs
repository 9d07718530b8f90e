//! The user's options, for the commands that findings advise: which options are repeated there, and how they are written.
//!
//! Example: after `lotse bench -p make --out log ./a ./b`, a finding advises `lotse bench --prepare make ./a ./b`: `--prepare`
//! changes what is measured and is kept, `--out` says where the result goes and is dropped.
//!
//! Names and values come from clap's definitions and matches, so that no spelling is repeated here. Every option of a
//! command with findings must be listed in [`COMMANDS`]; a test checks that.

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _};
use lotse_model::Invocation;
use lotse_model::invocation::GivenOption;

use super::Cli;

/// Which options of one command are repeated in a command that checks a finding.
struct CommandOptions {
    /// The words after `lotse` that name the command.
    path: &'static [&'static str],
    /// Options that change what is measured or read.
    kept: &'static [&'static str],
    /// Options for the place, the look or the rows of an answer, and those that the rule of the finding writes itself.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test that every option is classified reads it"))]
    dropped: &'static [&'static str],
}

const RUN_KEPT: &[&str] = &[
    // what is measured
    "commands",
    "suite",
    "no_build",
    "include",
    "exclude",
    "settings",
    "metric",
    "metrics",
    "runner",
    "events",
    "order",
    "seed",
    "layouts",
    "layout_parts",
    "rev",
    "build",
    "builds",
    "method",
    "align",
    "warmup",
    "reference",
    "reference_name",
    "aa",
    "parameter_scan",
    "parameter_step_size",
    "parameter_list",
    // when it ends
    "until",
    "budget",
    "runs",
    "min_runs",
    "max_runs",
    "delta",
    "level",
    // hooks
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    // how programs start
    "shell",
    "system_shell",
    "no_shell",
    "timeout",
    "input",
    "output",
    "show_output",
    "env",
    "cwd",
    "names",
    "tag",
    "separate",
    "separate_keep",
    "separate_only",
    // what a good run is
    "ignore_failure",
    "expect_code",
    "expect_output",
    "expect_contains",
    "expect_lacks",
    // how it looks, without hiding anything
    "sort",
    "time_unit",
];

const RUN_DROPPED: &[&str] = &[
    "out",
    "force",
    "append",
    "watch",
    "json",
    "export_json",
    "export_json1",
    "export_csv",
    "export_markdown",
    "export_asciidoc",
    "export_orgmode",
    "export_temci",
    "export_suite",
    "export_html",
    "export_sarif",
    // A check gives a new result; the user decides whether it is kept.
    "keep",
    "no_keep",
    "label",
    "store",
    "max_regression",
    "export_junit",
    "export_summary",
    "style",
    "quiet",
];

/// [`RUN_DROPPED`], and the options for the package.
const PACK_DROPPED: &[&str] = &joined::<{ RUN_DROPPED.len() + 2 }>(["archive", "add"], RUN_DROPPED);

/// Two words followed by more; `N` is the number of all of them.
const fn joined<const N: usize>(two: [&'static str; 2], more: &[&'static str]) -> [&'static str; N] {
    let mut all = [two[0]; N];
    all[1] = two[1];
    let mut at = 0;
    while at < more.len() {
        all[at + 2] = more[at];
        at += 1;
    }
    all
}

const PROFILE_KEPT: &[&str] =
    &["format", "parts", "cycles", "binary", "allocators", "unit", "no_index", "events", "define"];

const COMMANDS: &[CommandOptions] = &[
    CommandOptions { path: &["bench"], kept: RUN_KEPT, dropped: RUN_DROPPED },
    CommandOptions { path: &["bench", "run"], kept: RUN_KEPT, dropped: RUN_DROPPED },
    CommandOptions { path: &["bench", "pack"], kept: RUN_KEPT, dropped: PACK_DROPPED },
    CommandOptions {
        path: &["profile", "top"],
        kept: PROFILE_KEPT,
        dropped: &[
            "file",
            // With a selection there are no findings.
            "focus",
            "ignore",
            "hide",
            "show",
            // Rules look at all functions.
            "filter",
            "in_object",
            "in_file",
            "in_class",
            "limit",
            "sort",
            "group",
            "no_findings",
            "json",
            "csv",
            "percent",
        ],
    },
    CommandOptions {
        path: &["profile", "diff"],
        kept: &[
            "format",
            "unit",
            "parts",
            "cycles",
            "binary",
            "allocators",
            "no_index",
            "events",
            "define",
            "by",
            "source_dir",
            "rename",
        ],
        dropped: &[
            "old",
            "new",
            "more",
            "filter",
            "in_object",
            "in_file",
            "in_class",
            "sort",
            "inclusive",
            "lines",
            "calls",
            "min_change",
            "limit",
            "no_findings",
            "json",
            "csv",
        ],
    },
    // A check measures the changed program or shows the same history, which states how it was recorded.
    CommandOptions {
        path: &["spy", "run"],
        kept: &["changed", "no_index"],
        dropped: &[
            "out",
            "only",
            "exclude",
            "structure",
            "min_bytes",
            "target_dir",
            "drop",
            "no_second_run",
            "command",
        ],
    },
    CommandOptions {
        path: &["spy", "analyze"],
        kept: &["changed", "no_index"],
        dropped: &["history", "json", "export_sarif", "limit"],
    },
    CommandOptions {
        path: &["trace", "analyze"],
        kept: &["format", "clock"],
        // The number of threads changes no answer. The rule itself writes the phase, since not every verb has one.
        dropped: &[
            "trace",
            "threads",
            "phase",
            "focus",
            "only",
            "exclude",
            "level",
            "metric",
            "min_share",
            "quick",
            "limit",
            "table",
            "json",
            "csv",
        ],
    },
];

/// The options and operands that a check of a finding repeats; empty for commands without findings.
pub(crate) fn invocation(matches: &ArgMatches) -> Invocation {
    let root = Cli::command();
    let (mut command, mut matches, mut path) = (&root, matches, Vec::new());
    let mut parent = None;
    while let Some((name, child_matches)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { break };
        (parent, command, matches) = (Some(command), found, child_matches);
        path.push(name);
    }
    let entry = COMMANDS.iter().find(|entry| entry.path == path.as_slice());
    entry.map_or_else(Invocation::default, |entry| kept_options(entry, (parent, command), matches))
}

/// The options given on the command line that are kept, in the order given, and the operands.
fn kept_options(
    entry: &CommandOptions,
    (parent, command): (Option<&Command>, &Command),
    matches: &ArgMatches,
) -> Invocation {
    let mut found: Vec<(usize, GivenOption)> = Vec::new();
    let mut operands = Vec::new();
    let kept = |arg: &&Arg| entry.kept.contains(&arg.get_id().as_str());
    for arg in command.get_arguments().filter(kept) {
        let id = arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if arg.is_positional() {
            operands.extend(matches.get_raw(id).into_iter().flatten().map(text));
            continue;
        }
        let option = GivenOption {
            name: name(arg),
            values: Vec::new(),
            joined: arg.is_require_equals_set(),
            excludes: conflicting(command, arg),
            verbs: parent.map_or_else(Vec::new, |parent| verbs_with(parent, arg)),
        };
        found.extend(occurrences(arg, matches, &option));
    }
    found.sort_by_key(|(at, _)| *at);
    Invocation { options: found.into_iter().map(|(_, option)| option).collect(), operands }
}

/// Each use of an option, with its position on the command line.
fn occurrences(arg: &Arg, matches: &ArgMatches, option: &GivenOption) -> Vec<(usize, GivenOption)> {
    let id = arg.get_id().as_str();
    let mut indices = matches.indices_of(id).into_iter().flatten();
    if !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        return vec![(indices.next().unwrap_or(0), option.clone())];
    }
    let groups = matches.get_raw_occurrences(id).into_iter().flatten();
    let mut found = Vec::new();
    for group in groups {
        let mut values: Vec<String> = group.map(text).collect();
        let index = values.iter().map_while(|_| indices.next()).min().unwrap_or(0);
        if let Some(delimiter) = arg.get_value_delimiter() {
            values = vec![values.join(&delimiter.to_string())];
        }
        found.push((index, GivenOption { values, ..option.clone() }));
    }
    found
}

fn text(value: &OsStr) -> String {
    value.to_string_lossy().into_owned()
}

fn name(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => String::new(),
    }
}

/// The options that clap refuses together with this one, whichever of the two definitions states the conflict.
fn conflicting(command: &Command, arg: &Arg) -> Vec<String> {
    let names = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|it| it.get_id() == other.get_id())
    };
    let others = command.get_arguments().filter(|other| other.get_id() != arg.get_id());
    others.filter(|other| names(arg, other) || names(other, arg)).map(name).collect()
}

/// The verbs of the same parent command that have this option.
fn verbs_with(parent: &Command, arg: &Arg) -> Vec<String> {
    let same = |verb: &&Command| {
        verb.get_arguments().any(|it| it.get_id() == arg.get_id() && it.get_long() == arg.get_long())
    };
    parent.get_subcommands().filter(same).map(|verb| verb.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{COMMANDS, invocation};
    use crate::args::Cli;

    fn again(words: &[&str]) -> String {
        let line = [&["lotse"], words].concat();
        let matches = Cli::command().try_get_matches_from(line).unwrap();
        invocation(&matches).with(&[], &[])
    }

    #[test]
    fn every_option_is_kept_or_dropped() {
        let root = Cli::command();
        for entry in COMMANDS {
            let find = |command: &clap::Command, name: &&str| command.find_subcommand(name).unwrap().clone();
            let command = entry.path.iter().fold(root.clone(), |command, name| find(&command, name));
            let mut defined: Vec<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
            let mut classified: Vec<&str> = entry.kept.iter().chain(entry.dropped).copied().collect();
            defined.sort_unstable();
            classified.sort_unstable();
            assert_eq!(
                classified,
                defined,
                "say in COMMANDS what a check of a finding does with each option of lotse {}",
                entry.path.join(" ")
            );
        }
    }

    #[test]
    fn options_are_written_as_they_were_meant() {
        let words = [
            "bench",
            "-S",
            "-pmake -s",
            "--budget=3s",
            "--out",
            "log",
            "-L",
            "n",
            "1,2",
            "a | b",
            "it's {n}",
        ];
        let expected = r"-S --prepare 'make -s' --budget 3s --parameter-list n 1,2 'a | b' 'it'\''s {n}'";
        assert_eq!(again(&words), expected);
        assert_eq!(again(&[&["bench", "run"], &words[1..]].concat()), expected);
    }

    #[test]
    fn values_that_look_like_options_are_joined() {
        let words = ["bench", "--expect-code", "-1,0", "--aa", "--expect-output=-x", "--json", "--", "-odd"];
        assert_eq!(again(&words), "--expect-code=-1,0 --aa=arm --expect-output=-x -- -odd");
    }

    #[test]
    fn repeated_options_keep_their_order() {
        let words = ["bench", "-p", "one", "-n", "a", "--prepare", "two", "-n", "b", "x", "y"];
        assert_eq!(again(&words), "--prepare one --command-name a --prepare two --command-name b x y");
    }

    #[test]
    fn what_clap_refuses_together_is_replaced() {
        let matches = |words: &[&str]| Cli::command().try_get_matches_from(words).unwrap();
        let call = invocation(&matches(&["lotse", "bench", "--runs", "3", "--output", "pipe", "x"]));
        assert_eq!(call.with(&["--show-output", "--min-runs 30"], &[]), "--show-output --min-runs 30 x");
    }

    #[test]
    fn other_verbs_get_the_options_they_share() {
        let words = ["lotse", "trace", "analyze", "x.otf2", "--clock", "raw", "--format=otf2", "--quick"];
        let call = invocation(&Cli::command().try_get_matches_from(words).unwrap());
        assert_eq!(call.options_for("what-if", &[]), " --clock raw --format otf2");
        assert_eq!(call.options_for("info", &[]), " --format otf2");
    }
}
