//! Detects loops whose iterations do not depend on each other.

use std::collections::BTreeMap;

use lotse_formats::history::CarriedVariable;
use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{
    NotApplicable, PRIOR, ParallelLoop, PrimarySite, ProgramContext, RuleMatch, SiteMatch, counted, is_fill,
    place, subject,
};
use crate::instance::{CodeTable, LoopId};
use crate::nesting::{IterationOrder, LoopStats};
use crate::places::{cause_at, is_recursive, place_of_loop};
use crate::program::SiteSummary;
use crate::protocol::{LoopUse, Protocol};
use crate::settings::INDEPENDENT_ITERATIONS;
use crate::severity::{FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-independent-iterations",
    version: 3,
    title: "the iterations of a loop are independent",
    meaning: "No iteration of the loop wrote what another iteration of it read or wrote, in any recorded structure, or read a variable \
              in memory that another one wrote, and the machine code of the loop carries nothing in registers from one iteration to the next \
              but counters, positions, and sums or the like, whose order does not matter. The iterations could have run at the same time.",
    computation: "Needs iteration borders from the recorder and is silent without them. For each place of memory the iteration that \
                  used it last is known: an access depends on an earlier iteration of a loop around it if that one wrote the \
                  place, or read it and now it is written, or changed the number of elements of the structure. Of variables \
                  outside of structures only reads of what an earlier iteration wrote count; positions of iterators do not, and where a library \
                  call reads a variable of its own that may be state, such as that of a hasher, the certainty is 20 % and the advice says so. Registers and stack \
                  slots are analysed in the instructions of the loop: a variable that an iteration reads before it writes it is \
                  carried, and must at the end be its old value plus a fixed amount, or a position computed without data, or a sum or \
                  maximum that is used for nothing else, or set anew and only compared to leave the loop. Atomic operations in the loop itself count as state; \
                  where the loop can be left in several places, the certainty is lower. All structures of a site count together. Loops of all levels of a nest are \
                  examined. Fires for a loop without such an access, with at least `iterations` iterations in its longest \
                  execution and `writes` writes to structures, if an execution lasts at least `spy-history.grain` \
                  nanoseconds on average: threads that start and end cost some microseconds. Of a nest the outermost and the innermost such \
                  loop are named. The share of the run is the time in the loop and in what it calls, by samples of a run without recording; \
                  where there are none, the time between entering and leaving it in the recording.",
    example: "`for row in 0..n { for x in 0..n { b[row * n + x] = f(&a, row, x) } }`: the loop over rows",
    picture: "iteration  0  1  2  3\nelement    0  1  2  3   each has its own",
    advice: "`v.par_iter_mut().for_each(…)`, or `par_chunks_mut` where an iteration has several elements. The recording shows independence \
             for this input only, and does not see what is printed, nor thread-local variables, nor atomics in functions that are called. rayon's types refuse \
             shared variables that are changed, but neither atomics nor thread-local state. Sums become `.sum()` or `.reduce(…)`.",
    thresholds: INDEPENDENT_ITERATIONS,
    prior: PRIOR,
    references: &["rayon, IndexedParallelIterator"],
};

/// A loop that could run in parallel, and what it writes.
struct Candidate<'a> {
    loop_id: LoopId,
    stats: LoopStats,
    /// The site, protocol and use with the most writes.
    site: usize,
    protocol: &'a Protocol,
    used: &'a LoopUse,
    /// Number of structures by site.
    structures: BTreeMap<usize, u64>,
    writes: u64,
    reads: u64,
}

pub(super) fn find(program: &ProgramContext<'_>) -> Result<Vec<SiteMatch>, NotApplicable> {
    if program.codes.loops.is_empty() {
        return Err(NotApplicable::NoIterations);
    }
    let mut found: BTreeMap<LoopId, Candidate<'_>> = BTreeMap::new();
    // A row of a matrix may be short and used once, so all structures of a site count together.
    let is_long = |site: &SiteSummary| {
        site.max_length as f64 >= program.thresholds.min_length
            && site.events as f64 >= program.thresholds.min_accesses
    };
    for (site, summary) in program.sites.iter().enumerate().filter(|(_, summary)| is_long(summary)) {
        for used in summary.loops.uses.iter().filter(|used| used.writes > 0) {
            let Some(protocol) = with_most_writes(summary, used.loop_id) else { continue };
            for (loop_id, stats) in parallel_loops(program, used) {
                let new = Candidate {
                    loop_id,
                    stats,
                    site,
                    protocol,
                    used,
                    structures: BTreeMap::new(),
                    writes: 0,
                    reads: 0,
                };
                found.entry(loop_id).or_insert(new).add(site, protocol, used);
            }
        }
    }
    let many = found.values().filter(|found| found.writes as f64 >= program.thresholds.iteration_writes);
    Ok(many.map(|found| found.site_match(program)).collect())
}

