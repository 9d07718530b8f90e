//! Source files with their costs by line: which lines are shown, and where their text is.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::answer::{CodeAnswer, FileAnswer, LineAnswer};
use super::gather::{Found, Site};
use super::{Query, costs, sites};
use crate::analysis::Analysis;
use crate::events::{Cost, ranking};
use crate::report::base_name;
use crate::resolve::{Files, newer};

/// Texts of source files, each looked for once.
pub(super) struct Sources<'a> {
    files: &'a dyn Files,
    directories: &'a [String],
    /// Whole paths of files that the profile names by less.
    origins: HashMap<String, String>,
    texts: HashMap<String, Option<Text>>,
    /// When the profile was recorded.
    recorded: Option<i64>,
    notes: Vec<String>,
}

/// The text of a source file, and where it was found.
#[derive(Clone)]
struct Text {
    path: String,
    lines: Vec<String>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(
        files: &'a dyn Files,
        directories: &'a [String],
        origins: HashMap<String, String>,
        recorded: Option<i64>,
    ) -> Self {
        Self { files, directories, origins, texts: HashMap::new(), recorded, notes: Vec::new() }
    }

    /// What was not found, or may be another version.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    fn text(&mut self, path: &str) -> Option<&Text> {
        if !self.texts.contains_key(path) {
            let text = self.find(path);
            if text.is_none() && path != "???" {
                let tell = "is not there; name its folder with --source-dir DIR";
                self.notes.push(format!("source file {path} {tell}"));
            }
            let found = text.as_ref().map(|text| text.path.as_str());
            let old = found.and_then(|found| newer(self.files, found, self.recorded, "lines"));
            self.notes.extend(old);
            self.texts.insert(path.to_owned(), text);
        }
        self.texts.get(path)?.as_ref()
    }

    fn find(&self, path: &str) -> Option<Text> {
        let local = local_path(path);
        let path = local.as_deref().unwrap_or(path);
        let known = self.origins.get(path).cloned().into_iter().chain([path.to_owned()]);
        let mut places = candidates(path, self.directories).chain(known);
        let found = places.find_map(|place| self.files.open(&place))?;
        let text = String::from_utf8_lossy(found.bytes());
        Some(Text { path: found.name().to_owned(), lines: text.lines().map(str::to_owned).collect() })
    }
}

/// The path in an address such as `file:///home/a%20b.js`, as JavaScript engines write; `None` for all else.
fn local_path(address: &str) -> Option<String> {
    let rest = address.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = path.split(['?', '#']).next().filter(|path| path.starts_with('/'))?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// In each directory the whole path, then ever shorter ends of it.
fn candidates<'a>(path: &'a str, directories: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let ends = std::iter::successors(Some(path.trim_start_matches('/')), |end| Some(end.split_once('/')?.1));
    let ends: Vec<&str> = ends.filter(|end| !end.is_empty()).collect();
    let inside = move |directory: &'a String| {
        let directory = directory.trim_end_matches('/');
        ends.clone().into_iter().map(move |end| format!("{directory}/{end}"))
    };
    directories.iter().flat_map(inside)
}

/// Costs and calls of the lines of one file.
#[derive(Default)]
struct Lines<'a> {
    own: HashMap<u32, &'a [u64]>,
    sites: HashMap<u32, Vec<&'a Site>>,
    /// Lines to show though they may have no cost.
    also: Vec<u32>,
}

/// The files of a function; also the lines that machine code comes from, where that is given.
pub(super) fn files(
    analysis: &Analysis<'_>,
    query: &Query<'_>,
    found: &Found,
    code: Option<&CodeAnswer>,
    sources: &mut Sources<'_>,
) -> Vec<FileAnswer> {
    let mut files = by_file(analysis, found);
    add_code(&mut files, code);
    let defined = analysis.profile.function_file(query.function).map(str::to_owned);
    let cost = |lines: &Lines<'_>| {
        let at = ranking(query.columns);
        let ranked = |row: &&[u64]| costs(analysis, query.columns, row, None).get(at).copied();
        let first = lines.own.values().filter_map(ranked);
        first.map(Cost::as_f64).filter(|cost| cost.is_finite()).sum::<f64>()
    };
    files.sort_by(|(a, left), (b, right)| {
        (*b == defined).cmp(&(*a == defined)).then(cost(right).total_cmp(&cost(left)))
    });
    files.into_iter().map(|(path, lines)| file(analysis, query, path, &lines, sources)).collect()
}

type ByFile<'a> = Vec<(Option<String>, Lines<'a>)>;

fn by_file<'a>(analysis: &Analysis<'_>, found: &'a Found) -> ByFile<'a> {
    let mut files: ByFile<'a> = Vec::new();
    let mut rows = HashMap::new();
    let mut row = |files: &mut ByFile<'a>, file| {
        *rows.entry(file).or_insert_with(|| {
            files.push((analysis.profile.file_name(file).map(str::to_owned), Lines::default()));
            files.len() - 1
        })
    };
    for ((file, line), own) in found.lines.iter() {
        let at = row(&mut files, file);
        files[at].1.own.insert(line, own);
    }
    for site in &found.line_sites {
        let at = row(&mut files, site.place.file);
        files[at].1.sites.entry(site.place.line).or_default().push(site);
    }
    files
}

