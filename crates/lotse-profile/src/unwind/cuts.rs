//! Counts truncated stacks, which end before their outermost function, by reason.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::ObjectId;
use lotse_report::number::format_share;

use crate::analysis::share;
use crate::report::grouped;

/// Why a stack ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truncation {
    /// perf copied too few bytes.
    Short,
    /// The object's file is missing, or is another build.
    Absent(ObjectId),
    /// The object has no unwind information for the code.
    NoRule(ObjectId),
    /// The address of the caller is not in any mapping, or the stack is damaged.
    Nowhere,
    /// The processor or its mode is not supported.
    Processor,
}

/// The counts of a file.
#[derive(Debug, Default)]
pub(super) struct Truncations {
    stacks: u64,
    /// The length of the longest copy, in bytes.
    longest: usize,
    counts: BTreeMap<Truncation, u64>,
    paths: HashMap<ObjectId, String>,
    /// Why the files of objects cannot be used.
    missing: HashMap<ObjectId, String>,
}

impl Truncations {
    /// Stores the path of an object.
    pub(super) fn name(&mut self, object: ObjectId, path: &str) {
        self.paths.insert(object, path.to_owned());
    }

    /// Stores why an object's file cannot be used.
    pub(super) fn missing(&mut self, object: ObjectId, reason: String) {
        self.missing.insert(object, reason);
    }

    /// Counts a stack of which `bytes` were copied.
    pub(super) fn count(&mut self, truncation: Option<Truncation>, bytes: usize) {
        self.stacks += 1;
        self.longest = self.longest.max(bytes);
        if let Some(truncation) = truncation {
            *self.counts.entry(truncation).or_default() += 1;
        }
    }

    /// One note per reason, the most frequent first.
    pub(super) fn into_notes(self) -> Vec<String> {
        let mut counts: Vec<(Truncation, u64)> =
            self.counts.iter().map(|(&truncation, &count)| (truncation, count)).collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        counts.into_iter().map(|(truncation, count)| self.note(truncation, count)).collect()
    }

    fn note(&self, truncation: Truncation, count: u64) -> String {
        let part = format_share(share(i128::from(count), i128::from(self.stacks)), 1);
        let (count, all) = (grouped(i128::from(count)), grouped(i128::from(self.stacks)));
        let why = self.reason(truncation);
        format!(
            "{count} of {all} stacks ({part}) lack their outer callers, whose inclusive costs are lower bounds: {why}"
        )
    }

    fn reason(&self, truncation: Truncation) -> String {
        let path = |object: ObjectId| self.paths.get(&object).map_or("", String::as_str);
        match truncation {
            Truncation::Short => format!(
                "perf copied only {} bytes of each stack; record with --call-graph dwarf,65528",
                grouped(self.longest as i128)
            ),
            Truncation::Absent(object) => {
                let reason = self.missing.get(&object).map_or("", String::as_str);
                format!("{reason}; --binary FILE tells where it is")
            }
            Truncation::NoRule(object) => format!("code of {} has no unwind information", path(object)),
            Truncation::Nowhere => "what lies on the stack is no caller".to_owned(),
            Truncation::Processor => "only 64-bit programs on x86-64 and ARM are unwound".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::ObjectId;

    use super::{Truncation, Truncations};

    #[test]
    fn cut_stacks_are_counted_by_reason() {
        let mut cuts = Truncations::default();
        cuts.name(ObjectId(3), "/lib/x.so");
        cuts.count(Some(Truncation::Short), 8184);
        cuts.count(Some(Truncation::NoRule(ObjectId(3))), 100);
        cuts.count(Some(Truncation::NoRule(ObjectId(3))), 100);
        (0..1197).for_each(|_| cuts.count(None, 50));
        let lower = "lack their outer callers, whose inclusive costs are lower bounds";
        assert_eq!(
            cuts.into_notes(),
            [
                format!("2 of 1,200 stacks (0.2 %) {lower}: code of /lib/x.so has no unwind information"),
                format!(
                    "1 of 1,200 stacks (0.1 %) {lower}: perf copied only 8,184 bytes of each stack; record with \
                     --call-graph dwarf,65528"
                ),
            ]
        );
        assert!(Truncations::default().into_notes().is_empty());
    }
}
