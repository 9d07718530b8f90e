//! Readable names that are unique, for formats whose readers identify functions by name only.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, NameId};
use lotse_model::profile::Strings;

use crate::names::display;
use crate::report::base_name;

/// Gives every function a unique readable name: functions of equal name get file and line appended, then the
/// object, then a number.
pub(super) fn name_distinctly(profile: &mut Profile) {
    let mut names: Vec<String> =
        profile.functions.ids().map(|function| display(profile, function).into_owned()).collect();
    for suffix in [place, object, number] {
        let mut counts: HashMap<String, usize> = HashMap::new();
        names.iter().for_each(|name| *counts.entry_ref(name.as_str()).or_default() += 1);
        if counts.values().all(|&count| count == 1) {
            break;
        }
        for function in profile.functions.ids() {
            let name = &mut names[function.index()];
            if counts[name.as_str()] > 1 {
                name.push_str(&suffix(profile, function));
            }
        }
    }
    rename(profile, &names);
}

fn place(profile: &Profile, function: FunctionId) -> String {
    let line = profile.functions.line[function.index()];
    match profile.function_file(function).filter(|file| *file != "???").map(base_name) {
        Some(file) if line > 0 => format!(" ({file}:{line})"),
        Some(file) => format!(" ({file})"),
        None => String::new(),
    }
}

fn object(profile: &Profile, function: FunctionId) -> String {
    let name = profile.function_object(function).map(base_name);
    name.map_or(String::new(), |name| format!(" [{name}]"))
}

fn number(_: &Profile, function: FunctionId) -> String {
    format!(" #{}", function.0)
}

/// Appends the new names to the text of all names.
fn rename(profile: &mut Profile, names: &[String]) {
    let (text, ends) = profile.strings.raw();
    let (mut text, mut ends) = (text.to_owned(), ends.to_vec());
    let mut ids = Vec::with_capacity(names.len());
    for (name, &old) in names.iter().zip(&profile.functions.name) {
        if profile.strings.get(old) == name {
            ids.push(old);
            continue;
        }
        text.push_str(name);
        ends.push(text.len());
        ids.push(NameId::from(ends.len() - 1));
    }
    // The ends are ascending, and each is the end of a complete name.
    if let Some(strings) = Strings::from_raw(text, ends) {
        (profile.strings, profile.functions.name) = (strings, ids);
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::Builder;

    use super::name_distinctly;

    #[test]
    fn only_names_that_several_have_get_more() {
        let mut builder = Builder::new();
        let (a, b) = (builder.file("/src/a.py"), builder.file("/src/b.py"));
        let (one, two) = (builder.object("/bin/one"), builder.object("/bin/two"));
        let functions = [
            ("_ZN3app4sortEi", one, a),
            ("__init__", one, a),
            ("__init__", one, b),
            ("main", one, a),
            ("main", two, a),
            ("free", one, Builder::new().file("")),
        ]
        .map(|(name, object, file)| builder.function(name, object, file));
        builder.profile.functions.line[functions[1].index()] = 7;
        let mut profile = builder.finish();
        name_distinctly(&mut profile);
        let names: Vec<&str> = functions.iter().map(|&id| profile.function_name(id)).collect();
        let expected = [
            "app::sort(int)",
            "__init__ (a.py:7)",
            "__init__ (b.py)",
            "main (a.py) [one]",
            "main (a.py) [two]",
            "free",
        ];
        assert_eq!(names, expected);
    }
}
