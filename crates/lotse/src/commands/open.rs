//! `lotse open`: the page.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use lotse_host::StateFile;
use lotse_profile::diff::Rename;
use lotse_serve::api::{DocumentKind, Problem};
use lotse_serve::open::{Document, OpenProgress, OpenRequest, Opener};
use lotse_serve::{Listening, ServeOptions, serve};

use self::editor::Editor;
use self::kinds::kinds_of;
use self::run_files::by_run;
use crate::args::{KindArg, OpenArgs};
use crate::exit::{Exit, Failure};
use crate::settings::Settings;
use crate::{rules, screen};

mod bench;
mod confined;
mod editor;
mod kinds;
mod predict;
mod profile;
mod run_files;
mod spy;
mod trace;

/// Serves the page until the user ends it.
pub(crate) fn run(args: &OpenArgs) -> Result<Exit, Failure> {
    let options = ServeOptions {
        port: args.port,
        socket: args.socket.clone(),
        read_only: args.read_only,
        state_file: StateFile::of_user("open.json").map(|file| file.path().to_owned()),
        version: env!("CARGO_PKG_VERSION"),
        open: requests(args)?,
    };
    let opener = FileOpener::new(&args.binary, &args.source_dir, args.no_index).renaming(&args.rename)?;
    serve(Arc::new(opener), options, |listening| announce(args, listening))
        .map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok(Exit::Done)
}

/// What is opened at the start.
fn requests(args: &OpenArgs) -> Result<Vec<OpenRequest>, Failure> {
    if args.compare {
        return Ok(vec![request(&args.files, true, None)?]);
    }
    let paths = args.files.iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
    Ok(by_run(paths).into_iter().map(|paths| plain_request(paths, args.kind)).collect())
}

/// A file, the files of one run, or two profiles to compare. Files must exist; what is in them is looked at later, while the
/// page is already there.
pub(super) fn request(
    files: &[PathBuf],
    compare: bool,
    kind: Option<KindArg>,
) -> Result<OpenRequest, Failure> {
    let paths = files.iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
    if !compare {
        let (count, mut runs) = (paths.len(), by_run(paths));
        return match (runs.pop(), runs.is_empty()) {
            (Some(run), true) => Ok(plain_request(run, kind)),
            _ => Err(Failure::usage(format!(
                "{count} files were given: one at a time, all of one run of callgrind, or two with --compare"
            ))),
        };
    }
    let is_profile =
        |path: &&PathBuf| !kinds_of(path).is_ok_and(|kinds| !kinds.contains(&DocumentKind::Profile));
    if let Some(other) = paths.iter().find(|path| !is_profile(path)) {
        return Err(Failure::usage(format!(
            "{} is no profile: --compare takes two profiles; `lotse trace diff` compares traces",
            other.display()
        )));
    }
    match paths.len() {
        2 => Ok(OpenRequest { paths, compare, kind: None }),
        count => Err(Failure::usage(format!("--compare needs two profiles; {count} given"))),
    }
}

fn plain_request(paths: Vec<PathBuf>, kind: Option<KindArg>) -> OpenRequest {
    let kind = kind.map(|kind| match kind {
        KindArg::Profile => DocumentKind::Profile,
        KindArg::Trace => DocumentKind::Trace,
    });
    OpenRequest { paths, compare: false, kind }
}

fn absolute(path: &PathBuf) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path)
        .map_err(|error| Failure { exit: Exit::Unreadable, message: format!("{}: {error}", path.display()) })
}

/// Prints where the page is, and starts the browser.
fn announce(args: &OpenArgs, listening: &Listening) {
    let token = listening.token.as_str();
    let Some(port) = listening.port else {
        let socket = args.socket.as_deref().map_or_else(String::new, |path| path.display().to_string());
        screen::remark(&format!("listening on {socket}; to see the page, forward a port to it:"));
        screen::remark(&format!("  ssh -L 8000:{socket} THIS_MACHINE"));
        screen::remark(&format!("  http://localhost:8000/#token={token}"));
        return;
    };
    let url = format!("http://127.0.0.1:{port}/#token={token}");
    screen::remark(&url);
    screen::remark(&format!(
        "from another machine: ssh -L {port}:127.0.0.1:{port} THIS_MACHINE, then the same address"
    ));
    screen::remark("Ctrl-C ends the server");
    if !args.no_open {
        start_browser(&url);
    }
}

