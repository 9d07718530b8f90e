//! Loops whose iterations do not touch each other's elements.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{CannotLook, Found, Match, PRIOR, Whole, counted, is_fill, subject};
use crate::places::{cause_at, place_of_loop};
use crate::protocol::{LoopUse, Protocol};
use crate::settings::INDEPENDENT_ITERATIONS;
use crate::severity::Cost;

pub(super) const RULE: Rule = Rule {
    id: "spy-independent-iterations",
    version: 1,
    title: "the iterations of a loop are independent",
    meaning: "No iteration of the loop wrote an element that another iteration of it read or wrote, in any recorded structure. The \
              iterations could have run at the same time.",
    computation: "Needs iteration borders from the recorder and is silent without them. For each execution of a loop, the range of \
                  elements written by an iteration must not meet what earlier ones accessed, nor its reads what earlier ones \
                  wrote. Insertions, deletions and sorts count as conflicts. Fires for a structure that such a loop writes at \
                  least `writes` times, in executions of at least `iterations` iterations, if the loop has no conflict in any \
                  structure.",
    example: "`for i in 0..n { v[i] = f(v[i]) }`",
    picture: "iteration  0  1  2  3\nelement    0  1  2  3   each has its own",
    advice: "`v.par_iter_mut().for_each(…)`, or `par_chunks_mut` where an iteration has several elements. The recording shows independence \
             for this input only, and does not see variables outside of data structures: rayon's types check the rest.",
    thresholds: INDEPENDENT_ITERATIONS,
    prior: PRIOR,
    references: &["rayon, IndexedParallelIterator"],
};

pub(super) fn find(whole: &Whole<'_>) -> Result<Vec<Found>, CannotLook> {
    if whole.loops.is_empty() {
        return Err(CannotLook::NoIterations);
    }
    let found = whole.relevant().flat_map(|(site, protocol)| {
        let uses = protocol.loops.uses.iter().filter(|used| fires(whole, used));
        uses.map(move |used| (site, (protocol.events, protocol.instance.id), matched(whole, protocol, used)))
    });
    Ok(found.collect())
}

fn fires(whole: &Whole<'_>, used: &LoopUse) -> bool {
    whole.loops.get(&used.of_loop) == Some(&0)
        && used.longest as f64 >= whole.thresholds.iterations
        && used.writes as f64 >= whole.thresholds.iteration_writes
        // No line of the user's code has the loop in which the library fills a structure.
        && !used.codes.most().is_some_and(|code| is_fill(whole.codes, code))
}

fn matched(whole: &Whole<'_>, protocol: &Protocol, used: &LoopUse) -> Match {
    // The loop whose iterations are independent: those of a loop around it need not be.
    let main = place_of_loop(whole.codes, &used.codes, used.of_loop);
    Match {
        main,
        level: Level::Warning,
        cost: Cost { accesses: (used.reads + used.writes) as f64, busy: Some(used.busy) },
        certainty: 0.6,
        text: format!(
            "{} writes {} in {} ({}), and no iteration touches what another one writes",
            cause_at(whole.codes, &used.codes, main),
            subject(whole.codes, protocol),
            counted(used.iterations, "iteration"),
            counted(used.writes, "write")
        ),
        data: vec![
            ("iterations", used.iterations as f64),
            ("executions", used.executions as f64),
            ("writes", used.writes as f64),
            ("reads", used.reads as f64),
        ],
        recommendation: format!(
            "if no variable is carried from one iteration to the next, run them in parallel: `par_iter_mut()` or \
             `par_chunks_mut()`; independence was seen for this input only ({} iterations)",
            format_count(used.iterations as f64)
        ),
        codes: used.codes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{Container, Kind};
    use crate::rules::fixture::{History, found, outcome, text};

    const ID: &str = "spy-independent-iterations";

    fn fires(histories: Vec<History>) -> bool {
        !found(ID, histories).is_empty()
    }

    fn history(iterations: u64) -> History {
        let body = |i| vec![(Kind::Read, i), (Kind::Write, i)];
        History::filled(Container::Vec, 1000).iterate(7, iterations, body).jump(1000)
    }

    #[test]
    fn a_hundred_iterations_with_a_hundred_writes() {
        assert!(fires(vec![history(100)]));
        assert!(!fires(vec![history(99)]));
        let reads = History::filled(Container::Vec, 1000).iterate(7, 1000, |i| vec![(Kind::Read, i)]);
        assert!(!fires(vec![reads]));
    }

    #[test]
    fn each_line_with_such_a_loop_is_a_finding() {
        let body = |i| vec![(Kind::Read, i), (Kind::Write, i)];
        let two = |first, second| {
            let history = History::filled(Container::Vec, 1000).by(first).iterate(7, 200, body);
            found(ID, vec![history.by(second).iterate(9, 300, body).jump(1000)])
        };
        assert_eq!(two(11, 12).len(), 2);
        // The compiler may make several loops of one.
        assert_eq!(two(11, 11).len(), 1);
    }

    #[test]
    fn a_dependence_silences_it() {
        let carried = |i: u64| vec![(Kind::Read, i), (Kind::Write, i + 1)];
        assert!(!fires(vec![History::filled(Container::Vec, 1000).iterate(7, 500, carried).jump(1000)]));
    }

    #[test]
    fn so_does_one_in_another_structure() {
        let sum = |id| History::numbered(Container::Vec, id, 8).long(1);
        assert!(!fires(vec![
            history(200),
            sum(2).iterate(7, 200, |_| vec![(Kind::Read, 0), (Kind::Write, 0)])
        ]));
        assert!(fires(vec![
            history(200),
            sum(2).iterate(9, 200, |_| vec![(Kind::Read, 0), (Kind::Write, 0)])
        ]));
    }

    #[test]
    fn without_borders_it_says_why_it_is_silent() {
        let silent = outcome(vec![History::new(Container::Vec).push(2000)]).silent;
        assert_eq!((silent.len(), silent[0].rule.as_str()), (1, ID));
        assert_eq!(silent[0].reason, "the recording has no borders of loop iterations");
        assert_eq!(outcome(vec![history(10)]).silent, []);
    }

    #[test]
    fn the_sentence() {
        let expected = "independent iterations: main.rs:13 writes the Vec created at main.rs:10 in 200 iterations (200 writes), and no \
                        iteration touches what another one writes";
        assert_eq!(text(ID, vec![history(200)]), expected);
    }
}
