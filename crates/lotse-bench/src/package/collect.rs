//! Which files a measurement needs: files below the folder are packed, files of the system are listed by path and digest.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use lotse_host::package::{self, Need, PackageError, PackedFile};

use crate::options::{Input, ProgramSpec};

/// The files of a measurement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Collected {
    /// Files to pack, sorted.
    pub files: Vec<PackedFile>,
    /// Needed files of the system, sorted.
    pub needs: Vec<Need>,
}

/// Why files cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// A file of the folder that is named by an absolute path.
    #[error(
        "`{word}` names a file of this folder by a path that will not exist elsewhere: name it relative to the folder"
    )]
    Absolute { word: String },
    /// A relative path to a file outside of the folder.
    #[error(
        "`{word}` is outside of the folder that is packed: run `lotse bench pack` in a folder above both"
    )]
    Outside { word: String },
    /// A file to pack does not exist.
    #[error("there is no `{}` to pack", path.display())]
    Absent { path: PathBuf },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] PackageError),
    /// A folder cannot be read.
    #[error("cannot read the folder `{}`", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    /// There is no folder for copies of the files.
    #[error("cannot create a temporary folder for copies of the files")]
    Copies { source: std::io::Error },
}

/// Copies the files named by the words of commands, hooks and inputs, and the files that the user adds, into a folder.
pub(super) fn collect_copies(
    programs: &[ProgramSpec],
    base: &Path,
    added: &[PathBuf],
    into: &Path,
) -> Result<Collected, CollectError> {
    let base = canonical(base)?;
    collect_paths(programs, &base, added)?.copy(into)
}

/// The names of the files that [`collect_copies`] would copy now.
pub(super) fn file_names(
    programs: &[ProgramSpec],
    base: &Path,
    added: &[PathBuf],
) -> Result<BTreeSet<String>, CollectError> {
    Ok(collect_paths(programs, &canonical(base)?, added)?.files)
}

fn canonical(base: &Path) -> Result<PathBuf, CollectError> {
    base.canonicalize().map_err(|source| CollectError::Folder { path: base.to_owned(), source })
}

fn collect_paths<'a>(
    programs: &[ProgramSpec],
    base: &'a Path,
    added: &[PathBuf],
) -> Result<Collector<'a>, CollectError> {
    let mut collector = Collector { base, files: BTreeSet::new(), needs: BTreeSet::new() };
    for program in programs {
        collector.add_program(program)?;
    }
    for path in added {
        if !path.exists() {
            return Err(CollectError::Absent { path: path.clone() });
        }
        collector.add_named(path)?;
    }
    Ok(collector)
}

struct Collector<'a> {
    base: &'a Path,
    /// Relative to the base.
    files: BTreeSet<String>,
    needs: BTreeSet<PathBuf>,
}

