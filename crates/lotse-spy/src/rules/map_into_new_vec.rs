//! Detects loops that read one structure and fill another one from it.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{NotApplicable, PRIOR, ParallelLoop, ProgramContext, RuleMatch, SiteMatch, counted, subject};
use crate::phases::{Characteristic, Pattern, Phase};
use crate::places::{Obstacle, cause_at, place_of_phases};
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::MAP_INTO_NEW_VEC;
use crate::severity::{FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-map-into-new-vec",
    version: 2,
    title: "one structure is read while another is filled from it",
    meaning: "A loop reads one structure in order and appends or writes to another at the same time: each new element is made from \
              old ones. If making one needs no result of another, this is a parallel map.",
    computation: "Looks for a strict phase of at least `events` insertions at the back, or writes forward, and a strict forward read phase \
                  of another structure by the same thread, so that the time in which both last is at least `overlap` of each. As \
                  many elements are read as written, or up to ten times as many (a filter).",
    example: "`for x in &a { b.push(f(x)) }`",
    picture: "a  read    / / / /\nb  insert  / / / /   at the same time, by the same thread",
    advice: "`let b: Vec<_> = a.par_iter().map(f).collect();` keeps the order; `filter_map` where not every element gives one.",
    thresholds: MAP_INTO_NEW_VEC,
    prior: PRIOR,
    references: &["rayon, ParallelIterator::map"],
};

/// A phase with its protocol and the number of its site.
#[derive(Clone, Copy)]
pub(super) struct LocatedPhase<'a> {
    site: usize,
    pub(super) protocol: &'a Protocol,
    pub(super) phase: &'a Phase,
}

/// The kept strict phases of these patterns with at least `events` accesses, in the order of time.
pub(super) fn located<'a>(
    program: &'a ProgramContext<'_>,
    patterns: &[Pattern],
    events: f64,
) -> Vec<LocatedPhase<'a>> {
    let mut found: Vec<LocatedPhase<'a>> = program
        .relevant()
        .flat_map(|(site, protocol)| {
            let lists = patterns.iter().map(|pattern| protocol.list(Characteristic::strict(*pattern)));
            let phases = lists.flat_map(|list| &list.phases).filter(|phase| phase.events as f64 >= events);
            phases.map(move |phase| LocatedPhase { site, protocol, phase }).collect::<Vec<_>>()
        })
        .collect();
    found.sort_by_key(|located| located.phase.time);
    found
}

impl LocatedPhase<'_> {
    pub(super) fn site_match(&self, found: RuleMatch) -> SiteMatch {
        (self.site, (self.protocol.events, self.protocol.instance.id), found)
    }

    fn duration(&self) -> u64 {
        self.phase.time.1 - self.phase.time.0
    }

    /// Whether both phases are by the same thread, of different structures, and overlap for at least `share` of each.
    pub(super) fn accompanies(&self, other: &Self, share: f64) -> bool {
        let (a, b) = (self.phase.time, other.phase.time);
        let together = a.1.min(b.1).saturating_sub(a.0.max(b.0)) as f64;
        self.protocol.instance.id != other.protocol.instance.id
            && self.phase.threads.most() == other.phase.threads.most()
            && together > 0.0
            && together >= share * self.duration().max(other.duration()) as f64
    }
}

/// The phases, of a list sorted by time, that begin at about the same time as `other`, so that they may overlap it for at least
/// `share` of both.
pub(super) fn nearby<'a, 'b>(
    phases: &'b [LocatedPhase<'a>],
    other: &LocatedPhase<'_>,
    share: f64,
) -> impl Iterator<Item = &'b LocatedPhase<'a>> {
    // If two phases overlap for a share s of both, the longer one is at most 1/s times as long, which limits its earlier start.
    let reach = (other.duration() as f64 * (1.0 / share.max(0.01) - 1.0).max(0.0)) as u64 + 1;
    let (low, high) = (other.phase.time.0.saturating_sub(reach), other.phase.time.1);
    let first = phases.partition_point(|located| located.phase.time.0 < low);
    phases[first..].iter().take_while(move |located| located.phase.time.0 <= high)
}

/// A structure (`new`) that is filled from another one (`old`), over all its phases.
struct Mapping<'a> {
    old: LocatedPhase<'a>,
    new: LocatedPhase<'a>,
    read: u64,
    filled: PhaseSum,
}

