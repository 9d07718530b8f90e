//! Source files with costs by line: selects the lines to show, and finds their text.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::answer::{CodeAnswer, FileAnswer, LineAnswer};
use super::gather::{CallSite, GatheredCosts};
use super::{AnnotateQuery, costs, site_answers};
use crate::analysis::Analysis;
use crate::events::{Cost, ranking};
use crate::report::base_name;
use crate::resolve::{Files, TextRefusal, newer};

/// The texts of source files, each searched for once.
pub(crate) struct SourceTexts<'a> {
    files: &'a dyn Files,
    directories: &'a [String],
    /// Full paths of files that the profile names by a relative path.
    origins: HashMap<String, String>,
    texts: HashMap<String, Option<SourceText>>,
    /// When the profile was recorded.
    recorded: Option<i64>,
    notes: Vec<String>,
}

/// The text of a source file, and where it was found.
#[derive(Clone)]
struct SourceText {
    path: String,
    lines: Vec<String>,
    /// Whether the file was changed after the profile was recorded.
    is_newer: bool,
}

/// A source file as it is now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceVersion<'t> {
    /// Where it was found.
    pub(crate) path: &'t str,
    pub(crate) lines: &'t [String],
    /// Whether it was changed after the profile was recorded, so that its lines may be others; `None` where one of the times
    /// is not known.
    pub(crate) is_newer: Option<bool>,
}

impl<'a> SourceTexts<'a> {
    pub(crate) fn new(
        files: &'a dyn Files,
        directories: &'a [String],
        origins: HashMap<String, String>,
        recorded: Option<i64>,
    ) -> Self {
        Self { files, directories, origins, texts: HashMap::new(), recorded, notes: Vec::new() }
    }

    /// The text of a file, with what is known about its version.
    pub(crate) fn version(&mut self, path: &str) -> Option<SourceVersion<'_>> {
        let (files, recorded) = (self.files, self.recorded);
        let SourceText { path, lines, is_newer } = self.text(path)?;
        let is_known = recorded.is_some() && files.modified(path).is_some();
        Some(SourceVersion { path, lines, is_newer: is_known.then_some(*is_newer) })
    }

    /// Notes about files that were not found or may be another version.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    /// The text of a file, which is searched for once; if it is not found, a note says why.
    fn text(&mut self, path: &str) -> Option<&SourceText> {
        if !self.texts.contains_key(path) {
            let (mut text, problem) = match self.find(path) {
                Ok(text) => (Some(text), None),
                Err(TextRefusal::Absent) => {
                    (None, Some("is not there; name its folder with --source-dir DIR"))
                }
                Err(TextRefusal::Outside) => {
                    (None, Some("is outside of the folders that are shown; --source-dir DIR adds one"))
                }
            };
            let problem = problem.filter(|_| path != "???");
            self.notes.extend(problem.map(|problem| format!("source file {path} {problem}")));
            let found = text.as_ref().map(|text| text.path.as_str());
            let old = found.and_then(|found| newer(self.files, found, self.recorded, "lines"));
            text.iter_mut().for_each(|text| text.is_newer = old.is_some());
            self.notes.extend(old);
            self.texts.insert(path.to_owned(), text);
        }
        self.texts.get(path)?.as_ref()
    }

    fn find(&self, path: &str) -> Result<SourceText, TextRefusal> {
        let local = local_path(path);
        let path = local.as_deref().unwrap_or(path);
        let known = self.origins.get(path).cloned().into_iter().chain([path.to_owned()]);
        let mut refusal = TextRefusal::Absent;
        for place in candidates(path, self.directories).chain(known) {
            match self.files.open_text(&place) {
                Ok(found) => {
                    let lines = String::from_utf8_lossy(found.bytes()).lines().map(str::to_owned).collect();
                    return Ok(SourceText { path: found.name().to_owned(), lines, is_newer: false });
                }
                Err(TextRefusal::Absent) => {}
                Err(outside) => refusal = outside,
            }
        }
        Err(refusal)
    }
}

