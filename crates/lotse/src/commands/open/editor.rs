//! Starts the user's editor at a line of a source file.
//!
//! A web page must not choose what is started: the program is one of a list, chosen by the setting `open.editor`, `$VISUAL` or
//! `$EDITOR`, and gets a path and a line as arguments, without a shell. Editors for terminals are not in the list, since the server
//! has no terminal to give them. `lotse.toml` of a project may come with its source, so it can choose a name of the list only.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::settings::Settings;

/// An editor with a window of its own, and how it is told the line.
struct KnownEditor {
    names: &'static [&'static str],
    /// `FILE` and `LINE` are replaced.
    arguments: &'static [&'static str],
}

const KNOWN: &[KnownEditor] = &[
    KnownEditor {
        names: &["code", "code-insiders", "codium", "cursor"],
        arguments: &["--goto", "FILE:LINE"],
    },
    KnownEditor { names: &["subl", "zed", "zeditor"], arguments: &["FILE:LINE"] },
    KnownEditor { names: &["kate", "kwrite", "mate"], arguments: &["--line", "LINE", "FILE"] },
    KnownEditor { names: &["gedit", "gnome-text-editor", "gvim"], arguments: &["+LINE", "FILE"] },
    KnownEditor { names: &["emacsclient"], arguments: &["--no-wait", "+LINE", "FILE"] },
    KnownEditor {
        names: &["idea", "clion", "rustrover", "pycharm", "goland"],
        arguments: &["--line", "LINE", "FILE"],
    },
];

/// Arguments that users give their editor for other programs, which wait until the file is closed.
const WAITING: &[&str] = &["-w", "--wait"];

/// An editor that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Editor {
    program: String,
    arguments: &'static [&'static str],
}

impl Editor {
    /// The editor that the user chose; `None` if that is none of the known ones.
    pub(super) fn of_user() -> Option<Self> {
        let setting = Settings::load().ok()?.get("open.editor").map(|value| value.text.clone());
        if let Some(name) = setting.filter(|name| !name.is_empty()) {
            return Self::named(&name).filter(|_| !name.contains('/'));
        }
        ["VISUAL", "EDITOR"].iter().find_map(|name| Self::named(&std::env::var(name).ok()?))
    }

    /// The known editor in a command such as `code --wait`.
    fn named(command: &str) -> Option<Self> {
        let mut words = command.split_whitespace();
        let program = words.next()?;
        let base = Path::new(program).file_name()?.to_str()?;
        let known = KNOWN.iter().find(|editor| editor.names.contains(&base))?;
        words
            .all(|word| WAITING.contains(&word))
            .then(|| Self { program: program.to_owned(), arguments: known.arguments })
    }

    /// The name for the page.
    pub(super) fn name(&self) -> &str {
        self.program.rsplit('/').next().unwrap_or(&self.program)
    }

    fn arguments(&self, path: &str, line: u32) -> Vec<OsString> {
        let line = line.to_string();
        let argument = |template: &&str| {
            // The path comes last, since it may contain the word LINE.
            let with_line = template.replace("LINE", &line);
            with_line.replace("FILE", path).into()
        };
        self.arguments.iter().map(argument).collect()
    }

    /// Starts the editor and forgets it; says what was started.
    pub(super) fn start(&self, path: &str, line: u32) -> std::io::Result<String> {
        let arguments = self.arguments(&complete(path)?, line);
        let mut child = Command::new(&self.program)
            .args(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // Its end is waited for, so that no zombie stays.
        std::thread::spawn(move || child.wait());
        let words = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        Ok(std::iter::once(self.program.clone()).chain(words).collect::<Vec<_>>().join(" "))
    }
}

/// The path from the root on: a profile may name files that would otherwise look like options, such as `+!command`.
fn complete(path: &str) -> std::io::Result<String> {
    Ok(std::path::absolute(path)?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Editor, complete};

    #[test]
    fn known_editors_get_path_and_line() {
        let arguments = |command: &str| Editor::named(command).unwrap().arguments("/src/a LINE.c", 7);
        assert_eq!(arguments("code --wait"), ["--goto", "/src/a LINE.c:7"]);
        assert_eq!(arguments("/usr/bin/kate"), ["--line", "7", "/src/a LINE.c"]);
        assert_eq!(arguments("gvim"), ["+7", "/src/a LINE.c"]);
        assert_eq!(Editor::named("/opt/bin/codium").unwrap().name(), "codium");
    }

    #[test]
    fn no_path_looks_like_an_option() {
        for path in ["+!command", "-c", "a.c", "/src/a.c"] {
            assert!(complete(path).unwrap().starts_with('/'), "{path}");
        }
    }

    #[test]
    fn nothing_else_is_started() {
        for command in ["vim", "nano", "", "sh -c code", "code; rm", "code --install-extension x", "/bin/sh"]
        {
            assert_eq!(Editor::named(command), None, "{command}");
        }
    }
}
