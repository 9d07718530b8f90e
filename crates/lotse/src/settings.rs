//! Settings from files: the project's `lotse.toml` overrides the user's, which overrides the defaults.
//!
//! Every value knows the file it comes from. An unknown key is an error that names file and line, so that a misspelt setting is
//! never ignored in silence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lotse_model::rule::Thresholds;

use crate::exit::{Exit, Failure};
use crate::rules;

mod file;

/// The file's name in a project, and in the user's configuration directory.
pub(crate) const FILE_NAME: &str = "lotse.toml";

/// A setting outside of `[rules]`.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) default: &'static str,
    pub(crate) meaning: &'static str,
}

/// All settings outside of `[rules]`, in the order to show them.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting { key: "bench.budget", default: "10s", meaning: "time for each program" },
    Setting {
        key: "bench.delta",
        default: "1%",
        meaning: "differences within this share are too small to matter",
    },
    Setting { key: "bench.level", default: "95%", meaning: "confidence of all statements together" },
    Setting { key: "bench.metric", default: "wall", meaning: "the metric the verdict is planned on" },
    Setting { key: "bench.min-runs", default: "10", meaning: "runs of each program to make at least" },
    Setting { key: "bench.runner", default: "rusage", meaning: "what measures" },
    Setting { key: "bench.warmup", default: "0", meaning: "runs of each program before measuring" },
    Setting {
        key: "open.editor",
        default: "",
        meaning: "the editor that the page starts, such as code or kate; else $VISUAL or $EDITOR, if it has a window",
    },
    Setting {
        key: "profile.cache",
        default: "2 GiB",
        meaning: "how much the indexes of big profiles and histories may take; 0 for none",
    },
];

/// A value and where it came from (`None`: the default).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingValue {
    pub(crate) text: String,
    pub(crate) origin: Option<PathBuf>,
}

/// The values that the files set.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    values: BTreeMap<String, SettingValue>,
}

impl Settings {
    /// Reads the files that exist.
    pub(crate) fn load() -> Result<Self, Failure> {
        let mut settings = Self::default();
        for path in [user_file(), project_file()].into_iter().flatten() {
            settings.add(&path)?;
        }
        Ok(settings)
    }

    fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| unreadable(path, &format!("cannot be read: {error}")))?;
        let pairs = file::parse(&text).map_err(|problem| unreadable(path, &problem))?;
        for (key, text) in pairs {
            self.values.insert(key, SettingValue { text, origin: Some(path.to_owned()) });
        }
        Ok(())
    }

    /// A setting, parsed, if a file sets it; the error about a bad value names the file.
    pub(crate) fn parsed<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let origin = value.origin.as_ref().map_or(String::new(), |path| format!("{}: ", path.display()));
        let unusable =
            |problem| Failure { exit: Exit::Unreadable, message: format!("{origin}{key}: {problem}") };
        parse(&value.text).map(Some).map_err(unusable)
    }

    /// The value of a key, if a file sets it.
    pub(crate) fn get(&self, key: &str) -> Option<&SettingValue> {
        self.values.get(key)
    }

    /// The thresholds of rules that files change.
    pub(crate) fn thresholds(&self) -> Thresholds {
        let mut thresholds = Thresholds::default();
        for (rule, threshold) in rules::thresholds() {
            let changed = self.get(&rules::threshold_key(rule, threshold));
            if let Some(number) = changed.and_then(|value| value.text.parse().ok()) {
                thresholds.set(rule.id, threshold.name, number);
            }
        }
        thresholds
    }
}

fn unreadable(path: &Path, problem: &str) -> Failure {
    Failure { exit: Exit::Unreadable, message: format!("{}: {problem}", path.display()) }
}

fn project_file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|dir| dir.join(FILE_NAME)).find(|path| path.is_file())
}

fn user_file() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let dir = config.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(dir.join("lotse").join(FILE_NAME)).filter(|path| path.is_file())
}
