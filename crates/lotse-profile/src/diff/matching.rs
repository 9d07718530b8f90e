//! Matches the functions of two profiles.
//!
//! Several passes match functions by ever weaker keys; a function that is matched is left out of later passes:
//!
//! 1. name, object, path, line and column are equal;
//! 2. name, object and path are equal. Functions of the same name and file are matched in the order of their lines, if
//!    both profiles have equally many: an edit moved them;
//! 3. name, object and file name are equal. The pair whose paths have the longest common tail is matched first, so that
//!    different build directories do not matter;
//! 4. name and object are equal, and the file is unknown in one profile, or the name is unique in both: the function
//!    moved to another file;
//! 5. only between different formats: names are equal without their arguments.
//!
//! Names are compared without hash. The object counts only if both profiles have it: otherwise it may have been renamed
//! (two builds side by side, another version of a library).

use lotse_model::progress::Checked as _;
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use super::units::MatchUnit;
use crate::report::base_name;

/// Names with more pairs than this are not matched, because thousands of functions called `(anonymous)` would take
/// minutes.
const MOST_PAIRS: usize = 1 << 14;

/// For every old function, its new one. `loose` also matches names that differ only in their arguments, which not all
/// profilers write.
pub(super) fn matching(old: &[MatchUnit<'_>], new: &[MatchUnit<'_>], loose: bool) -> Vec<Option<usize>> {
    let mut matcher = Matcher::new(old, new);
    matcher.pass(|unit, object| Some((unit.name.to_string(), object, unit.path, unit.place)), |_, _| true);
    matcher.pass(|unit, object| Some((unit.name.to_string(), object, unit.path)), |_, _| true);
    matcher.pass(|unit, object| Some((unit.name.to_string(), object, base_name(unit.path))), |_, _| true);
    let (olds, news) = (name_counts(old), name_counts(new));
    matcher.pass(
        |unit, object| Some((unit.name.to_string(), object)),
        |a, b| {
            let unknown = a.path.is_empty() || b.path.is_empty();
            unknown || (olds[a.name.as_ref()] == 1 && news[b.name.as_ref()] == 1)
        },
    );
    if loose {
        matcher.pass(|unit, _| without_arguments(&unit.name), |_, _| true);
    }
    matcher.to_new
}

fn name_counts<'a>(units: &'a [MatchUnit<'_>]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    units.iter().for_each(|unit| *counts.entry(unit.name.as_ref()).or_default() += 1);
    counts
}

fn without_arguments(name: &str) -> Option<(String, String)> {
    let short = lotse_symbols::short(name).split('(').next()?;
    Some((lotse_symbols::class(name).unwrap_or("").to_owned(), short.to_owned()))
}

struct Matcher<'u> {
    old: &'u [MatchUnit<'u>],
    new: &'u [MatchUnit<'u>],
    /// Objects that both profiles have.
    shared: HashSet<&'u str>,
    to_new: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl<'u> Matcher<'u> {
    fn new(old: &'u [MatchUnit<'u>], new: &'u [MatchUnit<'u>]) -> Self {
        let objects =
            |units: &'u [MatchUnit<'u>]| units.iter().map(|unit| unit.object).collect::<HashSet<_>>();
        Self {
            old,
            new,
            shared: objects(old).intersection(&objects(new)).copied().collect(),
            to_new: vec![None; old.len()],
            taken: vec![false; new.len()],
        }
    }

    /// Matches functions that are not matched yet and have equal keys, if `accepts` holds for the pair.
    fn pass<K: Eq + Hash>(
        &mut self,
        key: impl Fn(&'u MatchUnit<'u>, &'u str) -> Option<K>,
        accepts: impl Fn(&MatchUnit<'_>, &MatchUnit<'_>) -> bool,
    ) {
        let mut groups: HashMap<K, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (place, unit) in
            self.old.iter().enumerate().filter(|(place, _)| self.to_new[*place].is_none()).checked()
        {
            if let Some(key) = key(unit, self.object(unit)) {
                groups.entry(key).or_default().0.push(place);
            }
        }
        for (place, unit) in self.new.iter().enumerate().filter(|(place, _)| !self.taken[*place]).checked() {
            if let Some(group) = key(unit, self.object(unit)).and_then(|key| groups.get_mut(&key)) {
                group.1.push(place);
            }
        }
        for (olds, news) in groups.into_values().filter(|(_, news)| !news.is_empty()).checked() {
            self.pair(&olds, &news, &accepts);
        }
    }

    /// The object of a function; empty if it is unknown or not in the other profile.
    fn object(&self, unit: &'u MatchUnit<'u>) -> &'u str {
        if self.shared.contains(unit.object) { unit.object } else { "" }
    }

    /// Pairs functions of equal key, those with the longest common tail of their paths first; ties in the order of the
    /// profiles.
    fn pair(
        &mut self,
        olds: &[usize],
        news: &[usize],
        accepts: &impl Fn(&MatchUnit<'_>, &MatchUnit<'_>) -> bool,
    ) {
        let namesakes = olds.iter().map(|&old| &self.old[old]).chain(news.iter().map(|&new| &self.new[new]));
        if namesakes.into_iter().any(|unit| unit.namesake) {
            return self.pair_in_order(olds, news);
        }
        if olds.len().saturating_mul(news.len()) > MOST_PAIRS {
            return;
        }
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for &old in olds {
            for &new in news {
                pairs.push((common_tail(self.old[old].path, self.new[new].path), old, new));
            }
        }
        pairs.sort_by_key(|&(near, old, new)| (std::cmp::Reverse(near), old, new));
        for (_, old, new) in pairs {
            if self.to_new[old].is_none() && !self.taken[new] && accepts(&self.old[old], &self.new[new]) {
                self.to_new[old] = Some(new);
                self.taken[new] = true;
            }
        }
    }
}

