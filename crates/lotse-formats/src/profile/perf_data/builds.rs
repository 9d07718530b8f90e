//! Build ids of objects: from perf's list for the whole recording, and from records of mapped memory.

use hashbrown::HashMap;
use lotse_model::profile::{BuildId, readable};

use super::bytes::PerfBytes;

/// A flag of a record: the length of the id follows it. Without it, shorter ids are padded with zeros.
const SIZED: u16 = 1 << 15;
/// The size of the field of an id, including the length.
const FIELD: usize = 24;
/// The longest id in a field.
const ID: usize = 20;

/// Builds by path, from perf's list of objects that samples hit.
#[derive(Debug, Default)]
pub(super) struct BuildList {
    listed: HashMap<String, BuildId>,
    /// Paths that the list contains with two ids; perf itself uses the last one.
    pub(super) ambiguous: Vec<String>,
}

impl BuildList {
    /// The build of an object.
    pub(super) fn get(&self, path: &str) -> Option<&BuildId> {
        self.listed.get(path)
    }

    /// Adds the list in the features of a file.
    pub(super) fn add_list(&mut self, mut list: PerfBytes<'_>) -> Option<()> {
        while !list.rest.is_empty() {
            let (_, flags, size) = (list.word()?, list.short()?, list.short()?);
            let body = list.take(usize::from(size).checked_sub(8)?)?;
            self.add(flags, PerfBytes { rest: body, big: list.big })?;
        }
        Some(())
    }

    /// Adds a record: process, id, path.
    pub(super) fn add(&mut self, flags: u16, mut body: PerfBytes<'_>) -> Option<()> {
        body.word()?;
        let field = body.take(FIELD)?;
        let size = if flags & SIZED != 0 { usize::from(field[ID]).min(ID) } else { ID };
        let path = readable(body.text()).into_owned();
        let Some(build) = BuildId::new(&field[..size]) else { return Some(()) };
        let before = self.listed.insert(path.clone(), build.clone());
        if before.is_some_and(|before| before != build) {
            self.ambiguous.push(path);
        }
        Some(())
    }
}

/// The build id in a record of mapped memory, if its flags announce one.
pub(super) fn build_of_map(flags: u16, mut field: PerfBytes<'_>) -> Option<BuildId> {
    const STATED: u16 = 1 << 14;
    if flags & STATED == 0 {
        return None;
    }
    let size = usize::from(*field.take(4)?.first()?).min(ID);
    BuildId::new(field.take(size)?)
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::BuildId;

    use super::{BuildList, PerfBytes, build_of_map};

    fn listed(flags: u16, id: &[u8], size: u8, path: &[u8]) -> BuildList {
        let mut body = vec![0xff; 4];
        body.extend(id);
        body.resize(24, 0);
        body.extend([size, 0, 0, 0]);
        body.extend(path);
        let mut list = [67_u32.to_le_bytes().to_vec(), flags.to_le_bytes().to_vec()].concat();
        list.extend((body.len() as u16 + 8).to_le_bytes());
        list.extend(body);
        let mut builds = BuildList::default();
        builds.add_list(PerfBytes { rest: &[list.clone(), list].concat(), big: false }).unwrap();
        builds
    }

    #[test]
    fn ids_have_the_length_that_is_stated() {
        let id = [7; 16];
        let builds = listed(1 << 15, &id, 16, b"/bin/prog\0\0");
        assert_eq!(builds.get("/bin/prog"), BuildId::new(&id).as_ref());
        assert!(builds.ambiguous.is_empty());
        let padded = listed(2, &id, 0, b"/bin/prog\0\0");
        assert_eq!(padded.get("/bin/prog").map(|id| id.bytes().len()), Some(20));
        assert!(listed(2, &[0; 20], 0, b"/bin/prog\0").get("/bin/prog").is_none());
    }

    #[test]
    fn a_path_of_two_builds_is_reported() {
        let mut builds = BuildList::default();
        for first in [1_u8, 2] {
            let body = [&[0, 0, 0, 0, first][..], &[9; 23], b"/a\0"].concat();
            builds.add(0, PerfBytes { rest: &body, big: false }).unwrap();
        }
        assert_eq!(builds.ambiguous, ["/a"]);
        assert_eq!(builds.get("/a").map(|id| id.bytes()[0]), Some(2));
    }

    #[test]
    fn a_map_states_its_build_only_with_the_flag() {
        let field = [&[20, 0, 0, 0][..], &[5; 20]].concat();
        let bytes = PerfBytes { rest: &field, big: false };
        assert_eq!(build_of_map(1 << 14, bytes), BuildId::new(&[5; 20]));
        assert_eq!(build_of_map(2, bytes), None);
    }
}