/// The path of a URL such as `file:///home/a%20b.js`, as JavaScript engines write them; `None` for anything else.
fn local_path(url: &str) -> Option<String> {
    let rest = url.strip_prefix("file://")?;
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

/// Candidate paths: in each directory the whole path, then ever shorter tails of it (`a/b/c.c`, `b/c.c`, `c.c`).
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
struct FileLines<'a> {
    own: HashMap<u32, &'a [u64]>,
    sites: HashMap<u32, Vec<&'a CallSite>>,
    /// Lines that have code, though they may have no cost.
    with_code: Vec<u32>,
}

/// The source files of a function, that of its definition first, then by cost. If `code` is given, the lines that its
/// instructions come from are included.
pub(super) fn files(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    found: &GatheredCosts,
    code: Option<&CodeAnswer>,
    sources: &mut SourceTexts<'_>,
) -> Vec<FileAnswer> {
    let mut files = by_file(analysis, found);
    add_lines_of_code(&mut files, code);
    let defined = analysis.profile.function_file(query.function).map(str::to_owned);
    if let Some(line) = definition_line(analysis, query, found).filter(|_| code.is_none()) {
        add_definition(&mut files, defined.as_deref(), line);
        let note =
            format!("the profile has no costs by line: the source is shown at the definition, line {line}");
        sources.notes.push(note);
    }
    let cost = |lines: &FileLines<'_>| {
        let at = ranking(query.columns);
        let ranked = |row: &&[u64]| costs(analysis, query.columns, row, None).get(at).copied();
        let first = lines.own.values().filter_map(ranked);
        first.map(Cost::as_f64).filter(|cost| cost.is_finite()).sum::<f64>()
    };
    files.sort_by(|(a, left), (b, right)| {
        (*b == defined).cmp(&(*a == defined)).then(cost(right).total_cmp(&cost(left)))
    });
    files.into_iter().map(|(path, lines)| file_answer(analysis, query, path, &lines, sources)).collect()
}

type ByFile<'a> = Vec<(Option<String>, FileLines<'a>)>;