impl Collector<'_> {
    /// A file or folder that the user names by a relative or absolute path.
    fn add_named(&mut self, path: &Path) -> Result<(), CollectError> {
        let failed = |source| CollectError::Folder { path: path.to_owned(), source };
        let real = path.canonicalize().map_err(failed)?;
        if !real.starts_with(self.base) {
            return Err(CollectError::Outside { word: path.display().to_string() });
        }
        let name = self.name_below(&self.base.join(path), &real);
        self.add_tree(&name, &mut Vec::new())
    }

    /// All files of one program: of its commands (each in its own directory), hooks and input. Of a program with several
    /// builds the whole folder of builds is added instead of the program file.
    fn add_program(&mut self, spec: &ProgramSpec) -> Result<(), CollectError> {
        let folder =
            spec.directory.as_ref().map_or_else(|| self.base.to_owned(), |folder| self.base.join(folder));
        if spec.are_builds {
            self.add_builds(spec)?;
        }
        for (at, words) in spec.alternatives.iter().enumerate() {
            let folder = spec.directories.get(at).map_or_else(|| folder.clone(), |own| self.base.join(own));
            let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let program = usize::from(spec.are_builds);
            if let Some(program) = words.first().filter(|_| program == 0) {
                self.add_executable(program, &folder)?;
            }
            for word in &words[program.min(words.len())..] {
                self.add_word(word, &folder)?;
            }
        }
        let hooks = &spec.hooks;
        let hooks = [&hooks.setup, &hooks.prepare, &hooks.conclude, &hooks.cleanup];
        for hook in hooks.into_iter().flatten() {
            self.add_shell_line(hook, &folder)?;
        }
        if let Input::File(path) = &spec.input {
            self.add_word(&path.display().to_string(), self.base)?;
        }
        Ok(())
    }

    /// A folder of builds is packed completely: the command names it, and each build is `FOLDER/NUMBER/PROGRAM`.
    fn add_builds(&mut self, spec: &ProgramSpec) -> Result<(), CollectError> {
        for program in spec.alternatives.iter().filter_map(|words| words.first()) {
            let program = self.base.join(program);
            match program.parent().and_then(Path::parent) {
                Some(folder) => self.add_named(folder)?,
                None => return Err(CollectError::Absent { path: program }),
            }
        }
        Ok(())
    }

    /// The file of a program; a name without a slash is searched in `PATH`.
    fn add_executable(&mut self, program: &str, folder: &Path) -> Result<(), CollectError> {
        if program.contains('/') {
            return self.add_word(program, folder);
        }
        let path =
            std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect());
        if let Some(found) = path.iter().map(|place| place.join(program)).find(|place| place.is_file()) {
            self.needs.insert(found);
        }
        Ok(())
    }

    /// A command for a shell: every word may name a file; the words behind `;`, `|` and `&&` may be programs.
    fn add_shell_line(&mut self, line: &str, folder: &Path) -> Result<(), CollectError> {
        let Ok(words) = shell_words::split(line) else { return Ok(()) };
        let mut first = true;
        for word in words {
            let separator = [";", "|", "||", "&&", "&"].contains(&word.as_str());
            let bare = word.trim_end_matches(';');
            if first && !separator {
                self.add_executable(bare, folder)?;
            }
            self.add_word(bare, folder)?;
            first = separator || bare.len() < word.len();
        }
        Ok(())
    }

    /// A word that may be a file, an option with a file after `=`, a redirection, or a whole line for a shell.
    fn add_word(&mut self, word: &str, folder: &Path) -> Result<(), CollectError> {
        if folder.join(word).exists() && !word.is_empty() {
            return self.add_path(word, folder);
        }
        if let Some((_, value)) = word.split_once('=') {
            return self.add_word(value, folder);
        }
        if word.contains(char::is_whitespace) {
            return self.add_shell_line(word, folder);
        }
        let redirected = word.trim_start_matches(['<', '>', '2', '&']);
        if redirected.len() < word.len() { self.add_word(redirected, folder) } else { Ok(()) }
    }

    fn add_path(&mut self, word: &str, folder: &Path) -> Result<(), CollectError> {
        let place = folder.join(word);
        let real =
            place.canonicalize().map_err(|source| CollectError::Folder { path: place.clone(), source })?;
        let is_absolute = Path::new(word).is_absolute();
        // The target of a link below the folder is packed in place of the link.
        let below = real.starts_with(self.base) || (!is_absolute && !word.contains(".."));
        match (below, is_absolute) {
            (true, true) => return Err(CollectError::Absolute { word: word.to_owned() }),
            (false, false) => return Err(CollectError::Outside { word: word.to_owned() }),
            (false, true) if !is_of_system(&real) => {
                return Err(CollectError::Outside { word: word.to_owned() });
            }
            (false, true) if real.is_file() => {
                self.needs.insert(place);
            }
            (false, true) => {}
            (true, false) if place == *self.base || real == *self.base => {}
            (true, false) => {
                let name = self.name_below(&place, &real);
                self.add_tree(&name, &mut Vec::new())?;
            }
        }
        Ok(())
    }

    /// The path of a file relative to the base, as commands spell it: a link is packed under its own name with the content of
    /// its target. The resolved path is used where `..` after a link makes the spelled path name another file.
    fn name_below(&self, place: &Path, real: &Path) -> PathBuf {
        let mut spelled = PathBuf::new();
        for part in place.components() {
            match part {
                Component::ParentDir => drop(spelled.pop()),
                Component::CurDir => {}
                part => spelled.push(part),
            }
        }
        let is_same = spelled.canonicalize().is_ok_and(|found| found == real);
        let place = if is_same && spelled.starts_with(self.base) { &spelled } else { real };
        place.strip_prefix(self.base).map_or_else(|_| place.to_owned(), Path::to_owned)
    }

    /// A file, or all files of a folder. `above` holds the enclosing folders; a link back to one of them is left out, since
    /// following it would never end.
    fn add_tree(&mut self, name: &Path, above: &mut Vec<PathBuf>) -> Result<(), CollectError> {
        let place = self.base.join(name);
        if place.is_file() {
            self.files.insert(name.to_string_lossy().replace('\\', "/"));
            return Ok(());
        }
        let failed = |source| CollectError::Folder { path: place.clone(), source };
        let Ok(about) = fs::metadata(&place) else { return Ok(()) };
        if !about.is_dir() {
            return Ok(());
        }
        let real = place.canonicalize().map_err(failed)?;
        if above.contains(&real) {
            return Ok(());
        }
        above.push(real);
        let mut names: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(&place).map_err(failed)? {
            names.push(name.join(entry.map_err(failed)?.file_name()));
        }
        names.sort();
        names.iter().try_for_each(|name| self.add_tree(name, above))?;
        above.pop();
        Ok(())
    }

    /// Copies the files with their digests, and adds the libraries and interpreters of all programs, transitively.
    fn copy(self, into: &Path) -> Result<Collected, CollectError> {
        let files: Result<Vec<PackedFile>, PackageError> =
            self.files.iter().map(|name| package::copied_file(self.base, name, into)).collect();
        let files = files?;
        let mut needs = self.needs;
        let packed = files.iter().filter(|file| file.executable).map(|file| self.base.join(&file.path));
        let mut open: Vec<PathBuf> = needs.iter().cloned().chain(packed).collect();
        while let Some(program) = open.pop() {
            let wanted = package::libraries(&program).into_iter().chain(interpreter(&program));
            // Libraries of the folder are packed, if they are named.
            for path in wanted.filter(|path| !path.starts_with(self.base)) {
                if needs.insert(path.clone()) {
                    open.push(path);
                }
            }
        }
        Ok(Collected { files, needs: needs.iter().map(|path| package::need(path)).collect() })
    }
}

/// Whether a path is in a system folder, so that other machines probably have the file too.
fn is_of_system(path: &Path) -> bool {
    const PLACES: [&str; 10] =
        ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/nix", "/dev", "/proc"];
    PLACES.iter().any(|place| path.starts_with(place))
}

/// The program that runs a script.
fn interpreter(script: &Path) -> Option<PathBuf> {
    use std::io::{BufRead as _, BufReader, Read as _};
    let mut start = Vec::new();
    let file = fs::File::open(script).ok()?;
    BufReader::new(file.take(256)).read_until(b'\n', &mut start).ok()?;
    let line = String::from_utf8(start).ok()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let first = PathBuf::from(words.next()?);
    if !first.ends_with("env") {
        return Some(first).filter(|path| path.is_file());
    }
    let name = words.find(|word| !word.starts_with('-'))?;
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|place| place.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests;
