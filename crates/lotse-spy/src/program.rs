//! The protocols of a program, merged by creation site, and the findings about them.

mod merged;
mod stored;
mod uses;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use lotse_model::finding::{Finding, compare_rank};
use lotse_model::site::SourceSite;
use lotse_report::number::format_count;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::merged::{MergedCost, MergedMatches, Representative, add_match};
use self::uses::CallUses;
use crate::container::Container;
use crate::instance::{CodeId, CodeTable, InstanceId};
use crate::observe::counts::AccessCounts;
use crate::observe::growth::Growth;
use crate::protocol::{LoopUses, Protocol};
use crate::rules::{self, Finder, HistoryContext, PrimarySite, ProgramContext, RuleMatch};
use crate::settings::Settings;
use crate::severity::{CallPart, RunTime};

/// A finding about a data structure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not yet.
    Unverified,
}

/// A rule that could not be applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Silence"))]
pub struct SkippedRule {
    /// The rule.
    pub rule: String,
    /// What it needs and does not have.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Outcome {
    /// Those that concern most of the run time first; where that is not known, by order number.
    pub findings: Vec<SpyFinding>,
    /// Rules that could not be applied.
    pub silent: Vec<SkippedRule>,
}

/// All instances created at one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteSummary {
    /// The code place; of several at the same source position, the first.
    pub site: CodeId,
    pub container: Container,
    /// Number of instances.
    pub instances: u64,
    /// Number of instances that are long enough and accessed often enough for findings.
    pub relevant: u64,
    /// Number of accesses to all instances.
    pub events: u64,
    /// Maximum length of an instance.
    pub max_length: u64,
    /// Accesses to all instances by kind.
    pub counts: AccessCounts,
    /// Reallocations of all instances.
    pub growth: Growth,
    /// Maximum number of reallocations of one instance.
    pub most_reallocations: u64,
    /// Accesses to all instances by loop.
    pub loops: LoopUses,
    /// The protocols of the instances with the most accesses.
    pub protocols: Vec<Protocol>,
}

/// Identifies a site: source position and container; without a known position, the number of the code place.
type SiteKey = (String, u32, u32, u32, Container);

/// Site, rule and causing line: structures of one site that are used by different lines get a finding for each line.
type MatchKey = (usize, usize, String);

/// The line that a match is about; empty for all matches whose primary site is the creation site.
fn cause_key(found: &RuleMatch, codes: &CodeTable) -> String {
    let most = || codes.site(found.codes.most()?);
    let site = match found.primary_site {
        PrimarySite::Creation => None,
        PrimarySite::Cause => most(),
        PrimarySite::Loop(loop_id) => codes.loops.site(loop_id).or_else(most),
    };
    site.map_or_else(String::new, |site| format!("{}:{}", site.file, site.line.unwrap_or(0)))
}

/// A finding matters from this share of the run time on.
pub(crate) const NOTICEABLE: f64 = 0.01;

/// The merged protocols of a program. Memory grows with the number of sites.
#[derive(Debug)]
pub struct Program {
    settings: Arc<Settings>,
    numbers: BTreeMap<SiteKey, usize>,
    sites: Vec<SiteSummary>,
    matches: BTreeMap<MatchKey, MergedMatches>,
}

impl Program {
    /// A program without instances.
    #[must_use]
    pub fn new(settings: &Arc<Settings>) -> Self {
        Self {
            settings: Arc::clone(settings),
            numbers: BTreeMap::new(),
            sites: Vec::new(),
            matches: BTreeMap::new(),
        }
    }

    /// Sites with many accesses whose structures are each too short or too rarely accessed for the rules about single structures,
    /// as clauses; those with the highest modelled cost first.
    #[must_use]
    pub fn unexamined(&self, codes: &CodeTable) -> Vec<String> {
        /// Least share of the modelled cost of all accesses.
        const NOTABLE: f64 = 0.05;
        const MOST: usize = 3;
        let thresholds = &self.settings.thresholds;
        let all: f64 = self.sites.iter().map(|site| site.counts.cost()).sum();
        let is_unexamined = |site: &&SiteSummary| {
            site.relevant == 0
                && site.max_length as f64 >= thresholds.min_length
                && site.events as f64 >= thresholds.min_accesses
                && site.counts.cost() >= NOTABLE * all
        };
        let mut found: Vec<&SiteSummary> = self.sites.iter().filter(is_unexamined).collect();
        found.sort_by(|a, b| b.counts.cost().total_cmp(&a.counts.cost()));
        let clause = |site: &SiteSummary| {
            let place =
                rules::place(codes, site.site).unwrap_or_else(|| "a place that is not known".to_owned());
            format!(
                "{} structures created at {place} ({} accesses)",
                format_count(site.instances as f64),
                format_count(site.events as f64)
            )
        };
        found.into_iter().take(MOST).map(clause).collect()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sites, in the order of first appearance.
    #[must_use]
    pub fn sites(&self) -> &[SiteSummary] {
        &self.sites
    }

    /// Adds the protocol of an instance.
    pub fn add(&mut self, protocol: Protocol, codes: &CodeTable) {
        self.add_to_site(protocol, codes);
    }

    /// Adds the protocol of an instance, and returns the number of its site.
    pub(crate) fn add_to_site(&mut self, protocol: Protocol, codes: &CodeTable) -> usize {
        let number = self.site_number(&protocol, codes);
        if protocol.is_relevant(&self.settings.thresholds) {
            self.apply_history_rules(number, &protocol, codes);
        }
        self.sites[number].add(protocol, &self.settings);
        number
    }

    /// The number of the site of a protocol; a new one for a new site.
    fn site_number(&mut self, protocol: &Protocol, codes: &CodeTable) -> usize {
        let key = site_key(protocol.instance.site, protocol.instance.container, codes);
        let next = self.sites.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.sites.push(SiteSummary::new(protocol));
        }
        number
    }

