//! Finds the files of an archive in a folder, even if a crash left no anchor or the files were renamed.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::bytes::Folder;

use super::anchor;

/// The files of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArchiveFiles {
    pub(super) anchor: Option<String>,
    pub(super) definitions: Option<String>,
    /// The folder of the locations' files, with a slash at the end.
    pub(super) locations: String,
    /// The event files by location number.
    pub(super) events: BTreeMap<u64, String>,
}

/// Finds the archive that the user named, or the archive in the folder.
pub(super) fn find(folder: &dyn Folder) -> ArchiveFiles {
    let anchor = find_anchor(folder);
    let main = anchor.as_deref().unwrap_or(folder.main());
    let expected = format!("{}/", stem(main));
    let mut locations = expected.clone();
    let mut events = event_files(folder, &locations);
    if let Some(other) = fullest_folder(folder).filter(|_| events.is_empty()) {
        events = event_files(folder, &other);
        locations = other;
    }
    let definitions = [&expected, &locations]
        .map(|it| format!("{}.def", it.trim_end_matches('/')))
        .into_iter()
        .find(|it| folder.bytes(it).is_some());
    ArchiveFiles { anchor, definitions, locations, events }
}

fn find_anchor(folder: &dyn Folder) -> Option<String> {
    let is_anchor = |name: &str| folder.bytes(name).is_some_and(anchor::claim);
    if is_anchor(folder.main()) {
        return Some(folder.main().to_owned());
    }
    // An anchor in a subfolder belongs to another archive.
    folder.names().iter().find(|it| !it.contains('/') && it.ends_with(".otf2") && is_anchor(it)).cloned()
}

/// The name without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => stem,
        _ => name,
    }
}

fn event_files(folder: &dyn Folder, locations: &str) -> BTreeMap<u64, String> {
    let from = folder.names().partition_point(|it| it.as_str() < locations);
    let inside = folder.names()[from..].iter().take_while(|it| it.starts_with(locations));
    inside.filter_map(|it| Some((location_number(&it[locations.len()..])?, it.clone()))).collect()
}

/// The location number in the name of an event file.
fn location_number(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".evt")?;
    let plain = digits.bytes().all(|it| it.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// The folder with the most event files.
fn fullest_folder(folder: &dyn Folder) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in folder.names() {
        let cut = name.rfind('/').map_or(0, |it| it + 1);
        if location_number(&name[cut..]).is_some() {
            *counts.entry(&name[..cut]).or_insert(0) += 1;
        }
    }
    let fullest = counts.into_iter().max_by_key(|&(name, count)| (count, std::cmp::Reverse(name)));
    fullest.map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Folder;

    use super::{ArchiveFiles, find};

    struct Names {
        main: &'static str,
        names: Vec<String>,
    }

    impl Folder for Names {
        fn name(&self) -> &str {
            self.main
        }

        fn main(&self) -> &str {
            self.main
        }

        fn names(&self) -> &[String] {
            &self.names
        }

        fn bytes(&self, name: &str) -> Option<&[u8]> {
            let there = self.names.iter().any(|it| it == name);
            there.then_some(if name.ends_with(".otf2") { b"\x03BOTF2\0\x03" } else { b"" })
        }
    }

    fn layout(main: &'static str, names: &[&str]) -> ArchiveFiles {
        let mut names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
        names.sort();
        find(&Names { main, names })
    }

    const WHOLE: [&str; 6] =
        ["traces.otf2", "traces.def", "traces/0.evt", "traces/0.def", "traces/17.evt", "traces/readme.evt"];

    #[test]
    fn an_archive_is_found_by_its_anchor_or_its_folder() {
        for main in ["traces.otf2", "", "traces.def", "elsewhere"] {
            let layout = layout(main, &WHOLE);
            assert_eq!(layout.anchor.as_deref(), Some("traces.otf2"), "{main}");
            assert_eq!(layout.definitions.as_deref(), Some("traces.def"));
            assert_eq!(layout.locations, "traces/");
            assert_eq!(layout.events.keys().copied().collect::<Vec<_>>(), [0, 17]);
        }
    }

    #[test]
    fn without_an_anchor_the_event_files_give_the_layout() {
        let crashed = layout("", &["a/traces/0.evt", "a/traces/1.evt", "b/2.evt"]);
        assert_eq!((crashed.anchor, crashed.definitions), (None, None));
        assert_eq!(crashed.locations, "a/traces/");
        assert_eq!(crashed.events.len(), 2);
    }

    #[test]
    fn a_renamed_anchor_finds_its_files() {
        let renamed = layout("mine.otf2", &["mine.otf2", "traces.def", "traces/0.evt"]);
        assert_eq!(renamed.definitions.as_deref(), Some("traces.def"));
        assert_eq!(renamed.events.len(), 1);
    }

    #[test]
    fn the_folder_of_locations_may_be_the_folder_itself() {
        let inside = layout("", &["0.evt", "0.def", "1.evt"]);
        assert_eq!(inside.locations, "");
        assert_eq!(inside.events.len(), 2);
        assert_eq!(layout("", &[]), ArchiveFiles { locations: "/".to_owned(), ..ArchiveFiles::default() });
    }
}
