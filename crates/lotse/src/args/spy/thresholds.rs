//! Thresholds of spy's rules on the command line, named as in `lotse.toml`.

use clap::Args;
use lotse_model::rule::Thresholds;

use crate::commands::near::near;

/// Changed thresholds.
#[derive(Debug, Default, Args)]
pub(crate) struct ThresholdArgs {
    /// Change a threshold of a rule, as `lotse config` names them without `rules.`: `spy-queue.share=0.7`; may be repeated
    #[arg(long = "threshold", value_name = "RULE.NAME=VALUE", value_parser = parse_threshold)]
    changed: Vec<ChangedThreshold>,
}

/// One threshold with its new value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ChangedThreshold {
    rule: &'static str,
    name: &'static str,
    value: f64,
}

impl ThresholdArgs {
    /// The thresholds of the settings, overridden by those of the command line.
    pub(crate) fn override_settings(&self, mut settings: Thresholds) -> Thresholds {
        for change in &self.changed {
            settings.set(change.rule, change.name, change.value);
        }
        settings
    }
}

fn parse_threshold(text: &str) -> Result<ChangedThreshold, String> {
    let (key, value) = text.split_once('=').ok_or("write RULE.NAME=VALUE, such as spy-queue.share=0.7")?;
    let all =
        || lotse_spy::rules::all().flat_map(|rule| rule.thresholds.iter().map(move |it| (rule.id, it.name)));
    let known: Vec<String> = all().map(|(rule, name)| format!("{rule}.{name}")).collect();
    let found = all().zip(&known).find(|(_, spelled)| *spelled == key);
    let Some(((rule, name), _)) = found else {
        let similar = near(known.iter().map(String::as_str), key);
        let meant =
            if similar.is_empty() { String::new() } else { format!(" (meant: {}?)", similar.join(", ")) };
        return Err(format!("there is no threshold {key}{meant}; `lotse config` lists them"));
    };
    match value.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(ChangedThreshold { rule, name, value }),
        _ => Err(format!("{key} takes a number from 0 on, not '{value}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ChangedThreshold, parse_threshold};

    #[test]
    fn a_threshold_is_named_as_in_the_settings() {
        let expected = ChangedThreshold { rule: "spy-queue", name: "share", value: 0.7 };
        assert_eq!(parse_threshold("spy-queue.share=0.7"), Ok(expected));
        let expected = ChangedThreshold { rule: "spy-history", name: "min-phase-size", value: 3.0 };
        assert_eq!(parse_threshold("spy-history.min-phase-size=3"), Ok(expected));
    }

    #[test]
    fn what_is_no_threshold_is_refused() {
        for wrong in [
            "spy-queue.share",
            "share=1",
            "spy-queue.shar=1",
            "bench-drift.share=0.1",
            "spy-queue.share=",
            "spy-queue.share=-1",
            "spy-queue.share=nan",
        ] {
            assert!(parse_threshold(wrong).is_err(), "{wrong}");
        }
    }
}
