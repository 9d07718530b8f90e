//! Late broadcast: members wait for the root, which sends the data.

use lotse_model::Rule;
use lotse_model::trace::CollectiveOp;

use super::{COLLECTIVES, GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Member, Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&LATE_BROADCAST], search: Search::Records(COLLECTIVES, search) };

/// Waiting for the root of a broadcast.
static LATE_BROADCAST: Metric =
    Metric::wait("late_broadcast", "late broadcast", Class::Collective, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "late_broadcast",
    version: 1,
    title: "late broadcast: members of a broadcast wait for its root",
    meaning: "In MPI_Bcast, MPI_Scatter and MPI_Scatterv all data come from the root. Members that come before it \
              have nothing to do until it comes.",
    computation: "min(E_root, X) - E for every member but the root that receives more than 0 bytes. Exact.",
    picture: "root    ── compute ────────┤Bcast├──────
rank 1  ──┤Bcast▒▒▒▒▒▒▒▒▒▒▒───├─────────
rank 2  ────────┤Bcast▒▒▒▒▒─────├───────
           ↑E              ↑E_root",
    example: "The root enters at 1.095 s, the others at 0.933, 1.262 and 0.945 s: waits of 0.162, 0 and 0.15 s.",
    advice: "Find what keeps the root: its own work, or input that it reads alone. Broadcast earlier, or post \
             MPI_Ibcast and go on with what does not need the data.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let Some(member) = scene.member(op).filter(waits) else { return };
    if let Some(root) = member.gathered.root {
        collector.add_wait_until(scene.trace, &LATE_BROADCAST, member.call, root.at, Some(root.location));
    }
}

fn waits(member: &Member<'_>) -> bool {
    let spreads = matches!(member.op, CollectiveOp::Bcast | CollectiveOp::Scatter | CollectiveOp::Scatterv);
    spreads && !member.is_root && member.received > 0
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn those_before_the_root_wait_for_it() {
        let mut script = Script::processes(4);
        for (rank, from) in [933, 1262, 1095, 945].into_iter().enumerate() {
            script.collective(rank, (from, 1300), "MPI_Bcast", CollectiveOp::Bcast, Some(2));
        }
        let row = |(rank, ticks)| ("late_broadcast", rank, "MPI_Bcast".to_owned(), ticks);
        assert_eq!(cube_rows(&script), [(0, 162), (3, 150)].map(row));
    }

    #[test]
    fn who_gets_nothing_does_not_wait() {
        let mut script = Script::processes(3);
        let scatter = (CollectiveOp::Scatterv, Some(0));
        script.exchange(0, (400, 500), "MPI_Scatterv", scatter, (8, 0));
        script.exchange(1, (100, 500), "MPI_Scatterv", scatter, (0, 8));
        script.exchange(2, (100, 500), "MPI_Scatterv", scatter, (0, 0));
        assert_eq!(cube_rows(&script), [("late_broadcast", 1, "MPI_Scatterv".to_owned(), 300)]);
    }

    #[test]
    fn computing_after_the_posting_is_not_waiting() {
        let mut script = Script::processes(2);
        script.posted_collective(0, (300, 310, 320), "MPI_Ibcast", CollectiveOp::Bcast, Some(0));
        script.posted_collective(1, (100, 250, 320), "MPI_Ibcast", CollectiveOp::Bcast, Some(0));
        assert_eq!(amounts(&script, "late_broadcast"), [(1, "MPI_Wait".to_owned(), 50)]);
    }
}
