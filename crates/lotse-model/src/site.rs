//! Where a finding points: a place in the source, in a running program, or a pair of benchmarked programs.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The position of a finding: in the source, in a trace, or a benchmarked program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Site {
    /// A position in a source file.
    Source(SourceSite),
    /// A process, region or call path of a trace.
    Region {
        /// Process, rank or thread, as the trace names it.
        process: Option<String>,
        /// The call path, outermost region first.
        path: Vec<String>,
    },
    /// One benchmarked program.
    Program {
        /// Its name.
        program: String,
    },
    /// A program compared with a reference.
    Pair {
        /// The reference program.
        reference: String,
        /// The program.
        program: String,
    },
    /// The machine the measurement was made on.
    Machine,
}

/// A position in a source file. Lines and columns are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SourceSite {
    /// Path as recorded.
    pub file: String,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Enclosing function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Source(source) => source.fmt(f),
            Self::Region { process: Some(process), path } if path.is_empty() => f.write_str(process),
            Self::Region { process: Some(process), path } => write!(f, "{process}: {}", path.join(" > ")),
            Self::Region { process: None, path } => f.write_str(&path.join(" > ")),
            Self::Program { program } => f.write_str(program),
            Self::Pair { reference, program } => write!(f, "{program} against {reference}"),
            Self::Machine => f.write_str("this machine"),
        }
    }
}

impl std::fmt::Display for SourceSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        match &self.function {
            Some(function) => write!(f, " ({function})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Site, SourceSite};

    #[test]
    fn sites_read_like_places() {
        let source = SourceSite {
            file: "src/sort.c".into(),
            line: Some(12),
            column: Some(3),
            function: Some("merge".into()),
        };
        assert_eq!(Site::Source(source).to_string(), "src/sort.c:12:3 (merge)");
        let path = vec!["main".into(), "MPI_Recv".into()];
        assert_eq!(
            Site::Region { process: Some("rank 3".into()), path }.to_string(),
            "rank 3: main > MPI_Recv"
        );
        let whole = Site::Region { process: Some("rank 3".into()), path: Vec::new() };
        assert_eq!(whole.to_string(), "rank 3");
        let pair = Site::Pair { reference: "old".into(), program: "new".into() };
        assert_eq!(pair.to_string(), "new against old");
    }
}
