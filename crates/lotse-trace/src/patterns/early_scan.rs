//! Early scan: in a prefix operation, a rank waits for lower ranks.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&EARLY_SCAN], search: Search::Records(COLLECTIVES, search) };

/// Waiting in a prefix operation for lower ranks.
static EARLY_SCAN: Metric =
    Metric::wait("early_scan", "early scan", Class::Collective, Bound::Upper).from_records();

static RULE: Rule = Rule {
    id: "early_scan",
    version: 1,
    title: "early scan: a rank waits in a scan for lower ranks",
    meaning: "In MPI_Scan and MPI_Exscan rank n needs the data of all ranks below it. When one of them comes later, \
              rank n waits.",
    computation: "min(max E_i over i <= n, X) - E for rank n of the communicator. An upper bound: a rank may forward \
                  partial results while it waits.",
    picture: "rank 0  ── compute ──────┤Scan├───────
rank 1  ──┤Scan▒▒▒▒▒▒▒▒▒▒────├────────
rank 2  ── compute ────────────┤Scan├──
           ↑E            ↑max E_i, i ≤ 1",
    example: "Arrivals at 0.531, 0.525, 1.041 and 1.439 s: only rank 1 waits, 0.006 s.",
    advice: "Give lower ranks less work before the scan, or order the ranks so that those with less work are lower. \
             Post MPI_Iscan and compute meanwhile.",
    thresholds: &[],
    prior: PRIOR,
    references: &[GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let scan = |op| matches!(op, CollectiveOp::Scan | CollectiveOp::Exscan);
    let Some(member) = scene.member(op).filter(|member| scan(member.op)) else { return };
    let Ok(position) = member.collective.members.binary_search(&op) else { return };
    if let Some(last) = member.gathered.not_higher.get(position).copied().flatten() {
        collector.add_wait_until(scene.trace, &EARLY_SCAN, member.call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows};

    fn scan(arrivals: [u64; 4]) -> Script {
        let mut script = Script::processes(4);
        for (rank, from) in arrivals.into_iter().enumerate() {
            script.collective(rank, (from, 1500), "MPI_Scan", CollectiveOp::Scan, None);
        }
        script
    }

    #[test]
    fn only_lower_ranks_are_waited_for() {
        let script = scan([531, 525, 1041, 1439]);
        assert_eq!(cube_rows(&script), [("early_scan", 1, "MPI_Scan".to_owned(), 6)]);
        let expected =
            [(1, 300), (2, 500), (3, 100)].map(|(rank, ticks)| (rank, "MPI_Scan".to_owned(), ticks));
        assert_eq!(amounts(&scan([900, 600, 400, 800]), "early_scan"), expected);
    }

    #[test]
    fn ranks_are_those_of_the_communicator() {
        let mut script = scan([900, 600, 400, 800]);
        script.definitions.communicators[1].members = [3, 2, 1, 0].map(|it| Some(LocationId(it))).into();
        // Ranks in order: locations 3, 2, 1, 0, who came at 800, 400, 600, 900.
        let expected = [(1, 200), (2, 400)].map(|(rank, ticks)| (rank, "MPI_Scan".to_owned(), ticks));
        assert_eq!(amounts(&script, "early_scan"), expected);
    }
}
