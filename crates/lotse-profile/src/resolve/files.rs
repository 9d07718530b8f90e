//! Where binaries and their debug information are looked for. Which files there are, the edge knows.

use lotse_model::bytes::Source;
use lotse_symbols::Binary;

use crate::report::base_name;

/// Where distributions put debug information.
const DEBUG: &str = "/usr/lib/debug";

/// Files by path.
pub trait Files {
    /// A file; `None` where there is none that can be read.
    fn open(&self, path: &str) -> Option<Box<dyn Source>>;
}

/// Programs and libraries: those the user gives, else those at the paths that a profile records.
#[derive(Clone, Copy)]
pub struct Binaries<'a> {
    /// All files.
    pub files: &'a dyn Files,
    /// Paths of binaries the user gives; they stand for objects of the same file name, the first also for a
    /// program that the profile does not name.
    pub given: &'a [String],
}

/// Why a binary cannot be asked.
pub(crate) enum Missing {
    /// It is not there.
    Absent,
    /// It is no binary, or damaged.
    Unreadable(String),
}

impl Binaries<'_> {
    /// Does something with the binary recorded under a path (`None`: the program) and the path it was found at.
    ///
    /// What is wrong with its debug information is added to the notes.
    pub(crate) fn with<T>(
        &self,
        recorded: Option<&str>,
        notes: &mut Vec<String>,
        work: impl FnOnce(&Binary<'_>, &str) -> T,
    ) -> Result<T, Missing> {
        let object = self.object(recorded).ok_or(Missing::Absent)?;
        let unreadable = |error: lotse_symbols::SymbolError| Missing::Unreadable(error.to_string());
        let debug;
        let mut binary = Binary::parse(object.bytes()).map_err(unreadable)?;
        debug = if binary.has_lines() { None } else { self.debug(&binary, object.name()) };
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

    fn object(&self, recorded: Option<&str>) -> Option<Box<dyn Source>> {
        let Some(recorded) = recorded else { return self.files.open(self.given.first()?) };
        // perf marks what was replaced on disk while it ran.
        let recorded = recorded.strip_suffix(" (deleted)").unwrap_or(recorded);
        let given = self.given.iter().find(|given| base_name(given) == base_name(recorded));
        self.files.open(given.map_or(recorded, String::as_str))
    }

    /// Debug information in a file of its own: by build id, then by the name that the binary gives.
    fn debug(&self, binary: &Binary<'_>, path: &str) -> Option<Box<dyn Source>> {
        let by_id = binary.build_id().and_then(|id| self.files.open(&path_of_id(&id)?));
        by_id.or_else(|| {
            let link = binary.debug_link()?;
            let directory = path.rsplit_once('/').map_or(".", |(directory, _)| directory);
            let name = base_name(&link.name);
            let places = [
                format!("{directory}/{name}"),
                format!("{directory}/.debug/{name}"),
                format!("{DEBUG}{directory}/{name}"),
            ];
            let mut found = places.iter().filter(|place| *place != path).filter_map(|it| self.files.open(it));
            found.find(|debug| link.matches(debug.bytes()))
        })
    }
}

fn path_of_id(id: &[u8]) -> Option<String> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{DEBUG}/.build-id/{first:02x}/{rest}.debug"))
}
