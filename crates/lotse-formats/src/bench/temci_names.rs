//! temci's properties and the metrics of Lotse they correspond to.
//!
//! Several properties of temci's runners may correspond to one metric, such as `etime`, `wall-clock` and `__ov-time` to
//! `wall`. If a block has more than one of them, the first in [`PROPERTIES`] becomes the metric and the others keep
//! temci's names. When a metric is written, the first property is used.

use lotse_model::metric::KNOWN;
use lotse_model::{Metric, Unit};

/// temci's name, Lotse's name, the number of Lotse's units in one of temci's, and the runners that have the property.
type Property = (&'static str, &'static str, f64, Runners);

type Runners = &'static [&'static str];

const TIME: Runners = &["time"];
const RUSAGE: Runners = &["rusage"];
const BOTH: Runners = &["time", "rusage"];
const PERF: Runners = &["perf_stat"];
const ALWAYS: Runners = &[];

/// Bytes in a kibibyte.
const K: f64 = 1024.0;

/// All properties that mean the same as a metric of Lotse.
const PROPERTIES: &[Property] = &[
    ("etime", "wall", 1.0, TIME),
    ("wall-clock", "wall", 1.0, PERF),
    (OVERALL, "wall", 1.0, ALWAYS),
    ("task-clock", "cpu", 1.0, PERF),
    ("utime", "user", 1.0, BOTH),
    ("stime", "system", 1.0, BOTH),
    ("max_res_set", "peak_memory", K, TIME),
    ("maxrss", "peak_memory", K, RUSAGE),
    ("ixrss", "shared_memory", K, RUSAGE),
    ("idrss", "unshared_data", K, RUSAGE),
    ("isrss", "unshared_stack", K, RUSAGE),
    ("minor_page_faults", "minor_faults", 1.0, TIME),
    ("minflt", "minor_faults", 1.0, RUSAGE),
    ("major_page_faults", "major_faults", 1.0, TIME),
    ("majflt", "major_faults", 1.0, RUSAGE),
    ("times_swapped_out", "swaps", 1.0, TIME),
    ("nswap", "swaps", 1.0, RUSAGE),
    ("file_system_inputs", "blocks_in", 1.0, TIME),
    ("inblock", "blocks_in", 1.0, RUSAGE),
    ("file_system_output", "blocks_out", 1.0, TIME),
    ("oublock", "blocks_out", 1.0, RUSAGE),
    ("socket_msg_sent", "messages_sent", 1.0, TIME),
    ("msgsnd", "messages_sent", 1.0, RUSAGE),
    ("socket_msg_rec", "messages_received", 1.0, TIME),
    ("msgrcv", "messages_received", 1.0, RUSAGE),
    ("signals_delivered", "signals", 1.0, TIME),
    ("nsignals", "signals", 1.0, RUSAGE),
    ("vol_context_switches", "voluntary_switches", 1.0, TIME),
    ("nvcsw", "voluntary_switches", 1.0, RUSAGE),
    ("invol_context_switches", "involuntary_switches", 1.0, TIME),
    ("nivcsw", "involuntary_switches", 1.0, RUSAGE),
];

/// The wall time that temci measures itself, including its shell and its wrapper.
pub(crate) const OVERALL: &str = "__ov-time";

/// The metric of a property, and the factor from temci's unit to Lotse's. `measured_together` are all properties of the
/// block: if another one of them has precedence for a metric, the property keeps its name.
pub(crate) fn metric_and_factor(name: &str, measured_together: &[&str]) -> (Metric, f64) {
    let known = PROPERTIES.iter().find(|(property_name, ..)| *property_name == name);
    let taken = |metric_name: &str| {
        let first = PROPERTIES.iter().find(|(property_name, other, ..)| {
            *other == metric_name && measured_together.contains(property_name)
        });
        first.is_some_and(|(property_name, ..)| *property_name != name)
    };
    match known {
        Some((_, metric_name, factor, _)) if !taken(metric_name) => (Metric::named(metric_name), *factor),
        _ => {
            let unit = if name == OVERALL { Unit::Seconds } else { Metric::named(name).unit };
            (Metric { name: name.to_owned(), unit }, 1.0)
        }
    }
}

/// The property to write for a metric, and what to divide the metric's values by.
pub(crate) fn property_and_divisor(metric: &str) -> (&str, f64) {
    PROPERTIES
        .iter()
        .find(|(_, metric_name, ..)| *metric_name == metric)
        .map_or((metric, 1.0), |&(property_name, _, factor, _)| (property_name, factor))
}