/// Starts the user's browser and forgets it. Without a screen there is none, and the printed address is enough.
fn start_browser(url: &str) {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let (program, wanted) = match std::env::consts::OS {
        "macos" => ("open", true),
        _ => ("xdg-open", has_screen),
    };
    if !wanted {
        return;
    }
    let started = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if started.is_err() {
        screen::remark(&format!("{program} cannot be started: open the address yourself"));
    }
}

/// Opens files as the other commands do.
pub(super) struct FileOpener {
    binaries: Vec<PathBuf>,
    source_dirs: Vec<String>,
    no_index: bool,
    renames: Vec<Rename>,
}

impl Opener for FileOpener {
    fn open(
        &self,
        request: &OpenRequest,
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Problem> {
        self.open_files(request, progress, serve).map_err(|failure| Problem::new(failure.message))
    }

    fn kinds(&self, request: &OpenRequest) -> Result<Vec<DocumentKind>, Problem> {
        match request.paths.first() {
            Some(path) if !request.compare => kinds_of(path).map_err(|failure| Problem::new(failure.message)),
            _ => Ok(vec![DocumentKind::Comparison]),
        }
    }

    fn explanation(&self, rule: &str) -> String {
        let explained = || {
            let thresholds = Settings::load().ok()?.thresholds();
            let document = lotse_report::explain::explain(rules::named(rule)?, &thresholds);
            let format = lotse_report::format::named("terminal")?;
            format.to_string(&document, lotse_report::Options::default()).ok()
        };
        explained().unwrap_or_else(String::new)
    }

    fn editor(&self) -> Option<String> {
        Editor::of_user().map(|editor| editor.name().to_owned())
    }

    fn edit(&self, path: &str, line: u32) -> Result<String, Problem> {
        let editor = Editor::of_user().ok_or_else(|| Problem::new("no editor is chosen: set open.editor"))?;
        let failed =
            |error: std::io::Error| Problem::new(format!("{} cannot be started: {error}", editor.name()));
        let started = editor.start(path, line).map_err(failed)?;
        screen::remark(&format!("started {started}"));
        Ok(started)
    }
}

impl FileOpener {
    pub(super) fn new(binaries: &[PathBuf], source_dirs: &[PathBuf], no_index: bool) -> Self {
        Self {
            binaries: binaries.to_vec(),
            source_dirs: source_dirs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            no_index,
            renames: Vec::new(),
        }
    }

    /// Functions of old profiles that have other names in new ones, as given on the command line.
    pub(super) fn renaming(mut self, texts: &[String]) -> Result<Self, Failure> {
        let parsed = texts.iter().map(|text| Rename::parse(text)).collect::<Result<Vec<_>, _>>();
        self.renames = parsed.map_err(|error| Failure::new(Exit::Usage, &error))?;
        Ok(self)
    }

    /// Opens a comparison, or one file with the reader of its kind.
    fn open_files(
        &self,
        request: &OpenRequest,
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Failure> {
        if let (true, [old, new]) = (request.compare, request.paths.as_slice()) {
            return self.open_comparison((old, new), progress, serve);
        }
        let path = request.paths.first().ok_or_else(|| Failure::usage("no file was named"))?;
        let kind = match request.kind {
            Some(kind) => kind,
            None => *kinds_of(path)?.first().ok_or_else(|| Failure::usage("no file was named"))?,
        };
        match kind {
            DocumentKind::Profile => self.open_profile(&request.paths, progress, serve),
            DocumentKind::Trace => Self::open_trace(path, progress, serve),
            DocumentKind::Bench => Self::open_bench(path, serve),
            DocumentKind::Spy => self.open_history(path, serve),
            DocumentKind::Predict => Self::open_prediction(path, serve),
            DocumentKind::Comparison => Err(Failure::usage("--compare needs two profiles")),
        }
    }
}
