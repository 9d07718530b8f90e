//! Labels that distinguish functions of the same name: `run (app.js:2:14)`.
//!
//! A place is added only if another function of the same file has the same name, or if the name is generic, such as
//! `(anonymous)` or `<lambda>`.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, NameId, ObjectId};
use lotse_model::progress::Checked as _;

use super::display;
use crate::analysis::Analysis;
use crate::report::base_name;

/// Labels the functions of a profile; counts how many share name, object and file.
#[derive(Debug)]
pub struct FunctionLabels<'a> {
    profile: &'a Profile,
    counts: Arc<NameCounts>,
}

/// How many functions share name, object and file, and how many share a name and a text for their place.
#[derive(Debug)]
pub(crate) struct NameCounts {
    same_place: HashMap<(NameId, ObjectId, FileId), u32>,
    same_name: HashMap<NameId, u32>,
    /// By name and hash of the text, only for names of several functions. Texts of equal hash count as one, which only
    /// makes the place longer that tells functions apart.
    same_text: HashMap<(NameId, u64), u32>,
}

impl<'a> FunctionLabels<'a> {
    /// Counts the names of all functions.
    pub fn new(profile: &'a Profile) -> Self {
        let mut same_place = HashMap::with_capacity(profile.functions.len());
        let mut same_name: HashMap<NameId, u32> = HashMap::new();
        for id in profile.functions.ids().checked() {
            *same_place.entry(identity(profile, id)).or_default() += 1;
            *same_name.entry(profile.functions.name[id.index()]).or_default() += 1;
        }
        let mut same_text = HashMap::new();
        let is_shared = |id: &FunctionId| same_name[&profile.functions.name[id.index()]] > 1;
        for id in profile.functions.ids().checked().filter(is_shared) {
            let texts: BTreeSet<u64> = place_texts(profile, id).iter().map(|text| hash(text)).collect();
            let name = profile.functions.name[id.index()];
            texts.into_iter().for_each(|text| *same_text.entry((name, text)).or_default() += 1);
        }
        Self { profile, counts: Arc::new(NameCounts { same_place, same_name, same_text }) }
    }

    /// The same for the profile of an analysis, which keeps the counts for the next time.
    pub(crate) fn of_analysis(analysis: &Analysis<'a>) -> Self {
        let profile = analysis.profile;
        let counts = analysis.lazy.names.get_or_init(|| Self::new(profile).counts);
        Self { profile, counts: Arc::clone(counts) }
    }

    /// Whether another function has the same name, object and file.
    pub fn is_shared(&self, function: FunctionId) -> bool {
        self.counts.same_place.get(&identity(self.profile, function)).is_some_and(|&count| count > 1)
    }

    /// The shortest place that tells a function from all others of the same name: `app.js:2:14`, `libz.so.1: inflate.c`; `None`
    /// if it is the only one of that name, or if no place is known.
    pub fn distinct_place(&self, function: FunctionId) -> Option<String> {
        let name = self.profile.functions.name[function.index()];
        if self.counts.same_name.get(&name).is_none_or(|&count| count < 2) {
            return None;
        }
        let mut texts = place_texts(self.profile, function);
        let is_only = |text: &String| self.counts.same_text.get(&(name, hash(text))) == Some(&1);
        let last = texts.len().checked_sub(1)?;
        let at = texts.iter().position(is_only).unwrap_or(last);
        Some(texts.swap_remove(at)).filter(|text| !text.is_empty())
    }

    /// The displayed name, with its place if the name alone does not identify the function.
    pub fn label(&self, function: FunctionId) -> String {
        format!("{}{}", display(self.profile, function), self.suffix(function))
    }

    /// The place to append to a name that does not identify the function; empty if it does, or if the place is unknown.
    pub fn suffix(&self, function: FunctionId) -> String {
        let needed = self.is_shared(function) || is_anonymous(self.profile.function_name(function));
        match place(self.profile, function).filter(|_| needed) {
            Some(place) => format!(" ({place})"),
            None => String::new(),
        }
    }

    /// The name with the place, or else the file, or else the object.
    pub fn candidate(&self, function: FunctionId) -> String {
        let profile = self.profile;
        let suffix = place(profile, function)
            .or_else(|| profile.function_file(function).map(|path| base_name(path).to_owned()))
            .or_else(|| profile.function_object(function).map(|path| base_name(path).to_owned()));
        let suffix = suffix.map_or_else(String::new, |place| format!(" ({place})"));
        format!("{}{suffix}", display(profile, function))
    }
}

