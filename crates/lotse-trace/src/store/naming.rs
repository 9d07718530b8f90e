//! Finds call paths by name: as recorded, without arguments, or with `*` and `?`.

use lotse_model::id::PathId;

use super::{MOST_NAMES, Paths, Trace};

/// The name of the time outside all regions.
pub const OUTSIDE: &str = "(outside all regions)";

impl Trace {
    /// The call paths that match a name: equal to it, or ending with it after a `/`. If there is none, each part between `/`
    /// may be the [short name](short_name) of a region, the end of one after `::`, or a pattern in which `*` stands for any
    /// characters and `?` for one. [`OUTSIDE`] is the root.
    pub fn paths_named(&self, name: &str) -> Vec<PathId> {
        let exact: Vec<PathId> = self.paths.ids().skip(1).filter(|&path| self.is_named(path, name)).collect();
        if !exact.is_empty() {
            return exact;
        }
        if name == OUTSIDE {
            return vec![Paths::ROOT];
        }
        let parts: Vec<&str> = name.trim_matches('/').split('/').collect();
        self.paths.ids().skip(1).filter(|&path| self.ends_with(path, &parts)).collect()
    }

    /// The name with which [`Trace::paths_named`] finds a path, and all others of the same name.
    pub fn name_to_ask_for(&self, path: PathId) -> String {
        if path == Paths::ROOT { OUTSIDE.to_owned() } else { self.path_name(path) }
    }

    /// Whether the name of a path equals `name`, or ends with it after a `/`. This is much faster than building the names of
    /// all paths.
    fn is_named(&self, path: PathId, name: &str) -> bool {
        let (mut at, mut rest) = (path, name);
        for _ in 0..MOST_NAMES {
            let region = self.region_name(self.paths.region(at));
            let Some(before) = rest.strip_suffix(region) else {
                return region.strip_suffix(rest).is_some_and(|before| before.ends_with('/'));
            };
            let caller = self.paths.caller(at);
            match before.strip_suffix('/') {
                _ if before.is_empty() => return true,
                Some(callers) if caller != Paths::ROOT => (at, rest) = (caller, callers),
                _ => return false,
            }
        }
        // The name of such a deep path is shortened.
        self.path_name(path) == name
    }

    /// Whether the last regions of a path match the parts of a name.
    fn ends_with(&self, path: PathId, parts: &[&str]) -> bool {
        let mut at = path;
        for part in parts.iter().rev() {
            if at == Paths::ROOT || !is_called(self.region_name(self.paths.region(at)), part) {
                return false;
            }
            at = self.paths.caller(at);
        }
        true
    }
}

/// Whether a region matches a name or pattern.
pub fn is_called(region: &str, name: &str) -> bool {
    let short = short_name(region);
    if name.contains(['*', '?']) {
        return matches(region, name) || matches(short, name);
    }
    region == name || short == name || short.rsplit("::").next() == Some(name)
}

/// Splits the name of a call path into its regions. A `/` within parentheses or angle brackets does not separate.
pub fn path_parts(path: &str) -> impl Iterator<Item = &str> + Clone {
    let mut depth = 0_i32;
    path.split(move |letter| {
        match letter {
            '(' | '<' => depth += 1,
            ')' | '>' => depth -= 1,
            _ => {}
        }
        letter == '/' && depth <= 0
    })
}

/// The name of a function without its return type and arguments; other names as they are.
pub fn short_name(region: &str) -> &str {
    let Some(end) = argument_list(region) else { return region };
    let name = region[..end].trim_end();
    let short = &name[return_type(name)..];
    if short.is_empty() { region } else { short }
}

/// The begin of the arguments: the last matching pair of parentheses, if only qualifiers follow it.
fn argument_list(region: &str) -> Option<usize> {
    let close = region.rfind(')')?;
    let qualifiers = region[close + 1..].trim();
    if !qualifiers.split_whitespace().all(|word| ["const", "volatile", "&", "&&", "noexcept"].contains(&word))
    {
        return None;
    }
    let mut depth = 0;
    for (at, letter) in region[..=close].char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at);
        }
    }
    None
}

