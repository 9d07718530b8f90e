//! Where source files that a profile names without their directory were compiled: debug information knows.

use hashbrown::HashMap;
use lotse_symbols::Binary;

use super::Query;
use super::gather::Found;
use crate::analysis::Analysis;
use crate::report::base_name;
use crate::resolve::Wanted;

/// Whole paths of the function's source files that are not whole in the profile.
pub(super) fn origins(analysis: &Analysis<'_>, query: &Query<'_>, found: &Found) -> HashMap<String, String> {
    let profile = analysis.profile;
    let mut wanted: HashMap<String, Option<u64>> = HashMap::new();
    for (file, _) in found.lines.iter().map(|(key, _)| key) {
        let part = |path: &&str| !path.starts_with('/') && !path.starts_with("file://") && *path != "???";
        if let Some(path) = profile.file_name(file).filter(part) {
            wanted.entry(path.to_owned()).or_default();
        }
    }
    for (&address, &(file, _)) in &found.places {
        if let Some(path) = profile.file_name(file).and_then(|path| wanted.get_mut(path)) {
            *path = Some(path.map_or(address, |known| known.min(address)));
        }
    }
    if wanted.is_empty() {
        return HashMap::new();
    }
    let name = profile.function_name(query.function);
    // That the binary is missing matters only to assembly, which tells it.
    let mut untold = Vec::new();
    let object = Wanted::object(profile, profile.functions.object[query.function.index()]);
    let known = query.binaries.with(&object, &mut untold, |binary, _| {
        let begin = binary.function_named(name).map(|function| function.address);
        let whole = |(path, address): (String, Option<u64>)| {
            let found = whole(binary, address.or(begin)?, &path)?;
            Some((path, found))
        };
        wanted.into_iter().filter_map(whole).collect()
    });
    known.unwrap_or_else(|_absent| HashMap::new())
}

/// The whole path of a file that code at an address comes from.
fn whole(binary: &Binary<'_>, address: u64, path: &str) -> Option<String> {
    let files = binary.resolve(address).frames.into_iter().filter_map(|frame| frame.file);
    files.into_iter().find(|file| base_name(file) == base_name(path))
}