/// The kept protocol of a site that a loop writes to most.
fn with_most_writes(summary: &SiteSummary, loop_id: LoopId) -> Option<&Protocol> {
    let writes = |protocol: &&Protocol| {
        let used = protocol.loops.uses.iter().find(|used| used.loop_id == loop_id);
        used.map_or(0, |used| used.writes)
    };
    summary.protocols.iter().max_by_key(writes)
}

/// The outermost and the innermost loop around the accesses that could run in parallel.
fn parallel_loops(program: &ProgramContext<'_>, used: &LoopUse) -> Vec<(LoopId, LoopStats)> {
    // The loop in which the library fills a structure is not in user code.
    let first = usize::from(used.codes.most().is_some_and(|code| is_fill(program.codes, code)));
    let loops = &program.codes.loops;
    let nest = loops.nest(used.loop_id).enumerate().skip(first);
    let mut levels: Vec<(LoopId, LoopStats)> = nest
        .filter(|&(level, loop_id)| level == 0 || has_place(program, loop_id))
        .filter_map(|(_, loop_id)| Some((loop_id, loops.stats(loop_id)?)))
        .filter(|(loop_id, stats)| is_worth_it(program, *loop_id, stats))
        .collect();
    if levels.len() > 2 {
        levels.drain(1..levels.len() - 1);
    }
    levels
}

/// Whether a loop is at a known line of a non-recursive function.
fn has_place(program: &ProgramContext<'_>, loop_id: LoopId) -> bool {
    program.codes.loops.site(loop_id).is_some_and(|site| !is_recursive(program.codes, site))
}

fn is_worth_it(program: &ProgramContext<'_>, loop_id: LoopId, stats: &LoopStats) -> bool {
    stats.order == IterationOrder::Any
        && stats.longest as f64 >= program.thresholds.iterations
        && execution_time(program, loop_id, stats) >= program.thresholds.grain
}

/// Average nanoseconds of an execution without recording; with recording if the unrecorded run is not known.
fn execution_time(program: &ProgramContext<'_>, loop_id: LoopId, stats: &LoopStats) -> f64 {
    let busy = busy(program, stats);
    let sampled = program.codes.samples.time_in_loops(&[loop_id]);
    busy.per_part(sampled, program.time)
}

fn busy(program: &ProgramContext<'_>, stats: &LoopStats) -> ParallelTime {
    ParallelTime::from_loop(stats, program.time)
}

impl<'a> Candidate<'a> {
    fn add(&mut self, site: usize, protocol: &'a Protocol, used: &'a LoopUse) {
        // Inner loops may write to the same structures.
        let structures = self.structures.entry(site).or_default();
        *structures = used.structures.max(*structures);
        self.writes += used.writes;
        self.reads += used.reads;
        if used.writes > self.used.writes {
            (self.site, self.protocol, self.used) = (site, protocol, used);
        }
    }

    fn site_match(&self, program: &ProgramContext<'_>) -> SiteMatch {
        (self.site, (self.protocol.events, self.protocol.instance.id), self.matched(program))
    }

    fn matched(&self, program: &ProgramContext<'_>) -> RuleMatch {
        let Self { loop_id, stats, used, .. } = *self;
        let is_innermost = loop_id == used.loop_id;
        let primary_site = if is_innermost {
            place_of_loop(program.codes, &used.codes, loop_id)
        } else {
            PrimarySite::Loop(loop_id)
        };
        let others = match self.structures.values().sum() {
            0 | 1 => String::new(),
            2 => " and 1 other structure".to_owned(),
            count => format!(" and {} other structures", format_count((count - 1_u64) as f64)),
        };
        RuleMatch {
            primary_site,
            parallel_loop: ParallelLoop::Single(loop_id),
            level: Level::Warning,
            cost: FindingCost::from_phases((self.reads + self.writes) as f64, busy(program, &stats)),
            certainty: certainty(&stats, is_innermost),
            text: format!(
                "{} writes {}{others} ({}), and no iteration of the loop touches an element that another one writes",
                cause_at(program.codes, &used.codes, primary_site),
                subject(program.codes, self.protocol),
                counted(self.writes, "write")
            ),
            data: vec![
                // An upper bound: a border between iterations may be counted twice.
                ("iterations_at_most", stats.iterations as f64),
                ("executions", stats.executions as f64),
                ("execution_seconds", execution_time(program, loop_id, &stats) / 1e9),
                ("writes", self.writes as f64),
                ("reads", self.reads as f64),
            ],
            recommendation: recommendation(&stats, program.codes),
            codes: used.codes.clone(),
        }
    }
}