/// The begin of the name after a return type: after the last blank outside of template arguments.
fn return_type(name: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in name.char_indices().rev() {
        match letter {
            '>' | ')' => depth += 1,
            '<' | '(' => depth -= 1,
            // `operator new` and `operator ()` are names.
            ' ' if depth == 0 && !name[..at].ends_with("operator") => return at + 1,
            _ => {}
        }
    }
    0
}

/// Whether a text matches a pattern. The time is at most proportional to the product of both lengths.
fn matches(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut next) = (0, 0);
    // The last `*`, and the end of the text that it matches.
    let mut star = None;
    while at < text.len() {
        match pattern.get(next) {
            Some('*') => {
                star = Some((next, at));
                next += 1;
            }
            Some('?') => (at, next) = (at + 1, next + 1),
            Some(&letter) if letter == text[at] => (at, next) = (at + 1, next + 1),
            _ => {
                let Some((place, end)) = star else { return false };
                star = Some((place, end + 1));
                (at, next) = (end + 1, place + 1);
            }
        }
    }
    pattern[next..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::{is_called, matches, short_name};
    use crate::fixture::Script;

    #[test]
    fn a_short_name_has_no_types() {
        for (full, short) in [
            ("void extra_work(int)", "extra_work"),
            ("ComputeSPMV(SparseMatrix const&, Vector&)", "ComputeSPMV"),
            ("int main(int, char**)", "main"),
            ("std::vector<int, a<b> > ns::make<x, y>(void (*)(int)) const", "ns::make<x, y>"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("A::operator()(int)", "A::operator()"),
            ("void* operator new(unsigned long)", "operator new"),
            ("MPI_Send", "MPI_Send"),
            ("(trace buffer flush)", "(trace buffer flush)"),
            ("!$omp parallel @file.c:12", "!$omp parallel @file.c:12"),
            ("f(x) at line 3", "f(x) at line 3"),
            ("", ""),
            ("()", "()"),
        ] {
            assert_eq!(short_name(full), short, "{full}");
        }
    }

    #[test]
    fn patterns_match_characters() {
        for (text, pattern) in
            [("abc", "*"), ("abc", "a*c"), ("abc", "?b?"), ("aXbXc", "a*X*c"), ("", "*"), ("aab", "*ab")]
        {
            assert!(matches(text, pattern), "{text} {pattern}");
        }
        for (text, pattern) in [("abc", "a"), ("abc", "?"), ("abc", "b*"), ("", "?"), ("aab", "*b?")] {
            assert!(!matches(text, pattern), "{text} {pattern}");
        }
        assert!(!matches(&"a".repeat(20_000), &"*a*a*a*b".repeat(3)));
    }

    #[test]
    fn a_region_matches_by_its_end() {
        assert!(is_called("void heat::extra_work(int)", "extra_work"));
        assert!(is_called("void heat::extra_work(int)", "heat::extra*"));
        assert!(!is_called("void heat::extra_work(int)", "work"));
    }

    #[test]
    fn an_exact_name_takes_precedence() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "int main(int, char**)").call(0, 0, 5, "void solve(int)").call(0, 5, 9, "solve");
        script.call(0, 9, 12, "void ns::solve_all()").leave(0, 20, "int main(int, char**)");
        let trace = script.trace();
        let found = |name: &str| {
            trace.paths_named(name).into_iter().map(|it| trace.path_name(it)).collect::<Vec<_>>()
        };
        assert_eq!(found("solve"), ["int main(int, char**)/solve"]);
        assert_eq!(found("solve_all"), ["int main(int, char**)/void ns::solve_all()"]);
        assert_eq!(found("main/solve*").len(), 2);
        assert_eq!(found("main").len(), 1);
        assert!(found("nothing").is_empty() && found("x/main").is_empty());
    }
}