fn identity(profile: &Profile, function: FunctionId) -> (NameId, ObjectId, FileId) {
    let (functions, row) = (&profile.functions, function.index());
    (functions.name[row], functions.object[row], functions.file[row])
}

/// Texts for the place of a function, from short to complete: file and line, with the object, with all folders.
fn place_texts(profile: &Profile, function: FunctionId) -> Vec<String> {
    let object = profile.function_object(function).filter(|path| *path != "???");
    let file = profile.function_file(function).filter(|path| *path != "???");
    let end = match line_and_column(profile, function) {
        Some((line, 0)) => format!(":{line}"),
        Some((line, column)) => format!(":{line}:{column}"),
        None => String::new(),
    };
    let joined = |shown: fn(&str) -> &str| {
        let file = file.map(|path| format!("{}{end}", shown(path)));
        object.map(|path| shown(path).to_owned()).into_iter().chain(file).collect::<Vec<_>>().join(": ")
    };
    let short = file.map(|path| format!("{}{end}", base_name(path)));
    short.into_iter().chain([joined(base_name), joined(|path| path)]).collect()
}

/// The name of a function with each of the places that tables add to tell it from others: `work(int) [a.c]`.
pub(crate) fn placed_names(profile: &Profile, function: FunctionId) -> impl Iterator<Item = String> {
    let name = display(profile, function).into_owned();
    let paths = [profile.function_file(function), profile.function_object(function)];
    let line = line_and_column(profile, function).map_or_else(String::new, |(line, _)| format!(":{line}"));
    let paths = paths.into_iter().flatten().flat_map(move |path| [path.to_owned(), format!("{path}{line}")]);
    let places = place_texts(profile, function).into_iter().chain(paths.collect::<Vec<_>>());
    places.filter(|place| !place.is_empty()).map(move |place| format!("{name} [{place}]"))
}

/// The same in every run and for every profile.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// `app.js:2:14`; `None` if the line is unknown.
fn place(profile: &Profile, function: FunctionId) -> Option<String> {
    let (line, column) = line_and_column(profile, function)?;
    let file = base_name(profile.function_file(function)?);
    Some(if column > 0 { format!("{file}:{line}:{column}") } else { format!("{file}:{line}") })
}

fn line_and_column(profile: &Profile, function: FunctionId) -> Option<(u32, u32)> {
    let (line, column) =
        (profile.functions.line[function.index()], profile.functions.column[function.index()]);
    (line > 0).then_some((line, column))
}

/// Whether a name is one that is given to all functions without a name.
fn is_anonymous(name: &str) -> bool {
    matches!(name, "(anonymous)" | "anonymous" | "") || (name.starts_with('<') && name.ends_with('>'))
}

/// Whether a text names a function by its place: `app.js:2` or `app.js:2:14`, with its name as in `run (app.js:2:14)`,
/// or as in tables, `run [app.js:2:14]`, `run [libapp.so: app.js:2] <cycle 1>`. In brackets, a file or an object is
/// enough. Of paths, the last components are enough.
pub(super) fn is_label_of(profile: &Profile, function: FunctionId, wanted: &str) -> bool {
    if is_at_line(profile, function, wanted) {
        return true;
    }
    let shown = display(profile, function);
    let named = [shown.as_ref(), profile.function_name(function)];
    let wanted = without_marks(wanted);
    let rest = named.iter().filter_map(|name| wanted.strip_prefix(name));
    rest.into_iter().any(|rest| {
        let inner = bracketed(rest, " (", ')').or_else(|| bracketed(rest, " [", ']'));
        rest.is_empty() || inner.is_some_and(|inner| is_place(profile, function, inner))
    })
}

/// A name without the marks that tables add: `<cycle 3>` and `(recursive)`.
fn without_marks(shown: &str) -> &str {
    let shown = shown.strip_suffix(" (recursive)").unwrap_or(shown);
    let cycle = shown.strip_suffix('>').and_then(|text| text.rsplit_once(" <cycle "));
    match cycle {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => shown,
    }
}

fn bracketed<'a>(text: &'a str, open: &str, close: char) -> Option<&'a str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// Whether a text is the place of a function: `app.js:2`, `app.js`, `libapp.so`, or `libapp.so: app.js:2`.
fn is_place(profile: &Profile, function: FunctionId, text: &str) -> bool {
    let both = text.split_once(": ").is_some_and(|(object, file)| {
        is_tail_of(profile.function_object(function), object) && is_place(profile, function, file)
    });
    both || is_at_line(profile, function, text) || is_in_file_or_object(profile, function, text)
}

