//! Finds the binary of an object, and its debug information.
//!
//! If the profile states a build id, only that build is used. It is searched for among the files given by the user, at
//! the recorded path, in stores of builds, and on servers. If the profile states none, the file given by the user or the
//! one at the recorded path is used, with a warning if it is newer than the profile.

use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;
use lotse_symbols::{Binary, DebugLink, Identity};

use super::age::newer;
use super::files::{BuildFile, DEBUG, Fetched, Files};
use super::missing::{MissingBinary, RefusalReason, RefusedFile};
use super::wanted::WantedBinary;
use crate::report::base_name;

/// Where programs and libraries are found: given by the user, or at the paths that a profile records.
#[derive(Clone, Copy)]
pub struct Binaries<'a> {
    pub files: &'a dyn Files,
    /// Paths given by the user, used for objects of the same file name or the same build. The first is also used for
    /// the program of a profile that does not name it.
    pub given: &'a [String],
}

impl Binaries<'_> {
    /// Finds a binary, and calls `work` with it and its path.
    ///
    /// Problems of its debug information, and a warning if it may be another version, are added to the notes.
    pub(crate) fn with<T>(
        &self,
        wanted: &WantedBinary<'_>,
        notes: &mut Vec<String>,
        work: impl FnOnce(&Binary<'_>, &str) -> T,
    ) -> Result<T, MissingBinary> {
        let object = match wanted.build {
            Some(build) => self.find_build(wanted, build, notes)?,
            None => self.find_file(wanted, notes)?,
        };
        let debug;
        let mut binary = Binary::parse(object.bytes()).map_err(|error| unreadable(&*object, &error))?;
        debug = if binary.has_lines() { None } else { self.find_debug(&binary, object.name(), notes) };
        if let Some(debug) = &debug {
            match Binary::with_debug(object.bytes(), debug.bytes()) {
                Ok(with_debug) => binary = with_debug,
                Err(error) => notes.push(format!("{}: {error}", debug.name())),
            }
        }
        let done = work(&binary, object.name());
        if let Some(problem) = binary.debug_problem() {
            notes.push(format!("{}: {problem}; its lines are unknown", object.name()));
        }
        Ok(done)
    }

    /// The file of an object whose build is not stated.
    fn find_file(
        &self,
        wanted: &WantedBinary<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Box<dyn Source>, MissingBinary> {
        let path = match wanted.path {
            None => self.given.first().map(String::as_str),
            Some(path) => self.named(path).next().or(wanted.is_file().then_some(path)),
        };
        let path = path.ok_or_else(MissingBinary::default)?;
        let file = self.files.open(path).ok_or_else(MissingBinary::default)?;
        notes.extend(newer(self.files, path, wanted.recorded, "its names and lines"));
        Ok(file)
    }

    /// The files given by the user that have the object's file name.
    fn named(&self, path: &str) -> impl Iterator<Item = &str> {
        let same = move |given: &&str| base_name(given) == base_name(path);
        self.given.iter().map(String::as_str).filter(same)
    }

    /// The file of the recorded build.
    fn find_build(
        &self,
        wanted: &WantedBinary<'_>,
        build: &BuildId,
        notes: &mut Vec<String>,
    ) -> Result<Box<dyn Source>, MissingBinary> {
        let mut missing = MissingBinary::default();
        let named: Vec<String> = self.named(wanted.path.unwrap_or("")).map(str::to_owned).collect();
        let recorded = wanted.path.filter(|_| wanted.is_file()).map(str::to_owned);
        let mut places =
            named.iter().cloned().chain(recorded).chain(self.files.stored(build, BuildFile::Program));
        let mut found = places.find_map(|place| self.open_if_build(&place, build, &mut missing.refused));
        // A given file of another name is meant for another object, unless it has the right build id.
        let mut others = self.given.iter().filter(|given| !named.contains(given));
        found = found.or_else(|| others.find_map(|place| self.open_if_build(place, build, &mut Vec::new())));
        if found.is_none() && wanted.is_file() {
            found = self.fetch_build(build, &mut missing);
        }
        let found = found.ok_or_else(|| std::mem::take(&mut missing))?;
        let unused = missing.refused.iter().filter(|refused| named.contains(&refused.path));
        notes.extend(unused.map(|it| format!("--binary {}; it is not used", it.describe(build))));
        Ok(found)
    }

    /// Opens a file if it has a build id; adds it to `refused` otherwise.
    fn open_if_build(
        &self,
        path: &str,
        build: &BuildId,
        refused: &mut Vec<RefusedFile>,
    ) -> Option<Box<dyn Source>> {
        let found = self.files.open(path)?;
        let why = match Identity::read(found.bytes()) {
            Ok(identity) if identity.is_build(build.bytes()) => return Some(found),
            Ok(identity) => RefusalReason::OtherBuild(identity.build_id()),
            Err(error) => RefusalReason::Unreadable(error.to_string()),
        };
        refused.push(RefusedFile { path: path.to_owned(), why });
        None
    }

    /// Downloads a build from a server.
    fn fetch_build(&self, build: &BuildId, missing: &mut MissingBinary) -> Option<Box<dyn Source>> {
        match self.files.fetch(build, BuildFile::Program) {
            Fetched::File(file) => {
                let named = file.name().to_owned();
                if Identity::read(file.bytes()).is_ok_and(|identity| identity.is_build(build.bytes())) {
                    return Some(file);
                }
                missing.servers = Some(format!("{named}, which debuginfod gave, is another build"));
            }
            Fetched::Nothing(why) => missing.servers = Some(why),
            Fetched::NoServer => {}
        }
        None
    }

    /// The separate debug file: by build id, by the name that the binary states, or from a server.
    fn find_debug(
        &self,
        binary: &Binary<'_>,
        path: &str,
        notes: &mut Vec<String>,
    ) -> Option<Box<dyn Source>> {
        let build = binary.build_id().and_then(|id| BuildId::new(&id));
        let mut refused = Vec::new();
        let stored = build.as_ref().map_or(Vec::new(), |build| self.files.stored(build, BuildFile::Debug));
        let found = build
            .as_ref()
            .and_then(|build| stored.iter().find_map(|place| self.open_if_build(place, build, &mut refused)));
        let found = found.or_else(|| self.linked_debug(binary, path, build.as_ref(), &mut refused));
        let fetched = || match self.files.fetch(build.as_ref()?, BuildFile::Debug) {
            Fetched::File(file) => Some(file),
            Fetched::Nothing(_) | Fetched::NoServer => None,
        };
        // Servers are asked only if names are missing; a download only for lines would take too long.
        let found = found.or_else(|| if binary.has_symbol_table() { None } else { fetched() });
        if found.is_none() {
            let described = refused.iter().map(|it| describe_debug(it, path, build.as_ref()));
            notes.extend(described);
        }
        found
    }

    /// The debug file that the binary names in its debug link.
    fn linked_debug(
        &self,
        binary: &Binary<'_>,
        path: &str,
        build: Option<&BuildId>,
        refused: &mut Vec<RefusedFile>,
    ) -> Option<Box<dyn Source>> {
        let link = binary.debug_link()?;
        let directory = path.rsplit_once('/').map_or(".", |(directory, _)| directory);
        let name = base_name(&link.name);
        let places = [
            format!("{directory}/{name}"),
            format!("{directory}/.debug/{name}"),
            format!("{DEBUG}{directory}/{name}"),
        ];
        for place in places.iter().filter(|place| *place != path) {
            let Some(found) = self.files.open(place) else { continue };
            let why = match Identity::read(found.bytes()) {
                Ok(identity) if is_linked(&identity, &link, found.bytes(), build) => return Some(found),
                Ok(identity) => RefusalReason::OtherBuild(identity.build_id()),
                Err(error) => RefusalReason::Unreadable(error.to_string()),
            };
            refused.push(RefusedFile { path: place.clone(), why });
        }
        None
    }
}

/// Whether a debug file is the one that a binary names: by build id if both have one, else by its checksum.
fn is_linked(identity: &Identity, link: &DebugLink, bytes: &[u8], build: Option<&BuildId>) -> bool {
    match build.filter(|_| identity.build_id().is_some()) {
        Some(build) => identity.is_build(build.bytes()),
        None => link.matches(bytes),
    }
}

fn unreadable(object: &dyn Source, error: &lotse_symbols::SymbolError) -> MissingBinary {
    let why = RefusalReason::Unreadable(error.to_string());
    MissingBinary { refused: vec![RefusedFile { path: object.name().to_owned(), why }], servers: None }
}

/// A note why a debug file is not used.
fn describe_debug(refused: &RefusedFile, program: &str, build: Option<&BuildId>) -> String {
    let path = &refused.path;
    match (&refused.why, build) {
        (RefusalReason::Unreadable(why), _) => format!("{path}: {why}; it is not used"),
        (RefusalReason::OtherBuild(Some(id)), Some(build)) => format!(
            "{path} belongs to another build of {program} (build id {id}, the program has {build}); it is not used"
        ),
        (RefusalReason::OtherBuild(_), _) => {
            format!("{path} is not the debug file that {program} was linked with; it is not used")
        }
    }
}
