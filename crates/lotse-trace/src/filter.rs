//! Filters call paths by the regions in them.

use lotse_model::id::{PathId, RegionId};

use crate::store::{Trace, is_called};

/// Which call paths are shown: those that contain a region of `only`, if that is not empty, and none of `exclude`. Regions
/// are given by their recorded names, their short names, or patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A call path must contain one of these regions.
    pub only: Vec<String>,
    /// A call path must contain none of these regions.
    pub exclude: Vec<String>,
}

impl Filter {
    /// Whether everything is shown.
    pub fn is_empty(&self) -> bool {
        self.only.is_empty() && self.exclude.is_empty()
    }

    /// Whether a call path with these regions is shown.
    pub fn shows<'r>(&self, regions: impl Iterator<Item = &'r str> + Clone) -> bool {
        let has = |names: &[String]| {
            names.iter().any(|name| regions.clone().any(|region| region == name || is_called(region, name)))
        };
        (self.only.is_empty() || has(&self.only)) && !has(&self.exclude)
    }

    /// The filter as command-line options.
    pub fn options(&self) -> String {
        let only = self.only.iter().map(|name| format!("--only {name}"));
        let exclude = self.exclude.iter().map(|name| format!("--exclude {name}"));
        only.chain(exclude).collect::<Vec<_>>().join(" ")
    }

    /// By call path: the region as which its time is drawn. Time of an excluded path is drawn as its caller's; a path
    /// without a region of `only` is not drawn.
    pub(crate) fn drawn(&self, trace: &Trace) -> Vec<Option<RegionId>> {
        let matches = |names: &[String], path: PathId| {
            let region = trace.region_name(trace.paths.region(path));
            names.iter().any(|name| region == name || is_called(region, name))
        };
        let mut excluded = vec![false; trace.paths.len()];
        let mut wanted = vec![self.only.is_empty(); trace.paths.len()];
        let mut drawn = vec![None; trace.paths.len()];
        for path in trace.paths.ids().skip(1) {
            let (at, parent) = (path.index(), trace.paths.parent(path).index());
            excluded[at] = excluded[parent] || matches(&self.exclude, path);
            wanted[at] = wanted[parent] || matches(&self.only, path);
            let own = wanted[at].then(|| trace.paths.region(path));
            drawn[at] = if excluded[at] { drawn[parent] } else { own };
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use crate::fixture::Script;
    use crate::store::path_parts;

    #[test]
    fn a_path_is_shown_by_its_regions() {
        let only = Filter { only: vec!["void solve(a/b)".to_owned()], ..Filter::default() };
        assert!(only.shows(path_parts("main/void solve(a/b)/x")) && !only.shows(path_parts("main/b)")));
        assert!(only.shows(path_parts("void solve(a/b)")) && !only.shows(path_parts("")));
    }

    #[test]
    fn what_is_excluded_is_drawn_as_its_caller() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "main").enter(0, 0, "solve").call(0, 0, 5, "MPI_Send").leave(0, 9, "solve");
        let trace = script.leave(0, 20, "main").trace();
        let names = |only: &[&str], exclude: &[&str]| {
            let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            let drawn = Filter { only: own(only), exclude: own(exclude) }.drawn(&trace);
            let paths = trace.paths_named("*").into_iter().map(|path| drawn[path.index()]);
            paths.map(|it| it.map_or("-", |region| trace.region_name(region)).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&[], &[]), ["main", "solve", "MPI_Send"]);
        assert_eq!(names(&[], &["MPI_*"]), ["main", "solve", "solve"]);
        assert_eq!(names(&["solve"], &[]), ["-", "solve", "MPI_Send"]);
        assert_eq!(names(&["solve"], &["MPI_Send"]), ["-", "solve", "solve"]);
    }
}
