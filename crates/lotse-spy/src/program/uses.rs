//! Divides the sampled time of a library call among creation sites.
//!
//! A line in a general function is executed for structures of several sites, and samples only give the time of all of them
//! together. It is divided in proportion to the modelled cost.

use std::collections::HashMap;

use super::SiteSummary;
use crate::container::AccessKind;
use crate::instance::{CodeId, CodeTable};
use crate::key_counts::KeyCounts;
use crate::observe::counts::KindCount;
use crate::samples::SampledTime;
use crate::severity::{CallPart, growth_cost};

/// The accesses that calls make: per creation site of the structures, and in total.
#[derive(Debug, Default)]
pub(super) struct CallUses {
    by_site: HashMap<(usize, CodeId), CallUse>,
    by_code: HashMap<CodeId, CallUse>,
}

/// Number of accesses (or reallocations) of a call, and their modelled cost.
#[derive(Debug, Clone, Copy, Default)]
struct CallUse {
    events: f64,
    cost: f64,
}

impl CallUses {
    pub(super) fn new(sites: &[SiteSummary], calls: CallPart) -> Self {
        let mut uses = Self::default();
        for (number, site) in sites.iter().enumerate() {
            match calls {
                CallPart::Whole => operations(site).for_each(|counted| {
                    uses.add(number, &counted.codes, counted.cost);
                }),
                CallPart::Growth => {
                    let longest = site.protocols.iter().max_by_key(|protocol| protocol.growth.reallocations);
                    let cost = longest.map_or(0.0, |it| growth_cost(&it.instance, &site.growth));
                    uses.add(number, &site.growth.codes, cost);
                }
            }
        }
        uses
    }

    fn add(&mut self, site: usize, codes: &KeyCounts<CodeId>, cost: f64) {
        let all = codes.total().max(1) as f64;
        for (code, count) in codes.sorted() {
            let events = count as f64;
            self.by_site.entry((site, code)).or_default().add(events, cost * events / all);
            self.by_code.entry(code).or_default().add(events, cost * events / all);
        }
    }

    /// The share of a call's time that belongs to `found` accesses to structures of a site; `None` if its accesses were not counted.
    ///
    /// Example: a line makes 1,000 searches with a modelled cost of 40 ms. 400 of them, with 30 ms, are in structures of this
    /// site, and 200 of these were found by a rule: the share is 200 / 400 · 30 / 40.
    fn part(&self, site: usize, code: CodeId, found: u64) -> Option<f64> {
        let (here, all) = (self.by_site.get(&(site, code))?, self.by_code.get(&code)?);
        let of_site = if all.cost > 0.0 { here.cost / all.cost } else { here.events / all.events };
        Some((found as f64 / here.events).min(1.0) * of_site)
    }

    /// The time of these calls by samples of the unrecorded run; `None` if it is not known.
    pub(super) fn sampled(
        &self,
        calls: CallPart,
        (site, found): (usize, &KeyCounts<CodeId>),
        codes: &CodeTable,
    ) -> Option<SampledTime> {
        if found.others > 0 {
            return None;
        }
        let part = |(code, count)| Some((codes.get(code)?, self.part(site, code, count)?));
        let parts: Vec<_> = found.sorted().into_iter().map(part).collect::<Option<_>>()?;
        codes.samples.time_in_calls(calls, parts)
    }
}

/// The operations on structures of a site. Reads and writes are left out: within a call they concern its arguments, such as the
/// text of a key that is looked up in a map.
fn operations(site: &SiteSummary) -> impl Iterator<Item = &KindCount> {
    let kinds = AccessKind::ALL.iter().filter(|kind| !matches!(kind, AccessKind::Read | AccessKind::Write));
    kinds.map(|kind| site.counts.kind(*kind))
}

impl CallUse {
    fn add(&mut self, events: f64, cost: f64) {
        self.events += events;
        self.cost += cost;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::CallUses;
    use crate::container::{AccessKind, Container};
    use crate::instance::CodeId;
    use crate::program::Program;
    use crate::rules::fixture::{History, codes};
    use crate::settings::Settings;
    use crate::severity::CallPart;

    /// 300 searches in a structure of 100 elements, and 100 in one of 900, by the same line; it also reads a third one.
    fn program() -> Program {
        let mut program = Program::new(&Arc::new(Settings::default()));
        for (id, site, length, searches) in [(1, 0, 100, 300), (2, 8, 900, 100)] {
            let history = History::numbered(Container::Vec, id, site)
                .long(length)
                .by(4)
                .without_index(AccessKind::Search, searches);
            program.add(history.finish(), &codes());
        }
        let argument =
            History::numbered(Container::String, 3, 9).long(500).by(4).scan(AccessKind::Read, 0, 499);
        program.add(argument.finish(), &codes());
        program
    }

    #[test]
    fn the_time_of_a_line_is_divided_among_the_structures_that_it_uses() {
        let uses = CallUses::new(program().sites(), CallPart::Whole);
        let part = |site, found| uses.part(site, CodeId(4), found);
        assert_eq!((part(0, 300), part(1, 100)), (Some(0.25), Some(0.75)));
        assert_eq!(part(0, 150), Some(0.125), "half of the searches");
        assert_eq!(part(0, 900), Some(0.25), "never more than all");
        assert_eq!(uses.part(0, CodeId(5), 10), None, "not counted");
        assert_eq!(part(2, 500), None, "an argument");
    }

    #[test]
    fn growth_is_counted_apart() {
        let mut program = Program::new(&Arc::new(Settings::default()));
        let history = History::new(Container::Vec).by(1).grown(4, 100_000).push(100_000);
        program.add(history.finish(), &codes());
        let growth = CallUses::new(program.sites(), CallPart::Growth);
        let by_code: Vec<CodeId> = growth.by_code.keys().copied().collect();
        assert_eq!(by_code.len(), 1);
        assert_eq!(growth.part(0, by_code[0], 10_000), Some(1.0));
    }
}
