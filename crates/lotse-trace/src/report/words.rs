//! Names of classes of time and metrics, the same in all texts. Answers for other programs have ids.

use crate::patterns;

/// Ids of classes of time and of their groups, with their names.
const CLASSES: &[(&str, &str)] = &[
    ("mpi", "MPI"),
    ("mpi_point_to_point", "MPI point-to-point"),
    ("mpi_collective", "MPI collective"),
    ("mpi_rma", "MPI one-sided"),
    ("mpi_init_finalize", "MPI_Init and MPI_Finalize"),
    ("mpi_other", "other MPI"),
    ("openmp", "OpenMP"),
    ("omp_barrier", "OpenMP barrier"),
    ("omp", "other OpenMP"),
    ("lock", "locks"),
    ("threading", "starting and joining threads"),
    ("io", "I/O"),
    ("sleep", "sleeping"),
    ("outside", "outside all regions"),
];

/// The name of a class of time or a metric; its id if it has no other name.
pub(super) fn name_of(id: &str) -> &str {
    let class = CLASSES.iter().find(|(known, _)| *known == id).map(|(_, words)| *words);
    class
        .or_else(|| patterns::metrics().find(|metric| metric.id == id).map(|metric| metric.title))
        .unwrap_or(id)
}

/// The id of a class of time or a metric of this name.
pub(super) fn id_of(words: &str) -> &str {
    let class = CLASSES.iter().find(|(_, known)| *known == words).map(|(id, _)| *id);
    class
        .or_else(|| patterns::metrics().find(|metric| metric.title == words).map(|metric| metric.id))
        .unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, id_of, name_of};
    use crate::class::Class;
    use crate::patterns::{PATTERNS, metrics};

    #[test]
    fn every_name_means_one_thing() {
        let classes = Class::ALL.iter().map(|class| class.id()).chain(CLASSES.iter().map(|(id, _)| *id));
        for id in classes.chain(metrics().map(|metric| metric.id)) {
            assert_eq!(id_of(name_of(id)), id);
        }
        assert_eq!((name_of("wait_at_nxn"), name_of("late_sender")), ("wait at N x N", "late sender"));
    }

    #[test]
    fn the_pages_about_waits_have_the_same_names() {
        for pattern in PATTERNS.iter().filter(|pattern| pattern.metrics.len() == 1) {
            let (title, metric) = (pattern.rule.title, pattern.metrics[0].title);
            assert!(title.starts_with(&format!("{metric}: ")), "{title}: {metric}");
        }
    }
}
