//! Call paths of one name: recorders may number the same function differently on each location.

use lotse_model::id::PathId;

use crate::store::{Paths, Trace};

/// All call paths that are called as this one is.
pub(crate) fn paths(trace: &Trace, path: PathId) -> Vec<PathId> {
    trace.paths.ids().filter(|&it| are(trace, it, path)).collect()
}

/// Whether two call paths have the same name.
fn are(trace: &Trace, mut a: PathId, mut b: PathId) -> bool {
    let paths = &trace.paths;
    if paths.depth(a) != paths.depth(b) {
        return false;
    }
    // Once they meet, what is above is the same.
    while a != b && a != Paths::ROOT {
        if trace.region_name(paths.region(a)) != trace.region_name(paths.region(b)) {
            return false;
        }
        (a, b) = (paths.parent(a), paths.parent(b));
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;

    #[test]
    fn the_same_name_under_other_numbers() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").call(0, 0, 10, "work").leave(0, 10, "main");
        script.region("other");
        let second = script.region("renamed");
        script.enter(1, 0, "main").call(1, 0, 10, "renamed").call(1, 10, 20, "other").leave(1, 20, "main");
        script.definitions.regions[second.index()].name = "work".to_owned();
        script.definitions.regions[second.index()].begin_line = 7;
        let trace = script.trace();
        let work: Vec<_> = trace.paths.ids().filter(|&it| trace.path_name(it) == "main/work").collect();
        assert_eq!(work.len(), 2);
        assert_eq!(super::paths(&trace, work[0]), work);
    }
}