/// Whether a text is a path or its last components.
fn is_tail_of(path: Option<&str>, text: &str) -> bool {
    path.and_then(|path| path.strip_suffix(text))
        .is_some_and(|before| !text.is_empty() && (before.is_empty() || before.ends_with(['/', '\\'])))
}

fn is_at_line(profile: &Profile, function: FunctionId, wanted: &str) -> bool {
    let Some((line, column)) = line_and_column(profile, function) else { return false };
    let ends = [format!(":{line}"), format!(":{line}:{column}")];
    let mut files = ends.iter().filter_map(|end| wanted.strip_suffix(end.as_str()));
    files.any(|file| is_tail_of(profile.function_file(function), file))
}

fn is_in_file_or_object(profile: &Profile, function: FunctionId, wanted: &str) -> bool {
    let paths = [profile.function_file(function), profile.function_object(function)];
    paths.into_iter().any(|path| is_tail_of(path, wanted))
}

#[cfg(test)]
mod tests {
    use lotse_model::Profile;
    use lotse_model::id::{FunctionId, ObjectId};
    use lotse_model::profile::Builder;

    use super::{FunctionLabels, is_label_of};

    fn profile() -> Profile {
        let mut builder = Builder::new();
        let (app, other) = (builder.file("/src/app.js"), builder.file("/src/other.js"));
        for (name, file, place) in [
            ("run", app, (1, 14)),
            ("run", app, (1, 40)),
            ("run", other, (7, 2)),
            ("(anonymous)", app, (9, 1)),
            ("<lambda>", other, (0, 0)),
        ] {
            builder.function_at(name, ObjectId(0), file, place);
        }
        builder.finish()
    }

    #[test]
    fn a_place_is_added_where_the_name_is_not_enough() {
        let profile = profile();
        let labels = FunctionLabels::new(&profile);
        let shown: Vec<String> = profile.functions.ids().map(|id| labels.label(id)).collect();
        let expected =
            ["run (app.js:1:14)", "run (app.js:1:40)", "run", "(anonymous) (app.js:9:1)", "<lambda>"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn functions_of_one_name_differ_by_the_shortest_place() {
        let mut builder = Builder::new();
        let files = ["/a/x.py", "/b/x.py", "/a/y.py"].map(|path| builder.file(path));
        let object = builder.object("/lib/z.so");
        for (name, object, file, line) in [
            ("<module>", ObjectId(0), files[0], 1),
            ("<module>", ObjectId(0), files[1], 1),
            ("<module>", ObjectId(0), files[2], 1),
            ("<module>", ObjectId(0), files[2], 7),
            ("<module>", object, files[2], 7),
            ("only", ObjectId(0), files[0], 2),
        ] {
            builder.function_at(name, object, file, (line, 0));
        }
        let profile = builder.finish();
        let labels = FunctionLabels::new(&profile);
        let places: Vec<Option<String>> =
            profile.functions.ids().map(|id| labels.distinct_place(id)).collect();
        let shown: Vec<&str> = places.iter().map(|place| place.as_deref().unwrap_or("-")).collect();
        assert_eq!(shown, ["/a/x.py:1", "/b/x.py:1", "y.py:1", "/a/y.py:7", "z.so: y.py:7", "-"]);
    }

    #[test]
    fn a_function_is_named_by_its_place() {
        let profile = profile();
        let named = |wanted: &str| -> Vec<u32> {
            profile.functions.ids().filter(|id| is_label_of(&profile, *id, wanted)).map(|id| id.0).collect()
        };
        assert_eq!(named("app.js:1"), [0, 1]);
        assert_eq!(named("app.js:1:40"), [1]);
        assert_eq!(named("/src/app.js:9"), [3]);
        assert_eq!(named("run (app.js:1:14)"), [0]);
        assert_eq!(named("run (other.js)"), [2]);
        assert_eq!(named("run [app.js:1:14]"), [0]);
        assert_eq!(named("run [src/app.js:1:40] <cycle 2>"), [1]);
        assert_eq!(named("run [pp.js:1:40]"), [0; 0]);
        assert_eq!(named("run [other.js] (recursive)"), [2]);
        assert_eq!(named("run [app.js:1:14"), [0; 0]);
        assert_eq!(named("app.js:14"), [0; 0]);
        assert_eq!(FunctionLabels::new(&profile).candidate(FunctionId(4)), "<lambda> (other.js)");
    }
}