pub(super) fn find(program: &ProgramContext<'_>) -> Result<Vec<SiteMatch>, NotApplicable> {
    let (events, overlap) = (program.thresholds.map_events, program.thresholds.map_overlap);
    let reads = located(program, &[Pattern::LinearReadForward], events);
    let filled = located(program, &[Pattern::InsertBack, Pattern::LinearWriteForward], events);
    let mut mappings: Vec<Mapping<'_>> = Vec::new();
    for new in filled {
        let source =
            nearby(&reads, &new, overlap).find(|old| feeds(old, &new) && new.accompanies(old, overlap));
        if let Some(old) = source {
            add(&mut mappings, *old, new);
        }
    }
    Ok(mappings.iter().map(|mapping| mapping.new.site_match(matched(program, mapping))).collect())
}

/// Whether as many elements are read as written, or up to ten times as many.
fn feeds(old: &LocatedPhase<'_>, new: &LocatedPhase<'_>) -> bool {
    let (read, written) = (old.phase.covered(), new.phase.covered());
    read >= written && read <= 10 * written
}

fn add<'a>(mappings: &mut Vec<Mapping<'a>>, old: LocatedPhase<'a>, new: LocatedPhase<'a>) {
    let same = |known: &Mapping<'_>| known.new.protocol.instance.id == new.protocol.instance.id;
    let at = mappings.iter().position(same).unwrap_or_else(|| {
        mappings.push(Mapping { old, new, read: 0, filled: PhaseSum::default() });
        mappings.len() - 1
    });
    mappings[at].read += old.phase.covered();
    mappings[at].filled.add(new.phase);
}

fn matched(program: &ProgramContext<'_>, mapping: &Mapping<'_>) -> RuleMatch {
    let (filled, read) = (&mapping.filled, mapping.read as f64);
    let is_filter = read > 1.1 * filled.events as f64;
    let method = if is_filter { "filter_map" } else { "map" };
    // The loop that fills the new structure is what becomes a parallel map.
    let primary_site = place_of_phases(program.codes, filled);
    let obstacle = Obstacle::of_phases(program.codes, filled);
    RuleMatch {
        primary_site,
        parallel_loop: ParallelLoop::from_phases(program.codes, filled),
        level: Level::Note,
        cost: FindingCost::from_phases(2.0 * filled.events as f64 + read, ParallelTime::from_phases(filled)),
        certainty: obstacle.certainty().min(if is_filter { 0.4 } else { 0.6 }),
        text: format!(
            "{} reads {} elements of {} in order and puts {} into {}, in {}",
            cause_at(program.codes, &filled.codes, primary_site),
            format_count(read),
            subject(program.codes, mapping.old.protocol),
            format_count(filled.events as f64),
            subject(program.codes, mapping.new.protocol),
            counted(filled.phases, "phase")
        ),
        data: vec![("read", read), ("written", filled.events as f64), ("phases", filled.phases as f64)],
        recommendation: format!("{}: `par_iter().{method}(…).collect()`", obstacle.condition()),
        codes: filled.codes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, found, text};

    const ID: &str = "spy-map-into-new-vec";

    fn old(id: u64, reads: u64) -> History {
        History::numbered(Container::Vec, id, 0).long(reads).scan(AccessKind::Read, 0, reads - 1)
    }

    fn new(pushes: u64) -> History {
        History::numbered(Container::Vec, 2, 8).push(pushes)
    }

    fn fires(histories: Vec<History>) -> bool {
        !found(ID, histories).is_empty()
    }

    #[test]
    fn a_thousand_elements_at_the_same_time() {
        assert!(fires(vec![old(1, 1000), new(1000)]));
        assert!(!fires(vec![old(1, 1000), new(999)]));
        assert!(!fires(vec![old(1, 1000), new(1000).on(3).at(20_000_000).push(1000)].split_off(1)));
    }

    #[test]
    fn eighty_percent_together_on_one_thread() {
        let later = |delay: u64| {
            vec![old(1, 2000), History::numbered(Container::Vec, 2, 8).at(1000 + delay).push(2000)]
        };
        // 1999 gaps of 10 ns.
        assert!(fires(later(3990)));
        assert!(!fires(later(4010)));
        assert!(!fires(vec![old(1, 2000), History::numbered(Container::Vec, 2, 8).on(1).push(2000)]));
        assert!(
            !fires(vec![old(2, 2000), History::numbered(Container::Vec, 2, 8).push(2000)]),
            "the same structure"
        );
    }

    #[test]
    fn the_sentence() {
        let expected = "map into new vec: main.rs:11 reads 1,000 elements of the Vec created at main.rs:10 in order and puts \
                        1,000 into the Vec created at main.rs:18, in 1 phase";
        assert_eq!(text(ID, vec![old(1, 1000), new(1000)]), expected);
    }
}
