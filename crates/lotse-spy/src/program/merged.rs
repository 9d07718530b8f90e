//! Matches of one rule at one site, and the finding they become.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Reason};
use lotse_model::site::{Site, SourceSite};
use lotse_model::unit::Share;
use serde::{Deserialize, Serialize};

use super::{MatchKey, SiteSummary, SpyFinding, Status};
use crate::instance::{CodeTable, InstanceId};
use crate::protocol::Protocol;
use crate::rules::{Main, Match};
use crate::severity::{self, Cost, RunTime};

/// Matches of one rule at one site.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Merged {
    /// That of the instance with the most accesses.
    #[serde(with = "super::stored::history")]
    pub(super) shown: Shown,
    order: u64,
    instance: InstanceId,
    instances: u64,
    /// The instance of the last match.
    last: InstanceId,
    cost: Cost,
}

/// What a finding shows.
#[derive(Debug)]
pub(super) enum Shown {
    /// A match of a rule about the whole program.
    Match(Box<Match>),
    /// The history that a rule about one history matches.
    History(Arc<Protocol>),
}

/// Takes a match in. It is the one to show if its instance has more accesses than those before.
pub(super) fn merge(
    matches: &mut BTreeMap<MatchKey, Merged>,
    key: MatchKey,
    cost: Cost,
    (order, instance): (u64, InstanceId),
    shown: impl FnOnce() -> Shown,
) {
    match matches.entry(key) {
        Entry::Vacant(entry) => {
            let merged = Merged { shown: shown(), order, instance, instances: 1, last: instance, cost };
            entry.insert(merged);
        }
        Entry::Occupied(entry) => {
            let merged = entry.into_mut();
            merged.add(cost, instance);
            if order > merged.order {
                (merged.shown, merged.order, merged.instance) = (shown(), order, instance);
            }
        }
    }
}

impl Merged {
    fn add(&mut self, cost: Cost, instance: InstanceId) {
        // Matches of one instance come one after the other.
        self.instances += u64::from(instance != self.last);
        self.last = instance;
        self.cost.accesses += cost.accesses;
        self.cost.busy = match (self.cost.busy, cost.busy) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
    }

    /// The finding about these matches, with the words of one of them.
    pub(super) fn finish(
        &self,
        first: &Match,
        rule: &'static Rule,
        site: &SiteSummary,
        codes: &CodeTable,
        (all, time): (f64, RunTime),
    ) -> SpyFinding {
        let more = match self.instances {
            1 => String::new(),
            2 => "; 1 more instance of this site does so too".to_owned(),
            count => format!("; {} more instances of this site do so too", count - 1),
        };
        let name = rule.id.trim_start_matches("spy-").replace('-', " ");
        let mut data = first.data.clone();
        data.extend([("order_number", self.order as f64), ("instances", self.instances as f64)]);
        data.push(("access_seconds", self.cost.accesses / 1e9));
        data.extend(self.cost.busy.map(|busy| ("phase_seconds", busy as f64 / 1e9)));
        let finding = Finding {
            rule: rule.into(),
            level: first.level,
            sites: sites(first, site, codes),
            severity: severity::share(&self.cost, all, time),
            certainty: Share::clamped(first.certainty),
            reason: Reason::of(format!("{name}: {}{more}", first.text), data),
            recommendation: first.recommendation.clone(),
            evidence: Vec::new(),
            verification: Some("lotse bench ./before ./after".to_owned()),
        };
        let (order, instances, instance) = (self.order, self.instances, self.instance);
        let through = through(first, codes);
        SpyFinding { finding, order, instances, instance, through, status: Status::Unverified }
    }
}

fn through(first: &Match, codes: &CodeTable) -> Option<SourceSite> {
    let is_loop = matches!(first.main, Main::Loop(_));
    let line = first.codes.most().filter(|_| is_loop).and_then(|code| codes.site(code));
    line.cloned()
}

/// The place to change first: the code that accesses most, or where the structure is created.
fn sites(first: &Match, site: &SiteSummary, codes: &CodeTable) -> Vec<Site> {
    let created = codes.site(site.site);
    let causes: Vec<&SourceSite> =
        first.codes.sorted().iter().filter_map(|(code, _)| codes.site(*code)).take(3).collect();
    let ordered = match first.main {
        Main::Creation => created.into_iter().chain(causes).collect(),
        Main::Cause => causes.into_iter().chain(created).collect::<Vec<_>>(),
        Main::Loop(of_loop) => {
            let around = codes.loops.site(of_loop).into_iter();
            around.chain(causes).chain(created).collect()
        }
    };
    let mut sites: Vec<Site> = Vec::new();
    for place in ordered {
        let place = Site::Source(place.clone());
        if !sites.contains(&place) {
            sites.push(place);
        }
    }
    if sites.is_empty() {
        sites.push(Site::Region {
            process: None,
            path: vec![format!("a {} without a known place", site.container.name())],
        });
    }
    sites
}
