//! Whether an output is a terminal, and how wide it is.

use std::io::IsTerminal;

/// An output of Lotse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Screen {
    /// Whether it is a terminal.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => std::io::stdout().is_terminal(),
            Self::Stderr => std::io::stderr().is_terminal(),
        }
    }

    /// The width in columns; `None` if it is not a terminal or its width is unknown.
    #[cfg(unix)]
    pub fn width(self) -> Option<usize> {
        let size = match self {
            Self::Stdout => rustix::termios::tcgetwinsize(std::io::stdout()),
            Self::Stderr => rustix::termios::tcgetwinsize(std::io::stderr()),
        };
        size.ok().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0)
    }

    /// The width in columns; unknown on this platform.
    #[cfg(not(unix))]
    pub fn width(self) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn only_terminals_have_a_width() {
        for screen in [Screen::Stdout, Screen::Stderr] {
            assert!(screen.is_terminal() || screen.width().is_none());
        }
    }
}