fn add_code(files: &mut ByFile<'_>, code: Option<&CodeAnswer>) {
    for it in code.iter().flat_map(|code| &code.instructions) {
        let (Some(file), Some(line)) = (&it.file, it.line) else { continue };
        let known = files.iter().position(|(path, _)| path.as_ref() == Some(file));
        let at = known.unwrap_or_else(|| {
            files.push((Some(file.clone()), Lines::default()));
            files.len() - 1
        });
        files[at].1.also.push(line);
    }
}

fn file(
    analysis: &Analysis<'_>,
    query: &Query<'_>,
    path: Option<String>,
    lines: &Lines<'_>,
    sources: &mut Sources<'_>,
) -> FileAnswer {
    let text = path.as_deref().and_then(|path| sources.text(path)).cloned();
    let last = text.as_ref().map_or(0, |text| text.lines.len() as u32);
    let zero = vec![0; analysis.profile.events.len()];
    let line = |line: u32| {
        let own = lines.own.get(&line).copied().unwrap_or(&zero);
        let calls = lines.sites.get(&line).map_or(&[][..], Vec::as_slice);
        LineAnswer {
            line: (line > 0).then_some(line),
            text: text.as_ref().and_then(|text| text.lines.get((line as usize).checked_sub(1)?).cloned()),
            own: costs(analysis, query.columns, own, None),
            inclusive: costs(analysis, query.columns, &inclusive(analysis, own, calls), None),
            calls: sites(analysis, query, calls.iter().copied()),
        }
    };
    let shown = shown(lines, last, query.context);
    if shown.last().is_some_and(|&line| line > last) && last > 0 {
        let path = path.as_deref().unwrap_or("the source file");
        sources.notes.push(format!("{path} is shorter than the profile says; is it another version?"));
    }
    FileAnswer { lines: shown.into_iter().map(line).collect(), found: text.map(|text| text.path), path }
}

/// Lines with something to show, and where the text is known those around them.
fn shown(lines: &Lines<'_>, last: u32, context: usize) -> BTreeSet<u32> {
    let context = u32::try_from(context).unwrap_or(u32::MAX);
    let marked: BTreeSet<u32> =
        lines.own.keys().chain(lines.sites.keys()).chain(&lines.also).copied().collect();
    let mut shown = marked.clone();
    for &line in marked.range(1..=last.max(1)) {
        let first = line.saturating_sub(context).max(1);
        shown.extend(first..=line.saturating_add(context).min(last));
    }
    shown
}

fn inclusive(analysis: &Analysis<'_>, own: &[u64], calls: &[&Site]) -> Vec<u64> {
    let mut sum = lotse_model::profile::Costs::new(own.len(), analysis.profile.signed);
    if own.is_empty() {
        return Vec::new();
    }
    sum.push(own);
    calls.iter().filter_map(|site| site.costs.as_ref()).for_each(|costs| sum.add(0, costs));
    sum.row(0).to_vec()
}

/// The file of a profile that a path of a binary means: the same, else one of the same name.
pub(super) fn same_file<'a>(path: &'a str, known: &'a [String]) -> &'a str {
    let equal = known.iter().find(|it| *it == path);
    let named = || known.iter().find(|it| base_name(it) == base_name(path));
    equal.or_else(named).map_or(path, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::{Lines, candidates, local_path, same_file, shown};

    #[test]
    fn addresses_of_local_files_are_paths() {
        for (address, path) in [
            ("file:///home/a/x.mjs", Some("/home/a/x.mjs")),
            ("file://localhost/a%20b/%C3%A9%25.js?v=1#top", Some("/a b/\u{e9}%.js")),
            ("file:///a%2", Some("/a%2")),
            ("file:///a%zz", Some("/a%zz")),
            ("file:///%ff", None),
            ("file://server/share/x.js", None),
            ("https://example.org/x.js", None),
            ("/home/x.js", None),
        ] {
            assert_eq!(local_path(address).as_deref(), path, "{address}");
        }
    }

    #[test]
    fn a_source_file_is_looked_for_by_ever_shorter_ends() {
        let directories = ["src/".to_owned(), "other".to_owned()];
        let found: Vec<String> = candidates("/build/a/x.c", &directories).collect();
        let expected =
            ["src/build/a/x.c", "src/a/x.c", "src/x.c", "other/build/a/x.c", "other/a/x.c", "other/x.c"];
        assert_eq!(found, expected);
        assert_eq!(candidates("x.c", &directories[1..]).collect::<Vec<_>>(), ["other/x.c"]);
    }

    #[test]
    fn lines_around_costs_are_shown_as_far_as_there_are_any() {
        let lines = Lines { also: vec![0, 2, 9, 50], ..Lines::default() };
        let found: Vec<u32> = shown(&lines, 10, 2).into_iter().collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 7, 8, 9, 10, 50]);
        assert_eq!(shown(&lines, 0, usize::MAX).len(), 4);
    }

    #[test]
    fn a_path_of_the_binary_is_that_of_the_profile() {
        let known = ["/src/a.c".to_owned(), "/src/b.c".to_owned()];
        assert_eq!(same_file("/src/b.c", &known), "/src/b.c");
        assert_eq!(same_file("/src/./a.c", &known), "/src/a.c");
        assert_eq!(same_file("/src/c.c", &known), "/src/c.c");
    }
}