/// How certain it is that the iterations can be divided among threads. Outer loops contain more code that is not analysed.
fn certainty(stats: &LoopStats, is_innermost: bool) -> f64 {
    let code = match stats.carried {
        _ if stats.unclear.is_some() => 0.2,
        Some(CarriedVariable::None) => 0.75,
        Some(CarriedVariable::Leaves) => 0.45,
        Some(_) => 0.65,
        None => 0.3,
    };
    if is_innermost { code } else { code - 0.1 }
}

/// The advice, with the condition that could not be checked: a library call that may keep state, or else what the machine code shows.
fn recommendation(stats: &LoopStats, codes: &CodeTable) -> String {
    let how = "run them in parallel: `par_iter_mut()` or `par_chunks_mut()`";
    let seen = "independence was seen for this input only";
    let unclear = |call| match (codes.method(call), place(codes, call)) {
        (Some(method), Some(place)) => format!("`{method}` at {place}"),
        _ => "a library call in the loop".to_owned(),
    };
    if let Some(call) = stats.unclear {
        return format!(
            "{} reads what it left in an earlier iteration, as a generator or a hasher does; only if no result depends on that, {how}; {seen}",
            unclear(call)
        );
    }
    match stats.carried {
        Some(CarriedVariable::Combined) => format!(
            "{how}, and give back what the loop adds up or compares over all iterations by `.sum()` or `.reduce(…)`; {seen}"
        ),
        Some(CarriedVariable::Leaves) => format!(
            "if no iteration leaves the loop early, so that later ones do not run (its code can leave it in several places), {how}; {seen}"
        ),
        Some(_) => format!("{how}; {seen}"),
        None => format!(
            "if no variable in a register is carried from one iteration to the next (that was not looked at), {how}; {seen}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::CarriedVariable;

    use crate::container::{AccessKind, Container};
    use crate::instance::{CodeId, LoopId};
    use crate::nesting::LoopTable;
    use crate::rules::fixture::{History, found_in, outcome, text_in};

    const ID: &str = "spy-independent-iterations";

    fn history(iterations: u64) -> History {
        let body = |i| vec![(AccessKind::Read, i), (AccessKind::Write, i)];
        History::filled(Container::Vec, 1000).iterate(7, iterations, body).jump(1000)
    }

    /// Loop 7 was executed once, with this many iterations and nanoseconds.
    fn ran(iterations: u64, time: u64) -> impl Fn(&mut LoopTable) {
        move |loops| {
            loops.record_entry(LoopId(7), None);
            loops.record_exit(LoopId(7), iterations, time);
        }
    }

    fn fires(history: History, loops: impl Fn(&mut LoopTable)) -> bool {
        !found_in(ID, vec![history], loops).is_empty()
    }

    #[test]
    fn eight_iterations_with_a_hundred_writes_that_last() {
        // The recording is four times as slow as the program.
        assert!(fires(history(100), ran(8, 80_000)));
        assert!(!fires(history(100), ran(7, 80_000)));
        assert!(!fires(history(99), ran(8, 80_000)));
        assert!(!fires(history(100), ran(8, 79_000)), "too short to start threads for");
        let reads = History::filled(Container::Vec, 1000).iterate(7, 1000, |i| vec![(AccessKind::Read, i)]);
        assert!(!fires(reads, ran(1000, 80_000)));
    }

    #[test]
    fn a_dependence_silences_it() {
        let depends = |loops: &mut LoopTable| {
            ran(100, 80_000)(loops);
            loops.record_dependence(LoopId(7));
        };
        assert!(!fires(history(100), depends));
    }

    #[test]
    fn a_register_that_is_carried_silences_it() {
        let carrying = |carried| {
            move |loops: &mut LoopTable| {
                ran(100, 80_000)(loops);
                loops.set_carried(LoopId(7), carried);
            }
        };
        assert!(!fires(history(100), carrying(Some(CarriedVariable::State))));
        let advice =
            |carried| found_in(ID, vec![history(100)], carrying(carried))[0].finding.recommendation.clone();
        assert!(advice(Some(CarriedVariable::None)).starts_with("run them in parallel"));
        assert!(advice(Some(CarriedVariable::Combined)).contains("reduce"));
        assert!(advice(None).starts_with("if no variable in a register"));
    }

    #[test]
    fn state_that_the_library_may_keep_is_said_and_weighs_little() {
        let unclear = |loops: &mut LoopTable| {
            ran(100, 80_000)(loops);
            loops.set_carried(LoopId(7), Some(CarriedVariable::None));
            loops.record_unclear(LoopId(7), Some(CodeId(4)));
        };
        let finding = &found_in(ID, vec![history(100)], unclear)[0].finding;
        let said = "`contains` at main.rs:14 reads what it left in an earlier iteration";
        assert!(finding.recommendation.starts_with(said), "{}", finding.recommendation);
        assert_eq!(finding.certainty.get(), 0.2);
    }

    #[test]
    fn each_line_with_such_a_loop_is_a_finding() {
        let body = |i| vec![(AccessKind::Read, i), (AccessKind::Write, i)];
        let both = |loops: &mut LoopTable| {
            ran(200, 100_000)(loops);
            loops.record_entry(LoopId(9), None);
            loops.record_exit(LoopId(9), 300, 100_000);
        };
        let two = |first, second| {
            let history = History::filled(Container::Vec, 1000).by(first).iterate(7, 200, body);
            found_in(ID, vec![history.by(second).iterate(9, 300, body).jump(1000)], both)
        };
        assert_eq!(two(11, 12).len(), 2);
        // The compiler may make several loops of one.
        assert_eq!(two(11, 11).len(), 1);
    }

    /// Loop 7 runs a hundred times in loop 6, which runs in loop 5; loop 6 is at line 90.
    fn nested(loops: &mut LoopTable) {
        use crate::access::Iteration;
        use lotse_model::site::SourceSite;
        let iteration = |loop_id, number| Some(Iteration { loop_id: LoopId(loop_id), number });
        let at = |line| SourceSite {
            file: "src/main.rs".into(),
            line: Some(line),
            column: None,
            function: Some("main".into()),
        };
        loops.record_entry(LoopId(5), None);
        for outer in 0..10 {
            loops.record_entry(LoopId(6), iteration(5, outer));
            for inner in 0..10 {
                loops.record_entry(LoopId(7), iteration(6, inner));
                loops.record_exit(LoopId(7), 100, 900);
            }
            loops.record_exit(LoopId(6), 10, 100_000);
        }
        loops.record_exit(LoopId(5), 10, 1_200_000);
        loops.record_lines(LoopId(6), vec![at(90)]);
        loops.record_lines(LoopId(5), vec![at(80)]);
    }

    #[test]
    fn of_a_nest_the_loop_that_is_worth_it() {
        let depends = |loops: &mut LoopTable| {
            nested(loops);
            loops.record_dependence(LoopId(5));
        };
        let expected = "independent iterations: main.rs:90 (through main.rs:13) writes the Vec created at main.rs:10 \
                        (200 writes), and no iteration of the loop touches an element that another one writes";
        assert_eq!(text_in(ID, vec![history(200)], depends), expected);
        assert_eq!(found_in(ID, vec![history(200)], nested).len(), 2, "and the one around it");
    }

    #[test]
    fn without_borders_it_says_why_it_is_silent() {
        let silent = outcome(vec![History::new(Container::Vec).push(2000)]).silent;
        assert_eq!((silent.len(), silent[0].rule.as_str()), (1, ID));
        assert_eq!(silent[0].reason, "the recording has no borders of loop iterations");
    }

    #[test]
    fn the_sentence() {
        let expected = "independent iterations: main.rs:13 writes the Vec created at main.rs:10 and 1 other structure \
                        (300 writes), and no iteration of the loop touches an element that another one writes";
        let other = History::numbered(Container::Vec, 2, 8).long(1000);
        let other = other.iterate(7, 100, |i| vec![(AccessKind::Write, i)]).jump(1000);
        assert_eq!(text_in(ID, vec![history(200), other], ran(200, 1_000_000)), expected);
    }
}
