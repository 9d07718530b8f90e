//! Full paths, from debug information, of source files that a profile names by a relative path.

use hashbrown::HashMap;
use lotse_symbols::Binary;

use super::AnnotateQuery;
use super::gather::GatheredCosts;
use crate::analysis::Analysis;
use crate::report::base_name;
use crate::resolve::WantedBinary;

/// The full paths of the function's source files that have no absolute path in the profile.
pub(super) fn origins(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    found: &GatheredCosts,
) -> HashMap<String, String> {
    let profile = analysis.profile;
    let mut wanted: HashMap<String, Option<u64>> = HashMap::new();
    for (file, _) in found.lines.iter().map(|(key, _)| key) {
        let relative = |path: &&str| !path.starts_with('/') && !path.starts_with("file://") && *path != "???";
        if let Some(path) = profile.file_name(file).filter(relative) {
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
    // A missing binary matters only to the disassembly, which reports it.
    let mut ignored_notes = Vec::new();
    let object = WantedBinary::object(profile, profile.functions.object[query.function.index()]);
    let known = query.binaries.with(&object, &mut ignored_notes, |binary, _| {
        let begin = binary.function_named(name).map(|function| function.address);
        let with_full_path = |(path, address): (String, Option<u64>)| {
            let found = full_path(binary, address.or(begin)?, &path)?;
            Some((path, found))
        };
        wanted.into_iter().filter_map(with_full_path).collect()
    });
    known.unwrap_or_else(|_absent| HashMap::new())
}

/// The full path of the source file of the code at an address.
fn full_path(binary: &Binary<'_>, address: u64, path: &str) -> Option<String> {
    let files = binary.resolve(address).frames.into_iter().filter_map(|frame| frame.file);
    files.into_iter().find(|file| base_name(file) == base_name(path))
}
