//! The protocols of a program, merged by the site of creation, and the findings about them.

mod merged;
mod stored;
mod uses;

use std::collections::BTreeMap;
use std::sync::Arc;

use lotse_model::finding::Finding;
use lotse_model::site::SourceSite;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::merged::{Merged, Shown, Weight, merge};
use self::uses::CallUses;
use crate::container::Container;
use crate::instance::{CodeId, CodeTable, InstanceId};
use crate::observe::counts::Counts;
use crate::observe::growth::Growth;
use crate::protocol::{Loops, Protocol};
use crate::rules::{self, Context, Find, Main, Match, Whole};
use crate::settings::Settings;
use crate::severity::{Calls, RunTime};

/// A finding about a data structure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpyFinding {
    /// Where, why, how much, how sure, what to do.
    #[serde(flatten)]
    pub finding: Finding,
    /// The order number: accesses in the history of the instance with the most accesses.
    pub order: u64,
    /// Instances of the site to which the rule applies.
    pub instances: u64,
    /// The instance with the most accesses of them.
    pub instance: InstanceId,
    /// The line that accesses the structure, where the first site is a loop in a function further out that does so through it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<SourceSite>,
    /// What its advice would gain is not proved.
    pub status: Status,
}

/// Whether the advice was followed and measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not yet.
    Unverified,
}

/// A rule that could not look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Silence {
    /// The rule.
    pub rule: String,
    /// What it needs and does not have.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Outcome {
    /// The weightiest first where the run time is known, else by order number.
    pub findings: Vec<SpyFinding>,
    /// Rules that could not look.
    pub silent: Vec<Silence>,
}

/// All instances created at one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteSummary {
    /// A row of the code table; of several with the same place, the first.
    pub site: CodeId,
    /// What is created there.
    pub container: Container,
    /// How many.
    pub instances: u64,
    /// How many of them are long enough and accessed often enough for findings.
    pub relevant: u64,
    /// Accesses to all of them.
    pub events: u64,
    /// The most elements that one of them had.
    pub max_length: u64,
    /// Accesses to all of them by kind.
    pub counts: Counts,
    /// Reallocations of all of them.
    pub growth: Growth,
    /// The most reallocations of one of them.
    pub most_reallocations: u64,
    /// What loops did to all of them.
    pub loops: Loops,
    /// Protocols of those with the most accesses.
    pub protocols: Vec<Protocol>,
}

/// A site is a place in the source and a container; without a place, a row of the code table.
type SiteKey = (String, u32, u32, u32, Container);

/// A site, a rule and the line that causes what the rule finds: structures of one site that are used by different lines have
/// a finding for each.
type MatchKey = (usize, usize, String);

/// The line that a match is about; the same for all matches about the place of creation.
fn cause(found: &Match, codes: &CodeTable) -> String {
    let most = || codes.site(found.codes.most()?);
    let site = match found.main {
        Main::Creation => None,
        Main::Cause => most(),
        Main::Loop(of_loop) => codes.loops.site(of_loop).or_else(most),
    };
    site.map_or_else(String::new, |site| format!("{}:{}", site.file, site.line.unwrap_or(0)))
}

/// A share of the run time from which on a finding matters.
pub(crate) const NOTICEABLE: f64 = 0.01;

/// All protocols of a program. Its memory grows with the number of sites.
#[derive(Debug)]
pub struct Program {
    settings: Arc<Settings>,
    numbers: BTreeMap<SiteKey, usize>,
    sites: Vec<SiteSummary>,
    matches: BTreeMap<MatchKey, Merged>,
}

