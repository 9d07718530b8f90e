//! Detects structures that grow by repeated reallocation.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{
    NotApplicable, PRIOR, ParallelLoop, PrimarySite, ProgramContext, RuleMatch, SiteMatch, cause, counted,
    place,
};
use crate::container::AccessKind;
use crate::program::SiteSummary;
use crate::settings::MISSING_CAPACITY;
use crate::severity::{CallPart, FindingCost, growth_cost};

pub(super) const RULE: Rule = Rule {
    id: "spy-missing-capacity",
    version: 1,
    title: "a structure grows without a capacity",
    meaning: "Each time its memory is full, a larger block is allocated and the elements are copied. Where it is known about how \
              many elements will come, room for them can be reserved once.",
    computation: "Looks at all instances of a site together: the longest must pass the filter of length, all together that of \
                  accesses. Fires when one instance was reallocated at least `growths` times and all reallocations together \
                  copied at least `copies` elements for each element inserted.",
    example: "`let mut v = Vec::new(); for x in input { v.push(x) }` where input.len() is known.",
    picture: "capacity  4 -> 8 -> 16 -> 32 -> 64 -> 128: 124 elements copied for 128",
    advice: "Create it with `with_capacity`, call `reserve` before the loop, or `collect` from an iterator that knows its length.",
    thresholds: MISSING_CAPACITY,
    prior: PRIOR,
    references: &["std::vec::Vec, Capacity and reallocation"],
};

pub(super) fn find(program: &ProgramContext<'_>) -> Result<Vec<SiteMatch>, NotApplicable> {
    let found = program.sites.iter().enumerate().filter_map(|(number, site)| {
        let instance = site.protocols.iter().max_by_key(|protocol| protocol.growth.reallocations)?.instance;
        let cost = growth_cost(&instance, &site.growth);
        fires(program, site).then(|| (number, (site.events, instance.id), matched(program, site, cost)))
    });
    Ok(found.collect())
}

fn fires(program: &ProgramContext<'_>, site: &SiteSummary) -> bool {
    let thresholds = program.thresholds;
    site.max_length as f64 >= thresholds.min_length
        && site.events as f64 >= thresholds.min_accesses
        && site.most_reallocations as f64 >= thresholds.growths
        && copies(site) >= thresholds.growth_copies
}

/// Elements copied for each element inserted.
fn copies(site: &SiteSummary) -> f64 {
    site.growth.copied as f64 / site.counts.kind(AccessKind::Insert).events.max(1) as f64
}

fn matched(program: &ProgramContext<'_>, site: &SiteSummary, cost: f64) -> RuleMatch {
    let growth = &site.growth;
    let created = place(program.codes, site.site).unwrap_or_else(|| "a place that is not known".to_owned());
    RuleMatch {
        // The capacity is specified where the structure is created.
        primary_site: PrimarySite::Creation,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Note,
        cost: FindingCost::from_calls(cost, CallPart::Growth),
        certainty: 0.7,
        text: format!(
            "{} created at {created} grew by {} (room for {} elements was copied), caused by {}",
            counted(site.instances, site.container.name()),
            counted(growth.reallocations, "reallocation"),
            format_count(growth.copied as f64),
            cause(program.codes, &growth.codes)
        ),
        data: vec![
            ("reallocations", growth.reallocations as f64),
            ("copied", growth.copied as f64),
            ("capacity", growth.capacity as f64),
        ],
        recommendation: recommendation(site),
        codes: growth.codes.clone(),
    }
}

fn recommendation(site: &SiteSummary) -> String {
    let name = site.container.name();
    match site.instances {
        1 => format!(
            "reserve room once: `{name}::with_capacity({})` or the number that is expected",
            site.max_length
        ),
        _ => format!(
            "reserve room once: `{name}::with_capacity(…)` with the number that is expected for each (the longest had {})",
            format_count(site.max_length as f64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::container::Container;
    use crate::rules::fixture::{History, found, text};

    const ID: &str = "spy-missing-capacity";

    fn fires(histories: Vec<History>) -> bool {
        !found(ID, histories).is_empty()
    }

    #[test]
    fn four_reallocations_are_a_chain() {
        let history = |first: u64| History::new(Container::Vec).grown(first, 1024).push(1000);
        assert!(fires(vec![history(64)]));
        assert!(!fires(vec![history(128)]));
    }

    #[test]
    fn few_copies_are_no_loss() {
        let history = |pushes| History::new(Container::Vec).grown(64, 1024).push(pushes);
        // 64 + 128 + 256 + 512 = 960 elements are copied.
        assert!(fires(vec![history(1920)]));
        assert!(!fires(vec![history(1921)]));
    }

    #[test]
    fn many_small_instances_count_together() {
        let small = || History::new(Container::Vec).grown(4, 64).push(60);
        assert!(!fires((0..16).map(|_| small()).collect()), "960 accesses");
        let expected = "missing capacity: 17 Vecs created at main.rs:10 grew by 68 reallocations (room for 1,020 elements was \
                        copied), caused by main.rs:11";
        assert_eq!(text(ID, (0..17).map(|_| small()).collect()), expected);
    }
}
