//! The thresholds and limits of the analysis, each with a name, a description and a default.
//!
//! A threshold belongs to a rule. `lotse explain RULE` prints it, and `lotse.toml` changes it under `[rules.<id>]`, as for
//! all rules of Lotse; [`Thresholds::from_rules`] applies such changes.

use lotse_model::rule::{self, Threshold};
use serde::{Deserialize, Serialize};

/// The settings of the analysis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// When phases count and rules fire.
    pub thresholds: Thresholds,
    /// Memory limits.
    pub limits: Limits,
}

/// Limits of memory. Counts stay exact even where items are dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Number of phases kept per instance and characteristic: the longest.
    pub phases: usize,
    /// Number of protocols kept per site: those with the most accesses.
    pub instances: usize,
    /// Number of pictures kept per site: those with the most accesses.
    pub pictures: usize,
    /// Bytes for pictures that are being drawn, and for those that are kept.
    pub picture_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { phases: 512, instances: 32, pictures: 4, picture_bytes: 128 << 20 }
    }
}

macro_rules! thresholds {
    ($($rule:literal, $list:ident { $($field:ident = $name:literal, $default:literal, $meaning:literal;)+ })+) => {
        /// The thresholds of all rules.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Thresholds {
            $($(#[doc = $meaning] pub $field: f64,)+)+
        }

        impl Default for Thresholds {
            fn default() -> Self {
                Self { $($($field: $default,)+)+ }
            }
        }

        impl Thresholds {
            /// The defaults with the changes of a settings file or the command line.
            #[must_use]
            pub fn from_rules(changed: &rule::Thresholds) -> Self {
                Self { $($($field: value(changed, $rule, $name, $default),)+)+ }
            }
        }

        $(pub(crate) const $list: &[Threshold] =
            &[$(Threshold { name: $name, default: $default, meaning: $meaning }),+];)+
    };
}

fn value(changed: &rule::Thresholds, id: &str, name: &str, default: f64) -> f64 {
    crate::rules::all().find(|rule| rule.id == id).map_or(default, |rule| changed.get(rule, name))
}

thresholds! {
    "spy-history", HISTORY {
        min_length = "min-length", 50.0, "elements that the structure had at some time, at least";
        min_accesses = "min-accesses", 1000.0, "accesses to the structure, at least";
        min_phase_size = "min-phase-size", 5.0, "accesses of a phase, at least";
        neighbour_distance = "neighbour-distance", 1.0, "events from one access of a strict phase to the next, at most";
        gap = "gap", 1000.0, "nanoseconds between two accesses that count as work of their phase, at most";
        grain = "grain", 20_000.0, "nanoseconds that a phase or a loop lasts, without recording, for threads to pay, at least";
    }
    "spy-long-insert", LONG_INSERT {
        long_insert_events = "events", 100.0, "insertions of a phase that counts as long, at least";
        long_insert_phases = "phases", 1.0, "long phases, at least";
    }
    "spy-queue", QUEUE {
        queue_share = "share", 0.6, "share of queue operations in the history, at least";
        queue_side = "side", 0.1, "share of insertions and of deletions in the history, each at least";
    }
    "spy-sort-after-insert", SORT_AFTER_INSERT {
        sort_after_insert_events = "events", 100.0, "insertions directly before the sort, at least";
    }
    "spy-frequent-search", FREQUENT_SEARCH {
        frequent_search_share = "share", 0.02, "share of searches in the history, at least";
    }
    "spy-frequent-long-read", FREQUENT_LONG_READ {
        long_read_events = "events", 10.0, "reads of a phase that counts as long, at least";
        long_read_coverage = "coverage", 0.5, "share of the structure that a long phase reads, at least";
        long_read_share = "share", 0.5, "share of long phases in the history, at least";
    }
    "spy-front-access", FRONT_ACCESS {
        front_access_share = "share", 0.3, "share of insertions and deletions at the front in the history, at least";
    }
    "spy-stack", STACK {
        stack_share = "share", 0.6, "share of stack operations in the history, at least";
        stack_side = "side", 0.1, "share of insertions and of deletions in the history, each at least";
    }
    "spy-write-without-read", WRITE_WITHOUT_READ {
        unread_share = "share", 0.5, "share of writes that nothing reads afterwards, at least";
        unread_writes = "writes", 100.0, "such writes, at least";
    }
    "spy-missing-capacity", MISSING_CAPACITY {
        growths = "growths", 4.0, "reallocations of one instance, at least";
        growth_copies = "copies", 0.5, "elements that reallocations copied for each element inserted, at least";
    }
    "spy-vec-as-set", VEC_AS_SET {
        guarded_share = "guarded", 0.5, "share of insertions directly after a search, at least";
        guarded_inserts = "inserts", 20.0, "such insertions, at least";
    }
    "spy-remove-front", REMOVE_FRONT {
        front_operations = "operations", 100.0, "insertions and deletions at the front, at least";
        front_moved = "moved", 50.0, "elements moved by one of them on average, at least";
    }
    "spy-double-lookup", DOUBLE_LOOKUP {
        double_lookup_pairs = "pairs", 100.0, "lookups directly followed by a second operation, at least";
        double_lookup_share = "share", 0.8, "share of the lookups at one place that are followed so, at least";
    }
    "spy-linear-search-in-sorted", LINEAR_SEARCH_IN_SORTED {
        sorted_searches = "searches", 20.0, "linear searches while the elements are sorted, at least";
        sorted_share = "share", 0.02, "share of such searches in the history, at least";
    }
    "spy-map-into-new-vec", MAP_INTO_NEW_VEC {
        map_events = "events", 1000.0, "elements written in one phase, at least";
        map_overlap = "overlap", 0.8, "share of the time of both phases in which both last, at least";
    }
    "spy-reduction", REDUCTION {
        reduction_events = "events", 1000.0, "elements read in one pass, at least";
        reduction_coverage = "coverage", 0.9, "share of the structure that a pass reads, at least";
    }
    "spy-independent-iterations", INDEPENDENT_ITERATIONS {
        iterations = "iterations", 8.0, "iterations of one execution of the loop, at least";
        iteration_writes = "writes", 100.0, "writes of the loop to structures, at least";
    }
}

#[cfg(test)]
mod tests {
    use super::Thresholds;
    use lotse_model::rule;

    #[test]
    fn changes_by_rule_and_name_arrive() {
        let mut changed = rule::Thresholds::default();
        changed.set("spy-history", "min-length", 7.0);
        changed.set("spy-queue", "share", 0.9);
        let thresholds = Thresholds::from_rules(&changed);
        let expected = Thresholds { min_length: 7.0, queue_share: 0.9, ..Thresholds::default() };
        assert_eq!(thresholds, expected);
    }

    #[test]
    fn a_part_of_them_can_be_read_and_a_misspelt_one_is_refused() {
        let read = |text| serde_json::from_str::<Thresholds>(text);
        assert_eq!(read(r#"{"growths": 9}"#).unwrap(), Thresholds { growths: 9.0, ..Thresholds::default() });
        assert!(read(r#"{"growth": 9}"#).is_err());
    }
}
