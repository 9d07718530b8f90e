//! Keys of temci's settings that Lotse does not support, with temci's defaults and what to do instead.

use crate::bench::temci_keys::Notes;
use crate::yaml::{YamlNode, YamlValue};

/// A key that Lotse knows but does not support.
pub(super) struct UnsupportedKey {
    path: &'static str,
    /// temci's default as text; empty for null.
    default: &'static str,
    /// What the key means; empty if no value of it would change a measurement of Lotse.
    meaning: &'static str,
}

const fn key(path: &'static str, default: &'static str, meaning: &'static str) -> UnsupportedKey {
    UnsupportedKey { path, default, meaning }
}

const KEYS: &[UnsupportedKey] = &[
    key("config", "", "another settings file (`config`): name it with --settings"),
    key("settings", "", "another settings file (`settings`): name it with --settings"),
    key("log_level", "info", "`log_level`: use --quiet, or --style"),
    key("sudo", "false", "asking for the rights of root (`sudo`): start Lotse with them"),
    key("tmp_dir", "/tmp/temci", "`tmp_dir`: builds go where --out says"),
    // What temci stores about the user who started it.
    key("env", "", ""),
    key("package", "", "packages (`package`)"),
    key(
        "build/threads",
        "1",
        "building with several threads (`threads`): a program is built once and linked several times",
    ),
    key(
        "build/rand",
        "",
        "what differs between builds (`build: rand`): write `randomization` into each build_config",
    ),
    key("run/driver", "exec", "the run driver `shell` (`driver`): Lotse measures commands"),
    key(
        "run/run_block_size",
        "1",
        "several runs of a program in a row (`run_block_size`): every block runs every program once, so that they can be compared pair by pair",
    ),
    key(
        "run/shuffle",
        "true",
        "a fixed order of programs (`shuffle: false`): the order in blocks is drawn; --order sequential measures one program after the other",
    ),
    key(
        "run/store_often",
        "false",
        "results after each block in temci's form (`store_often`): --out FILE keeps every block as soon as it is measured",
    ),
    key("run/send_mail", "", "a mail at the end (`send_mail`): call your mail program after Lotse"),
    key("run/remote", "", "measuring on another machine (`remote`): start Lotse there"),
    key("run/remote_port", "", "measuring on another machine (`remote_port`): start Lotse there"),
    key("run/show_report", "true", "no report (`show_report: false`): use --style none"),
    key(
        "run/record_errors_in_file",
        "true",
        "results without errors (`record_errors_in_file: false`): failed runs are kept apart from good ones",
    ),
    key(
        "run/discard_all_data_for_block_on_error",
        "false",
        "dropping all runs of a program that failed once (`discard_all_data_for_block_on_error`): failed runs are kept apart from good ones",
    ),
    key(
        "run/abort_after_build_error",
        "true",
        "measuring after a failed build (`abort_after_build_error: false`)",
    ),
    key("run/only_build", "false", "only building (`only_build`): use `lotse bench build -f`"),
    key(
        "run/cpuset/base_core_number",
        "1",
        "CPUs for the rest of the system (`base_core_number`): --separate cpuset=CPUS names those of the programs",
    ),
    key(
        "run/cpuset/sub_core_number",
        "1",
        "CPUs for each program (`sub_core_number`): --separate cpuset=CPUS names them",
    ),
    key(
        "run/cpuset/parallel",
        "0",
        "measuring several programs at once (`parallel`): --order duet measures two",
    ),
    key(
        "run/cpuset/temci_in_base_set",
        "true",
        "`temci_in_base_set: false`: Lotse stays outside the programs' CPUs",
    ),
    key("run/exec_misc/argument", "", "an argument for all commands (`argument`): use -L"),
    key(
        "run/exec_misc/parse_output",
        "false",
        "numbers in the output beside another runner (`parse_output`): use the runner `output`",
    ),
    key(
        "run/exec_misc/plugin_order",
        "drop_fs_caches,sync,sleep,preheat,flush_cpu_caches",
        "`plugin_order`: actions have an order of their own",
    ),
    key(
        "run/exec_misc/random_cmd",
        "true",
        "always taking the first of several commands (`random_cmd: false`)",
    ),
    key("run/shell_misc", "", ""),
    key(
        "report/exclude_invalid",
        "true",
        "programs without values (`exclude_invalid: false`): they are named",
    ),
    key("report/long_properties", "false", "long names of properties (`long_properties`)"),
    key("report/xkcd_like_plots", "false", "`xkcd_like_plots`"),
    key("report/console_misc/baseline", "", "`baseline`: use --reference"),
    key("report/console_misc/baseline_position", "each", "`baseline_position`: use --reference"),
    key(
        "report/console_misc/mode",
        "auto",
        "clusters of programs (`mode`): programs of one name are told apart",
    ),
    key("report/console_misc/report_errors", "true", "hiding errors (`report_errors: false`)"),
    key("report/console_misc/with_tester_results", "true", "hiding tests (`with_tester_results: false`)"),
    // The look of plots and the wording of warnings, which reports of Lotse do not have.
    key("report/html2_misc", "", ""),
    key("report/codespeed2_misc", "", ""),
    key("report/velcom_misc", "", ""),
    key("report/number/sigmas", "2", "`sigmas`: doubtful digits are those of two deviations"),
    key("report/number/min_decimal_places", "3", "`min_decimal_places`"),
    key("report/number/max_decimal_places", "5", "`max_decimal_places`"),
    key(
        "report/number/parentheses_mode",
        "o",
        "`parentheses_mode`: write it into the column, as in wall[mean|p]",
    ),
    key("report/number/parentheses", "true", "`parentheses: false`: write columns without p and o"),
    key("report/number/percentages", "false", "`percentages`: write it into the column, as in wall[mean|%]"),
    key(
        "report/number/scientific_notation",
        "true",
        "`scientific_notation`: write it into the column, as in wall[mean|s]",
    ),
    key("report/number/scientific_notation_si_prefixes", "true", "`scientific_notation_si_prefixes`"),
    key("report/number/omit_insignificant_decimal_places", "false", "`omit_insignificant_decimal_places`"),
    key("report/number/force_min_decimal_places", "true", "`force_min_decimal_places`"),
    key(
        "stats/tester",
        "t",
        "the test (`tester`): reports have t, Mann-Whitney, Kolmogorov-Smirnov and Anderson-Darling side by side",
    ),
    key(
        "stats/uncertainty_range",
        "0.05,0.15",
        "`uncertainty_range`: a verdict has an interval, its confidence is --level",
    ),
    key("stats/anderson_misc", "", ""),
    key("stats/ks_misc", "", ""),
    key("stats/t_misc", "", ""),
];

/// The unsupported key with a path.
pub(super) fn unsupported(path: &str) -> Option<&'static UnsupportedKey> {
    KEYS.iter().find(|key| key.path == path)
}

impl UnsupportedKey {
    /// Reports the key unless its value is temci's default.
    pub(super) fn report_unless_default(&self, node: &YamlNode, notes: &mut Notes<'_>) {
        if !self.meaning.is_empty() && plain(node) != self.default {
            notes.not_supported(self.meaning);
        }
    }
}

/// A value as text, the elements of a list separated by commas; empty for null.
fn plain(node: &YamlNode) -> String {
    match &node.value {
        YamlValue::List(elements) => elements.iter().map(plain).collect::<Vec<_>>().join(","),
        YamlValue::Map(entries) if !entries.is_empty() => "a mapping".to_owned(),
        _ => node.text().as_deref().unwrap_or("").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::KEYS;

    #[test]
    fn every_key_is_there_once() {
        let mut paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), KEYS.len());
    }
}
