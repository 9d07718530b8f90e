//! From a command line as the user wrote it to the arguments of a process.

use std::ffi::OsString;

/// Whether a shell reads a command, and which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Shell {
    /// The command is split into words and started directly.
    #[default]
    None,
    /// These words, then `-c`, then the command.
    Words(Vec<String>),
}

/// A command that cannot be started as written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Quotes do not match.
    #[error("'{command}': a quote is not closed")]
    Quotes { command: String },
    /// `-c` is added to every shell.
    #[error("the shell '{shell}' ends with -c, which is added anyway: write --shell '{without}'")]
    ShellOption {
        shell: String,
        /// The shell without `-c`.
        without: String,
    },
    #[error("the command is empty")]
    Empty,
    /// The command has an operator or expansion that only a shell understands.
    #[error("'{command}' needs a shell for '{sign}': add -S, or quote the sign if it is meant as it stands")]
    NeedsShell {
        command: String,
        /// The first such operator.
        sign: String,
    },
}

impl Shell {
    /// The system's plain shell.
    pub fn system() -> Self {
        Self::Words(vec!["sh".to_owned()])
    }

    /// `none`, `default`, or a command line such as `bash --norc`.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        match text {
            "none" => Ok(Self::None),
            "default" => Ok(Self::system()),
            _ => match nonempty_words(text)?.as_slice() {
                [without @ .., last] if last == "-c" && !without.is_empty() => {
                    Err(CommandError::ShellOption {
                        shell: text.to_owned(),
                        without: shell_words::join(without),
                    })
                }
                words => Ok(Self::Words(words.to_vec())),
            },
        }
    }

    /// The arguments of the process to start, the program first.
    pub fn argv(&self, command: &str) -> Result<Vec<OsString>, CommandError> {
        match self {
            Self::None => Ok(direct_argv(command)?.into_iter().map(OsString::from).collect()),
            Self::Words(shell) => {
                let all = shell.iter().map(String::as_str).chain(["-c", command]);
                Ok(all.map(OsString::from).collect())
            }
        }
    }
}

/// Splits text into words as a shell would, without expansions. The result may be empty.
pub fn split(text: &str) -> Result<Vec<String>, CommandError> {
    shell_words::split(text).map_err(|_| CommandError::Quotes { command: text.to_owned() })
}

fn nonempty_words(text: &str) -> Result<Vec<String>, CommandError> {
    let words = split(text)?;
    if words.is_empty() { Err(CommandError::Empty) } else { Ok(words) }
}

fn direct_argv(command: &str) -> Result<Vec<String>, CommandError> {
    let parsed = nonempty_words(command)?;
    match first_shell_syntax(command) {
        Some(sign) => Err(CommandError::NeedsShell { command: command.to_owned(), sign }),
        None => Ok(parsed),
    }
}

/// The first shell syntax outside of quotes that would be passed to the program literally: an operator
/// (`|`, `&&`, `;`, `>` …) or the beginning of an expansion (`$x`, `${`, `$(`, a backtick).
fn first_shell_syntax(command: &str) -> Option<String> {
    let mut quote = None;
    let mut chars = command.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None | Some('"'), '\\') => drop(chars.next()),
            (None, '\'' | '"') => quote = Some(c),
            (None, '|' | '&' | ';' | '<' | '>') => return Some(operator(&command[at..])),
            (None | Some('"'), '`') => return Some("`".to_owned()),
            (None | Some('"'), '$')
                if next.is_some_and(|next| next.is_alphanumeric() || "_{(".contains(next)) =>
            {
                return Some("$".to_owned());
            }
            _ => {}
        }
    }
    None
}

fn operator(rest: &str) -> String {
    rest.chars().take_while(|c| "|&;<>".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CommandError, Shell, split};

    #[test]
    fn words_are_split_as_a_shell_would() {
        let argv = Shell::None.argv(r#"grep -i "to do" 'a b' c\ d ';'"#).unwrap();
        assert_eq!(argv, ["grep", "-i", "to do", "a b", "c d", ";"]);
        let twice = Shell::parse("python3 -I -c").unwrap_err().to_string();
        assert!(twice.ends_with("write --shell 'python3 -I'"), "{twice}");
        let shell = Shell::parse("bash --norc").unwrap().argv("a | b").unwrap();
        assert_eq!(shell, ["bash", "--norc", "-c", "a | b"]);
        assert_eq!(Shell::parse("default").unwrap(), Shell::system());
    }

    #[test]
    fn what_needs_a_shell_is_refused_with_advice() {
        let error = Shell::None.argv("sleep 1 && echo x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "'sleep 1 && echo x' needs a shell for '&&': add -S, or quote the sign if it is meant as it stands"
        );
        let signs = [
            ("true; true", ";"),
            ("echo a|cat", "|"),
            ("echo a >b", ">"),
            ("echo $HOME", "$"),
            ("echo \"$(x)\"", "$"),
        ];
        for (command, sign) in signs {
            let error = Shell::None.argv(command).unwrap_err();
            assert!(
                matches!(&error, CommandError::NeedsShell { sign: found, .. } if found == sign),
                "{command}: {error}"
            );
        }
        for fine in ["grep 'a|b' x", r"echo a\;b", "grep foo$ x", "echo '$HOME'", "awk \"{print \\$1}\""] {
            assert!(Shell::None.argv(fine).is_ok(), "{fine}");
        }
        assert!(matches!(Shell::None.argv("echo 'x"), Err(CommandError::Quotes { .. })));
        assert_eq!(Shell::None.argv("  "), Err(CommandError::Empty));
    }

    proptest! {
        #[test]
        fn quoted_words_are_started_as_they_are(words in prop::collection::vec("[^\\x00]{0,8}", 1..5)) {
            let command = shell_words::join(&words);
            let argv = Shell::None.argv(&command).unwrap();
            prop_assert_eq!(argv, words.into_iter().map(std::ffi::OsString::from).collect::<Vec<_>>());
        }

        #[test]
        fn what_is_split_can_be_joined_and_split_again(text in "[a-c '\"$|;<>&`-]{0,20}") {
            if let Ok(words) = split(&text) {
                prop_assert_eq!(split(&shell_words::join(&words)), Ok(words));
            }
        }
    }
}