impl Program {
    /// Without instances.
    #[must_use]
    pub fn new(settings: &Arc<Settings>) -> Self {
        Self {
            settings: Arc::clone(settings),
            numbers: BTreeMap::new(),
            sites: Vec::new(),
            matches: BTreeMap::new(),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sites, in the order of appearance.
    #[must_use]
    pub fn sites(&self) -> &[SiteSummary] {
        &self.sites
    }

    /// Takes a protocol in.
    pub fn add(&mut self, protocol: Protocol, codes: &CodeTable) {
        self.add_to_site(protocol, codes);
    }

    /// Takes a protocol in; gives the number of its site.
    pub(crate) fn add_to_site(&mut self, protocol: Protocol, codes: &CodeTable) -> usize {
        let number = self.site(&protocol, codes);
        if protocol.is_relevant(&self.settings.thresholds) {
            self.look(number, &protocol, codes);
        }
        self.sites[number].add(protocol, &self.settings);
        number
    }

    fn site(&mut self, protocol: &Protocol, codes: &CodeTable) -> usize {
        let key = site_key(protocol.instance.site, protocol.instance.container, codes);
        let next = self.sites.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.sites.push(SiteSummary::new(protocol));
        }
        number
    }

    fn look(&mut self, site: usize, protocol: &Protocol, codes: &CodeTable) {
        let mut kept = None;
        for (rule, entry) in rules::RULES.iter().enumerate() {
            let Find::History(find) = entry.find else { continue };
            let Some(found) = self.found(find, protocol, codes) else { continue };
            let order = (protocol.events, protocol.instance.id);
            let key = (site, rule, cause(&found, codes));
            merge(&mut self.matches, key, Weight::new(&found), order, || {
                Shown::History(Arc::clone(kept.get_or_insert_with(|| Arc::new(protocol.clone()))))
            });
        }
    }

    /// What a rule about one history finds.
    fn found(
        &self,
        find: fn(&Context<'_>) -> Option<Match>,
        protocol: &Protocol,
        codes: &CodeTable,
    ) -> Option<Match> {
        let mut found = find(&Context { protocol, thresholds: &self.settings.thresholds, codes })?;
        found.data.push(("threads", protocol.counts.threads.sorted().len() as f64));
        Some(found)
    }

    /// The match to show for a rule: loops are known as a whole only now, and so is the place.
    fn shown(&self, rule: usize, merged: &Merged, codes: &CodeTable) -> Option<Match> {
        match (&merged.shown, rules::RULES[rule].find) {
            (Shown::Match(found), _) => Some(found.as_ref().clone()),
            (Shown::History(protocol), Find::History(find)) => self.found(find, protocol, codes),
            (Shown::History(_), Find::Program(_)) => None,
        }
    }

    /// What the rules find.
    #[must_use]
    pub fn findings(&self, codes: &CodeTable, time: RunTime) -> Outcome {
        let (further, silent) = self.look_at_all(codes, time);
        let limit = time.unrecorded.map_or(f64::INFINITY, |seconds| seconds * 1e9);
        let all = self.sites.iter().map(|site| site.counts.cost_up_to(limit)).sum();
        let about = (all, time, &self.settings.thresholds);
        let uses = [Calls::Whole, Calls::Growth].map(|calls| CallUses::new(&self.sites, calls));
        let finish = |(&(site, rule, _), merged): (&MatchKey, &Merged)| {
            let mut found = self.shown(rule, merged, codes)?;
            found.cost.in_calls = merged
                .calls()
                .and_then(|(calls, of_calls)| uses[calls as usize].sampled(calls, (site, of_calls), codes));
            Some(merged.finish(&found, rules::RULES[rule].rule, &self.sites[site], codes, about))
        };
        let mut findings: Vec<SpyFinding> = self.matches.iter().chain(&further).filter_map(finish).collect();
        findings.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).unwrap_or(std::cmp::Ordering::Equal));
        Outcome { findings, silent }
    }

    /// Matches of rules about the whole program, and rules that could not look.
    fn look_at_all(&self, codes: &CodeTable, time: RunTime) -> (BTreeMap<MatchKey, Merged>, Vec<Silence>) {
        let whole = Whole { sites: &self.sites, thresholds: &self.settings.thresholds, codes, time };
        let (mut matches, mut silent) = (BTreeMap::new(), Vec::new());
        for (rule, entry) in rules::RULES.iter().enumerate() {
            let Find::Program(find) = entry.find else { continue };
            match find(&whole) {
                Ok(mut found) => {
                    found.sort_by_key(|(site, (_, instance), _)| (*site, *instance));
                    for (site, order, found) in found {
                        let key = (site, rule, cause(&found, codes));
                        merge(&mut matches, key, Weight::new(&found), order, || {
                            Shown::Match(Box::new(found))
                        });
                    }
                }
                Err(reason) => {
                    silent.push(Silence { rule: entry.rule.id.to_owned(), reason: reason.to_string() })
                }
            }
        }
        (matches, silent)
    }
}

fn site_key(site: CodeId, container: Container, codes: &CodeTable) -> SiteKey {
    match codes.site(site) {
        Some(place) => {
            (place.file.clone(), place.line.unwrap_or(0), place.column.unwrap_or(0), u32::MAX, container)
        }
        None => (String::new(), 0, 0, site.0, container),
    }
}

impl SpyFinding {
    /// Findings that matter first, then by weight, then by order number. Without a severity only the order number counts.
    fn rank(&self) -> (bool, f64, u64) {
        let weight = self.finding.severity.as_ref().map_or(0.0, |_| self.finding.weight());
        (self.matters() == Some(true), weight, self.order)
    }

    /// Whether it is about a noticeable share of the run; nothing where that is not known.
    pub(crate) fn matters(&self) -> Option<bool> {
        Some(self.finding.severity.as_ref()?.share.get() >= NOTICEABLE)
    }
}

impl SiteSummary {
    fn new(protocol: &Protocol) -> Self {
        Self {
            site: protocol.instance.site,
            container: protocol.instance.container,
            instances: 0,
            relevant: 0,
            events: 0,
            max_length: 0,
            counts: Counts::default(),
            growth: Growth::default(),
            most_reallocations: 0,
            loops: Loops::default(),
            protocols: Vec::new(),
        }
    }

    fn add(&mut self, protocol: Protocol, settings: &Settings) {
        self.instances += 1;
        self.relevant += u64::from(protocol.is_relevant(&settings.thresholds));
        self.loops.merge(&protocol.loops);
        self.events += protocol.events;
        self.max_length = self.max_length.max(protocol.max_length);
        self.counts.merge(&protocol.counts);
        self.growth.merge(&protocol.growth);
        self.most_reallocations = self.most_reallocations.max(protocol.growth.reallocations);
        let most = settings.limits.instances.max(1);
        if self.protocols.len() < most {
            self.protocols.push(protocol);
        } else if let Some(least) = self.protocols.iter_mut().min_by_key(|kept| kept.events)
            && least.events < protocol.events
        {
            *least = protocol;
        }
    }
}