/// Lotse's description of a property.
pub(crate) fn description(property: &str) -> Option<&'static str> {
    let (_, metric_name, ..) = PROPERTIES.iter().find(|(property_name, ..)| *property_name == property)?;
    KNOWN.iter().find(|known| known.name == *metric_name).map(|known| known.meaning)
}

/// The property of a runner for a metric, if the runner measures it. An unknown metric is returned as it is.
pub(crate) fn property_for_runner<'a>(runner: &str, metric: &'a str) -> Option<&'a str> {
    let mut same = PROPERTIES.iter().filter(|(_, metric_name, ..)| *metric_name == metric).peekable();
    if same.peek().is_none() {
        return Some(metric);
    }
    same.find(|(.., runners)| runners.contains(&runner)).map(|(property_name, ..)| *property_name)
}

#[cfg(test)]
mod tests {
    use super::{
        KNOWN, Metric, PROPERTIES, Unit, description, metric_and_factor, property_and_divisor,
        property_for_runner,
    };

    #[test]
    fn the_better_clock_is_the_wall_clock() {
        let measured_together = ["__ov-time", "etime"];
        assert_eq!(metric_and_factor("etime", &measured_together).0.name, "wall");
        assert_eq!(metric_and_factor("__ov-time", &measured_together).0.name, "__ov-time");
        assert_eq!(metric_and_factor("__ov-time", &["__ov-time"]).0.name, "wall");
        assert_eq!(property_and_divisor("peak_memory"), ("max_res_set", 1024.0));
        assert_eq!(property_and_divisor("requests"), ("requests", 1.0));
    }

    /// Every property alone is one of our metrics, and every metric is written as a property that is read as it.
    #[test]
    fn names_and_units_agree_in_both_directions() {
        for &(property, metric, factor, _) in PROPERTIES {
            assert_eq!(
                metric_and_factor(property, &[property]),
                (Metric::named(metric), factor),
                "{property}"
            );
            let (written, divisor) = property_and_divisor(metric);
            assert_eq!(metric_and_factor(written, &[written]), (Metric::named(metric), divisor), "{metric}");
        }
        for known in KNOWN {
            let (written, divisor) = property_and_divisor(known.name);
            let bytes = known.unit == Unit::Bytes;
            assert_eq!(divisor, if bytes { 1024.0 } else { 1.0 }, "{written}: temci counts kibibytes");
            assert_eq!(metric_and_factor(written, &[written]).0.unit, known.unit, "{written}");
        }
    }

    /// No two properties of one block may become the same metric: one of them would be lost.
    #[test]
    fn properties_side_by_side_stay_apart() {
        let measured_together: Vec<&str> =
            PROPERTIES.iter().map(|(property_name, ..)| *property_name).collect();
        let mut metrics: Vec<String> =
            measured_together.iter().map(|name| metric_and_factor(name, &measured_together).0.name).collect();
        metrics.sort_unstable();
        metrics.dedup();
        assert_eq!(metrics.len(), measured_together.len());
    }

    #[test]
    fn a_runner_is_asked_only_for_what_it_has() {
        for (runner, metric, expected) in [
            ("time", "wall", Some("etime")),
            ("rusage", "wall", None),
            ("perf_stat", "wall", Some("wall-clock")),
            ("perf_stat", "cpu", Some("task-clock")),
            ("time", "cpu", None),
            ("rusage", "major_faults", Some("majflt")),
            ("time", "major_faults", Some("major_page_faults")),
            ("nobody", "user", None),
            ("perf_stat", "cache-misses", Some("cache-misses")),
        ] {
            assert_eq!(property_for_runner(runner, metric), expected, "{runner} {metric}");
        }
    }

    /// Descriptions that Lotse would write itself need not be kept.
    #[test]
    fn a_property_means_what_its_metric_means() {
        assert_eq!(description("utime"), Some("CPU time in the program"));
        assert_eq!(description("nvcsw"), description("vol_context_switches"));
        assert_eq!(description("user"), None, "that is our name");
    }

    #[test]
    fn only_metrics_that_exist_are_named() {
        for (_, metric_name, ..) in PROPERTIES {
            assert!(KNOWN.iter().any(|known| known.name == *metric_name), "{metric_name}");
        }
    }
}