impl Matcher<'_> {
    /// Pairs functions of the same name and file in the order of their places; does nothing if their numbers differ.
    fn pair_in_order(&mut self, olds: &[usize], news: &[usize]) {
        if olds.len() != news.len() {
            return;
        }
        let (mut olds, mut news) = (olds.to_vec(), news.to_vec());
        olds.sort_by_key(|&old| self.old[old].place);
        news.sort_by_key(|&new| self.new[new].place);
        for (old, new) in olds.into_iter().zip(news) {
            self.to_new[old] = Some(new);
            self.taken[new] = true;
        }
    }
}

/// The number of path components at the end that two paths have in common.
fn common_tail(one: &str, other: &str) -> usize {
    let components = |path: &'_ str| path.rsplit(['/', '\\']).map(str::to_owned).collect::<Vec<_>>();
    components(one).iter().zip(&components(other)).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{common_tail, matching};
    use crate::diff::units::MatchUnit;

    fn unit(text: &'static str) -> MatchUnit<'static> {
        let components: Vec<&str> = text.split('|').collect();
        let line = components.get(3).map_or(0, |line| line.parse().unwrap());
        MatchUnit {
            functions: vec![],
            name: Cow::Borrowed(components[0]),
            object: components[1],
            path: components[2],
            place: (line, 0),
            namesake: line > 0,
        }
    }

    fn matched(old: &[&'static str], new: &[&'static str], loose: bool) -> Vec<Option<usize>> {
        let units = |texts: &[&'static str]| texts.iter().map(|text| unit(text)).collect::<Vec<_>>();
        matching(&units(old), &units(new), loose)
    }

    #[test]
    fn other_build_directories_do_not_matter() {
        let old = ["init|app|/old/src/net/a.c", "init|app|/old/src/disk/a.c", "init|app|/old/src/b.c"];
        let new = ["init|app|/new/src/b.c", "init|app|/new/src/disk/a.c", "init|app|/new/src/net/a.c"];
        assert_eq!(matched(&old, &new, false), [Some(2), Some(1), Some(0)]);
    }

    #[test]
    fn a_renamed_object_is_looked_through_and_a_shared_one_is_not() {
        let old = ["main|app-old|m.c", "free|libc.so.6|", "free|libjemalloc.so|"];
        let new = ["free|libjemalloc.so|", "main|app-new|m.c", "malloc|libc.so.6|"];
        assert_eq!(matched(&old, &new, false), [Some(1), None, Some(0)]);
    }

    #[test]
    fn a_moved_function_is_matched_only_by_a_name_of_its_own() {
        assert_eq!(matched(&["f|app|a.c"], &["f|app|b.c"], false), [Some(0)]);
        assert_eq!(matched(&["f|app|a.c", "f|app|c.c"], &["f|app|b.c"], false), [None, None]);
        assert_eq!(matched(&["f|app|a.c"], &["f|app|"], false), [Some(0)]);
    }

    #[test]
    fn functions_of_one_name_in_one_file_are_matched_by_place_then_in_order() {
        let old = ["run||a.js|5", "run||a.js|9", "run||b.js|2"];
        assert_eq!(matched(&old, &["run||a.js|9", "run||a.js|5"], false), [Some(1), Some(0), None]);
        assert_eq!(matched(&old, &["run||a.js|12", "run||a.js|8"], false), [Some(1), Some(0), None]);
        assert_eq!(matched(&old, &["run||a.js|9", "run||a.js|6"], false), [Some(1), Some(0), None]);
        // One of three is gone, and it is unknown which.
        let three = ["run||a.js|1", "run||a.js|2", "run||a.js|3"];
        assert_eq!(matched(&three, &["run||a.js|7", "run||a.js|8"], false), [None; 3]);
    }

    #[test]
    fn arguments_count_unless_another_profiler_leaves_them_out() {
        let (old, new) = (["a::f(int)||", "a::g(int)||"], ["a::f||", "a::g(long)||"]);
        assert_eq!(matched(&old, &new, false), [None, None]);
        assert_eq!(matched(&old, &new, true), [Some(0), Some(1)]);
    }

    #[test]
    fn names_of_too_many_functions_are_not_matched() {
        let crowd: Vec<&str> = vec!["f||"; 300];
        assert!(matched(&crowd, &crowd, false).iter().all(Option::is_none));
    }

    #[test]
    fn ends_of_paths() {
        assert_eq!(common_tail("/a/b/c.c", "/x/b/c.c"), 2);
        assert_eq!(common_tail("a.c", "b.c"), 0);
    }
}
