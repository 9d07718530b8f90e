//! Stacks that end before their outermost function, counted by reason.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::ObjectId;
use lotse_report::number::format_share;

use crate::analysis::share;
use crate::report::grouped;

/// Why a stack ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    /// perf copied too little of it.
    Short,
    /// The object's file is not there, or is not the one that ran.
    Absent(ObjectId),
    /// The object has no unwind information for the code.
    NoRule(ObjectId),
    /// What should be the caller is none.
    Nowhere,
    /// Registers of a processor or of a mode that is not supported.
    Processor,
}

/// All of a file.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    stacks: u64,
    /// The longest copy.
    room: usize,
    counts: BTreeMap<Cut, u64>,
    paths: HashMap<ObjectId, String>,
    /// Why objects' files cannot be used.
    missing: HashMap<ObjectId, String>,
}

impl Cuts {
    /// Remembers what an object is called.
    pub(super) fn name(&mut self, object: ObjectId, path: &str) {
        self.paths.insert(object, path.to_owned());
    }

    /// Remembers why an object's file cannot be used.
    pub(super) fn missing(&mut self, object: ObjectId, reason: String) {
        self.missing.insert(object, reason);
    }

    /// Counts a stack with so many bytes.
    pub(super) fn count(&mut self, cut: Option<Cut>, bytes: usize) {
        self.stacks += 1;
        self.room = self.room.max(bytes);
        if let Some(cut) = cut {
            *self.counts.entry(cut).or_default() += 1;
        }
    }

    /// One sentence per reason, the most frequent first.
    pub(super) fn into_notes(self) -> Vec<String> {
        let mut counts: Vec<(Cut, u64)> = self.counts.iter().map(|(&cut, &count)| (cut, count)).collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        counts.into_iter().map(|(cut, count)| self.note(cut, count)).collect()
    }

    fn note(&self, cut: Cut, count: u64) -> String {
        let part = format_share(share(i128::from(count), i128::from(self.stacks)), 1);
        let (count, all) = (grouped(i128::from(count)), grouped(i128::from(self.stacks)));
        let why = self.reason(cut);
        format!(
            "{count} of {all} stacks ({part}) lack their outer callers, whose inclusive costs are lower bounds: {why}"
        )
    }

    fn reason(&self, cut: Cut) -> String {
        let path = |object: ObjectId| self.paths.get(&object).map_or("", String::as_str);
        match cut {
            Cut::Short => format!(
                "perf copied only {} bytes of each stack; record with --call-graph dwarf,65528",
                grouped(self.room as i128)
            ),
            Cut::Absent(object) => {
                let reason = self.missing.get(&object).map_or("", String::as_str);
                format!("{reason}; --binary FILE tells where it is")
            }
            Cut::NoRule(object) => format!("code of {} has no unwind information", path(object)),
            Cut::Nowhere => "what lies on the stack is no caller".to_owned(),
            Cut::Processor => "only 64-bit programs on x86-64 and ARM are unwound".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::ObjectId;

    use super::{Cut, Cuts};

    #[test]
    fn cut_stacks_are_counted_by_reason() {
        let mut cuts = Cuts::default();
        cuts.name(ObjectId(3), "/lib/x.so");
        cuts.count(Some(Cut::Short), 8184);
        cuts.count(Some(Cut::NoRule(ObjectId(3))), 100);
        cuts.count(Some(Cut::NoRule(ObjectId(3))), 100);
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
        assert!(Cuts::default().into_notes().is_empty());
    }
}
