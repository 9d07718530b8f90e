//! Who uses a call of the library: a line in a function that gets many structures is called for those of several sites, and samples
//! tell the time of all of them together.

use std::collections::HashMap;

use super::SiteSummary;
use crate::container::Kind;
use crate::instance::{CodeId, CodeTable};
use crate::observe::counts::KindCount;
use crate::samples::Sampled;
use crate::severity::{Calls, growth_cost};
use crate::tally::Tally;

/// What calls do, by the site whose structures they are about, and in all.
#[derive(Debug, Default)]
pub(super) struct CallUses {
    of_site: HashMap<(usize, CodeId), Use>,
    of_all: HashMap<CodeId, Use>,
}

/// Accesses, or reallocations, and what they cost by the model.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    events: f64,
    cost: f64,
}

impl CallUses {
    pub(super) fn new(sites: &[SiteSummary], calls: Calls) -> Self {
        let mut uses = Self::default();
        for (number, site) in sites.iter().enumerate() {
            match calls {
                Calls::Whole => operations(site).for_each(|counted| {
                    uses.add(number, &counted.codes, counted.cost);
                }),
                Calls::Growth => {
                    let longest = site.protocols.iter().max_by_key(|protocol| protocol.growth.reallocations);
                    let cost = longest.map_or(0.0, |it| growth_cost(&it.instance, &site.growth));
                    uses.add(number, &site.growth.codes, cost);
                }
            }
        }
        uses
    }

    fn add(&mut self, site: usize, codes: &Tally<CodeId>, cost: f64) {
        let all = codes.total().max(1) as f64;
        for (code, count) in codes.sorted() {
            let events = count as f64;
            self.of_site.entry((site, code)).or_default().add(events, cost * events / all);
            self.of_all.entry(code).or_default().add(events, cost * events / all);
        }
    }

    /// The part of the time of a call that is about so many accesses to structures of a site; nothing where they were not counted.
    ///
    /// Of 1,000 searches at a line, 400 in structures of this site, which take 30 of 40 ms by the model, and 200 of these are what a
    /// rule found: 200 / 400 of 30 / 40 of the time.
    fn part(&self, site: usize, code: CodeId, found: u64) -> Option<f64> {
        let (here, all) = (self.of_site.get(&(site, code))?, self.of_all.get(&code)?);
        let of_site = if all.cost > 0.0 { here.cost / all.cost } else { here.events / all.events };
        Some((found as f64 / here.events).min(1.0) * of_site)
    }

    /// The time of these calls by samples of the unrecorded run; nothing where that is not known.
    pub(super) fn sampled(
        &self,
        calls: Calls,
        (site, found): (usize, &Tally<CodeId>),
        codes: &CodeTable,
    ) -> Option<Sampled> {
        if found.others > 0 {
            return None;
        }
        let part = |(code, count)| Some((codes.get(code)?, self.part(site, code, count)?));
        let parts: Vec<_> = found.sorted().into_iter().map(part).collect::<Option<_>>()?;
        codes.samples.of_calls(calls, parts)
    }
}

/// What calls do to the structures of a site. What they read and write apart from that are their arguments: the text of a key that is
/// looked up in a map.
fn operations(site: &SiteSummary) -> impl Iterator<Item = &KindCount> {
    let kinds = Kind::ALL.iter().filter(|kind| !matches!(kind, Kind::Read | Kind::Write));
    kinds.map(|kind| site.counts.kind(*kind))
}

impl Use {
    fn add(&mut self, events: f64, cost: f64) {
        self.events += events;
        self.cost += cost;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::CallUses;
    use crate::container::{Container, Kind};
    use crate::instance::CodeId;
    use crate::program::Program;
    use crate::rules::fixture::{History, codes};
    use crate::settings::Settings;
    use crate::severity::Calls;

    /// 300 searches in a structure of 100 elements, and 100 in one of 900, by the same line; it also reads a third one.
    fn program() -> Program {
        let mut program = Program::new(&Arc::new(Settings::default()));
        for (id, site, length, searches) in [(1, 0, 100, 300), (2, 8, 900, 100)] {
            let history =
                History::numbered(Container::Vec, id, site).long(length).by(4).whole(Kind::Search, searches);
            program.add(history.finish(), &codes());
        }
        let argument = History::numbered(Container::String, 3, 9).long(500).by(4).scan(Kind::Read, 0, 499);
        program.add(argument.finish(), &codes());
        program
    }

    #[test]
    fn the_time_of_a_line_is_divided_among_the_structures_that_it_uses() {
        let uses = CallUses::new(program().sites(), Calls::Whole);
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
        let growth = CallUses::new(program.sites(), Calls::Growth);
        let of_all: Vec<CodeId> = growth.of_all.keys().copied().collect();
        assert_eq!(of_all.len(), 1);
        assert_eq!(growth.part(0, of_all[0], 10_000), Some(1.0));
    }
}