fn by_file<'a>(analysis: &Analysis<'_>, found: &'a GatheredCosts) -> ByFile<'a> {
    let mut files: ByFile<'a> = Vec::new();
    let mut rows = HashMap::new();
    let mut row = |files: &mut ByFile<'a>, file| {
        *rows.entry(file).or_insert_with(|| {
            files.push((analysis.profile.file_name(file).map(str::to_owned), FileLines::default()));
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

/// The line of the definition, if the file is known and there are no costs by line to show.
pub(super) fn definition_line(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    found: &GatheredCosts,
) -> Option<u32> {
    let line = analysis.profile.functions.line[query.function.index()];
    let has_file = analysis.profile.function_file(query.function).is_some_and(|path| path != "???");
    let has_places = found.line_sites.iter().any(|site| site.place.line > 0);
    let is_wanted = found.lines.is_empty() && found.code.is_empty() && !has_places;
    (line > 0 && has_file && is_wanted).then_some(line)
}

/// Shows the line of the definition. Calls without a place are in the same file.
fn add_definition(files: &mut ByFile<'_>, path: Option<&str>, line: u32) {
    let at = files.iter().position(|(known, _)| known.as_deref() == path || known.is_none());
    let at = at.unwrap_or_else(|| {
        files.push((None, FileLines::default()));
        files.len() - 1
    });
    files[at].0 = path.map(str::to_owned);
    files[at].1.with_code.push(line);
}

fn add_lines_of_code(files: &mut ByFile<'_>, code: Option<&CodeAnswer>) {
    for it in code.iter().flat_map(|code| &code.instructions) {
        let (Some(file), Some(line)) = (&it.file, it.line) else { continue };
        let known = files.iter().position(|(path, _)| path.as_ref() == Some(file));
        let at = known.unwrap_or_else(|| {
            files.push((Some(file.clone()), FileLines::default()));
            files.len() - 1
        });
        files[at].1.with_code.push(line);
    }
}

/// One source file: the lines to show with text, costs and calls. Adds a note if the file is too short.
fn file_answer(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    path: Option<String>,
    lines: &FileLines<'_>,
    sources: &mut SourceTexts<'_>,
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
            calls: site_answers(analysis, query, calls.iter().copied()),
        }
    };
    let shown = lines_to_show(lines, last, query.context);
    if shown.last().is_some_and(|&line| line > last) && last > 0 {
        let path = path.as_deref().unwrap_or("the source file");
        sources.notes.push(format!("{path} is shorter than the profile says; is it another version?"));
    }
    FileAnswer { lines: shown.into_iter().map(line).collect(), found: text.map(|text| text.path), path }
}

/// Lines with costs, calls or code, and `context` lines around them if the text is known (`last` is its last line).
fn lines_to_show(lines: &FileLines<'_>, last: u32, context: usize) -> BTreeSet<u32> {
    let context = u32::try_from(context).unwrap_or(u32::MAX);
    let marked: BTreeSet<u32> =
        lines.own.keys().chain(lines.sites.keys()).chain(&lines.with_code).copied().collect();
    let mut shown = marked.clone();
    for &line in marked.range(1..=last.max(1)) {
        let first = line.saturating_sub(context).max(1);
        shown.extend(first..=line.saturating_add(context).min(last));
    }
    shown
}

/// The self cost of a line plus the costs of its calls.
fn inclusive(analysis: &Analysis<'_>, own: &[u64], calls: &[&CallSite]) -> Vec<u64> {
    let mut sum = lotse_model::profile::Costs::new(own.len(), analysis.profile.signed);
    if own.is_empty() {
        return Vec::new();
    }
    sum.push(own);
    calls.iter().filter_map(|site| site.costs.as_ref()).for_each(|costs| sum.add(0, costs));
    sum.row(0).to_vec()
}

/// The file of the profile that a path in debug information means: an equal path, else one with the same file name.
pub(super) fn same_file<'a>(path: &'a str, known: &'a [String]) -> &'a str {
    let equal = known.iter().find(|it| *it == path);
    let named = || known.iter().find(|it| base_name(it) == base_name(path));
    equal.or_else(named).map_or(path, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::{FileLines, candidates, lines_to_show, local_path, same_file};

    #[test]
    fn urls_of_local_files_are_paths() {
        for (url, path) in [
            ("file:///home/a/x.mjs", Some("/home/a/x.mjs")),
            ("file://localhost/a%20b/%C3%A9%25.js?v=1#top", Some("/a b/\u{e9}%.js")),
            ("file:///a%2", Some("/a%2")),
            ("file:///a%zz", Some("/a%zz")),
            ("file:///%ff", None),
            ("file://server/share/x.js", None),
            ("https://example.org/x.js", None),
            ("/home/x.js", None),
        ] {
            assert_eq!(local_path(url).as_deref(), path, "{url}");
        }
    }

    #[test]
    fn a_source_file_is_searched_for_by_ever_shorter_tails() {
        let directories = ["src/".to_owned(), "other".to_owned()];
        let found: Vec<String> = candidates("/build/a/x.c", &directories).collect();
        let expected =
            ["src/build/a/x.c", "src/a/x.c", "src/x.c", "other/build/a/x.c", "other/a/x.c", "other/x.c"];
        assert_eq!(found, expected);
        assert_eq!(candidates("x.c", &directories[1..]).collect::<Vec<_>>(), ["other/x.c"]);
    }

    #[test]
    fn lines_around_costs_are_shown_as_far_as_there_are_any() {
        let lines = FileLines { with_code: vec![0, 2, 9, 50], ..FileLines::default() };
        let found: Vec<u32> = lines_to_show(&lines, 10, 2).into_iter().collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 7, 8, 9, 10, 50]);
        assert_eq!(lines_to_show(&lines, 0, usize::MAX).len(), 4);
    }

    #[test]
    fn a_path_of_the_binary_is_that_of_the_profile() {
        let known = ["/src/a.c".to_owned(), "/src/b.c".to_owned()];
        assert_eq!(same_file("/src/b.c", &known), "/src/b.c");
        assert_eq!(same_file("/src/./a.c", &known), "/src/a.c");
        assert_eq!(same_file("/src/c.c", &known), "/src/c.c");
    }
}