    /// Applies all rules about one history to a protocol, and merges the matches.
    fn apply_history_rules(&mut self, site: usize, protocol: &Protocol, codes: &CodeTable) {
        let mut shared_protocol = None;
        for (rule, entry) in rules::RULES.iter().enumerate() {
            let Finder::History(find) = entry.find else { continue };
            let Some(found) = self.apply_rule(find, protocol, codes) else { continue };
            let order = (protocol.events, protocol.instance.id);
            let key = (site, rule, cause_key(&found, codes));
            add_match(&mut self.matches, key, MergedCost::new(&found), order, || {
                Representative::History(Arc::clone(
                    shared_protocol.get_or_insert_with(|| Arc::new(protocol.clone())),
                ))
            });
        }
    }

    /// Applies one rule about one history.
    fn apply_rule(
        &self,
        find: fn(&HistoryContext<'_>) -> Option<RuleMatch>,
        protocol: &Protocol,
        codes: &CodeTable,
    ) -> Option<RuleMatch> {
        let mut found = find(&HistoryContext { protocol, thresholds: &self.settings.thresholds, codes })?;
        found.data.push(("threads", protocol.counts.threads.sorted().len() as f64));
        Some(found)
    }

    /// The match that represents merged ones in a finding. The rule is applied again, because the statistics of loops, and so the
    /// primary site, are complete only now.
    fn representative_match(
        &self,
        rule: usize,
        merged: &MergedMatches,
        codes: &CodeTable,
    ) -> Option<RuleMatch> {
        match (&merged.representative, rules::RULES[rule].find) {
            (Representative::Match(found), _) => Some(found.as_ref().clone()),
            (Representative::History(protocol), Finder::History(find)) => {
                self.apply_rule(find, protocol, codes)
            }
            (Representative::History(_), Finder::Program(_)) => None,
        }
    }

    /// The findings of all rules.
    #[must_use]
    pub fn findings(&self, codes: &CodeTable, time: RunTime) -> Outcome {
        let (further, silent) = self.apply_program_rules(codes, time);
        let limit = time.unrecorded.map_or(f64::INFINITY, |seconds| seconds * 1e9);
        let all = self.sites.iter().map(|site| site.counts.cost_up_to(limit)).sum();
        let context = (all, time, &self.settings.thresholds);
        let uses = [CallPart::Whole, CallPart::Growth].map(|calls| CallUses::new(&self.sites, calls));
        let finish = |(&(site, rule, _), merged): (&MatchKey, &MergedMatches)| {
            let mut found = self.representative_match(rule, merged, codes)?;
            found.cost.in_calls = merged
                .calls()
                .and_then(|(calls, of_calls)| uses[calls as usize].sampled(calls, (site, of_calls), codes));
            Some(merged.finish(&found, rules::RULES[rule].rule, &self.sites[site], codes, context))
        };
        let mut findings: Vec<SpyFinding> = self.matches.iter().chain(&further).filter_map(finish).collect();
        findings.sort_by(SpyFinding::compare);
        Outcome { findings, silent }
    }

    /// The merged matches of the rules about the whole program, and the rules that could not be applied.
    fn apply_program_rules(
        &self,
        codes: &CodeTable,
        time: RunTime,
    ) -> (BTreeMap<MatchKey, MergedMatches>, Vec<SkippedRule>) {
        let program =
            ProgramContext { sites: &self.sites, thresholds: &self.settings.thresholds, codes, time };
        let (mut matches, mut silent) = (BTreeMap::new(), Vec::new());
        for (rule, entry) in rules::RULES.iter().enumerate() {
            let Finder::Program(find) = entry.find else { continue };
            match find(&program) {
                Ok(mut found) => {
                    found.sort_by_key(|(site, (_, instance), _)| (*site, *instance));
                    for (site, order, found) in found {
                        let key = (site, rule, cause_key(&found, codes));
                        add_match(&mut matches, key, MergedCost::new(&found), order, || {
                            Representative::Match(Box::new(found))
                        });
                    }
                }
                Err(reason) => {
                    silent.push(SkippedRule { rule: entry.rule.id.to_owned(), reason: reason.to_string() })
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
    /// By rank, then by order number. Without severity only the order number counts.
    fn compare(&self, other: &Self) -> Ordering {
        let by_order = other.order.cmp(&self.order);
        match (self.finding.weight(), other.finding.weight()) {
            (None, None) => by_order,
            _ => compare_rank(&self.finding, &other.finding).then(by_order),
        }
    }

    /// Whether it concerns a noticeable share of the run time; `None` if that is not known.
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
            counts: AccessCounts::default(),
            growth: Growth::default(),
            most_reallocations: 0,
            loops: LoopUses::default(),
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
        } else if let Some(least) = self.protocols.iter_mut().min_by_key(|protocol| protocol.events)
            && least.events < protocol.events
        {
            *least = protocol;
        }
    }
}
