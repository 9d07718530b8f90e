//! Finds the binary that a profile means, and its debug information.
//!
//! Promises: where the profile states a build id, only that build is used, wherever it is found: given by the user, at
//! the recorded path, in a store of builds, on a server. Where it states none, the file that the user gives or the
//! one at the recorded path is used, with a warning if it is newer than the profile.

use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;
use lotse_symbols::{Binary, DebugLink, Identity};

use super::age::newer;
use super::files::{DEBUG, Fetched, Files, Piece};
use super::missing::{Missing, Reason, Refused};
use super::wanted::Wanted;
use crate::report::base_name;

/// Programs and libraries: those the user gives, else those at the paths that a profile records.
#[derive(Clone, Copy)]
pub struct Binaries<'a> {
    /// All files.
    pub files: &'a dyn Files,
    /// Paths of binaries the user gives; they stand for objects of the same file name or the same build, the first
    /// also for a program that the profile does not name.
    pub given: &'a [String],
}

impl Binaries<'_> {
    /// Does something with a binary and the path it was found at.
    ///
    /// What is wrong with its debug information, and whether it may be another version, is added to the notes.
    pub(crate) fn with<T>(
        &self,
        wanted: &Wanted<'_>,
        notes: &mut Vec<String>,
        work: impl FnOnce(&Binary<'_>, &str) -> T,
    ) -> Result<T, Missing> {
        let object = match wanted.build {
            Some(build) => self.build(wanted, build, notes)?,
            None => self.file(wanted, notes)?,
        };
        let debug;
        let mut binary = Binary::parse(object.bytes()).map_err(|error| unreadable(&*object, &error))?;
        debug = if binary.has_lines() { None } else { self.debug(&binary, object.name(), notes) };
        if let Some(debug) = &debug {
            match Binary::with_debug(object.bytes(), debug.bytes()) {
                Ok(whole) => binary = whole,
                Err(error) => notes.push(format!("{}: {error}", debug.name())),
            }
        }
        let done = work(&binary, object.name());
        if let Some(problem) = binary.debug_problem() {
            notes.push(format!("{}: {problem}; its lines are unknown", object.name()));
        }
        Ok(done)
    }

    /// The file that stands for an object whose build is not stated.
    fn file(&self, wanted: &Wanted<'_>, notes: &mut Vec<String>) -> Result<Box<dyn Source>, Missing> {
        let path = match wanted.path {
            None => self.given.first().map(String::as_str),
            Some(path) => self.named(path).next().or(wanted.is_file().then_some(path)),
        };
        let path = path.ok_or_else(Missing::default)?;
        let file = self.files.open(path).ok_or_else(Missing::default)?;
        notes.extend(newer(self.files, path, wanted.recorded, "its names and lines"));
        Ok(file)
    }

    /// The files of the user's that have an object's file name.
    fn named(&self, path: &str) -> impl Iterator<Item = &str> {
        let same = move |given: &&str| base_name(given) == base_name(path);
        self.given.iter().map(String::as_str).filter(same)
    }

    /// The build that was recorded.
    fn build(
        &self,
        wanted: &Wanted<'_>,
        build: &BuildId,
        notes: &mut Vec<String>,
    ) -> Result<Box<dyn Source>, Missing> {
        let mut missing = Missing::default();
        let named: Vec<String> = self.named(wanted.path.unwrap_or("")).map(str::to_owned).collect();
        let recorded = wanted.path.filter(|_| wanted.is_file()).map(str::to_owned);
        let mut places =
            named.iter().cloned().chain(recorded).chain(self.files.stored(build, Piece::Program));
        let mut found = places.find_map(|place| self.if_build(&place, build, &mut missing.refused));
        // A file of another name is given for another object, unless its id shows that it is this one.
        let mut others = self.given.iter().filter(|given| !named.contains(given));
        found = found.or_else(|| others.find_map(|place| self.if_build(place, build, &mut Vec::new())));
        if found.is_none() && wanted.is_file() {
            found = self.fetched(build, &mut missing);
        }
        let found = found.ok_or_else(|| std::mem::take(&mut missing))?;
        let unused = missing.refused.iter().filter(|refused| named.contains(&refused.path));
        notes.extend(unused.map(|it| format!("--binary {}; it is not used", it.describe(build))));
        Ok(found)
    }

    fn if_build(&self, path: &str, build: &BuildId, refused: &mut Vec<Refused>) -> Option<Box<dyn Source>> {
        let found = self.files.open(path)?;
        let why = match Identity::read(found.bytes()) {
            Ok(identity) if identity.is_build(build.bytes()) => return Some(found),
            Ok(identity) => Reason::OtherBuild(identity.build_id()),
            Err(error) => Reason::Unreadable(error.to_string()),
        };
        refused.push(Refused { path: path.to_owned(), why });
        None
    }

    fn fetched(&self, build: &BuildId, missing: &mut Missing) -> Option<Box<dyn Source>> {
        match self.files.fetch(build, Piece::Program) {
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

    /// Debug information in a file of its own: by build id, by the name that the binary gives, from a server.
    fn debug(&self, binary: &Binary<'_>, path: &str, notes: &mut Vec<String>) -> Option<Box<dyn Source>> {
        let build = binary.build_id().and_then(|id| BuildId::new(&id));
        let mut refused = Vec::new();
        let stored = build.as_ref().map_or(Vec::new(), |build| self.files.stored(build, Piece::Debug));
        let found = build
            .as_ref()
            .and_then(|build| stored.iter().find_map(|place| self.if_build(place, build, &mut refused)));
        let found = found.or_else(|| self.linked(binary, path, build.as_ref(), &mut refused));
        let fetched = || match self.files.fetch(build.as_ref()?, Piece::Debug) {
            Fetched::File(file) => Some(file),
            Fetched::Nothing(_) | Fetched::NoServer => None,
        };
        // Servers are asked only for names; waiting for lines alone would take longer than the answer is worth.
        let found = found.or_else(|| if binary.has_symbol_table() { None } else { fetched() });
        if found.is_none() {
            let described = refused.iter().map(|it| describe_debug(it, path, build.as_ref()));
            notes.extend(described);
        }
        found
    }

    /// The debug file that the binary names.
    fn linked(
        &self,
        binary: &Binary<'_>,
        path: &str,
        build: Option<&BuildId>,
        refused: &mut Vec<Refused>,
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
                Ok(identity) => Reason::OtherBuild(identity.build_id()),
                Err(error) => Reason::Unreadable(error.to_string()),
            };
            refused.push(Refused { path: place.clone(), why });
        }
        None
    }
}

/// Whether a debug file is the one that a binary names: by build id where both have one, else by its checksum.
fn is_linked(identity: &Identity, link: &DebugLink, bytes: &[u8], build: Option<&BuildId>) -> bool {
    match build.filter(|_| identity.build_id().is_some()) {
        Some(build) => identity.is_build(build.bytes()),
        None => link.matches(bytes),
    }
}

fn unreadable(object: &dyn Source, error: &lotse_symbols::SymbolError) -> Missing {
    let why = Reason::Unreadable(error.to_string());
    Missing { refused: vec![Refused { path: object.name().to_owned(), why }], servers: None }
}

/// Why a debug file is not used.
fn describe_debug(refused: &Refused, program: &str, build: Option<&BuildId>) -> String {
    let path = &refused.path;
    match (&refused.why, build) {
        (Reason::Unreadable(why), _) => format!("{path}: {why}; it is not used"),
        (Reason::OtherBuild(Some(id)), Some(build)) => format!(
            "{path} belongs to another build of {program} (build id {id}, the program has {build}); it is not used"
        ),
        (Reason::OtherBuild(_), _) => {
            format!("{path} is not the debug file that {program} was linked with; it is not used")
        }
    }
}
