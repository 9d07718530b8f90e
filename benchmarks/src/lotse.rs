//! Runs Lotse as its users do: command line in, `--json` out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::Error;
use crate::machine::digest;
use crate::workshop::{Finished, Workshop};

const TOOL: &str = "lotse";
/// Accepted exit statuses: success, and undecided.
const ANSWERED: &[i32] = &[0, 5];

/// The program.
#[derive(Debug)]
pub struct Lotse {
    path: PathBuf,
}

/// What `lotse bench --json` prints, as far as it is used here.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// Seed of all random choices.
    pub seed: Option<u64>,
    /// The programs and their samples.
    pub programs: Vec<Program>,
    /// Every program against the reference, by metric.
    pub comparisons: Vec<Comparison>,
}

/// A program and its samples.
#[derive(Debug, Deserialize)]
pub struct Program {
    /// Values of good runs by metric; runs without one are left out.
    #[serde(deserialize_with = "present")]
    pub samples: BTreeMap<String, Vec<f64>>,
}

/// A program against the reference.
#[derive(Debug, Clone, Deserialize)]
pub struct Comparison {
    /// Whether the verdict was planned on this metric.
    pub primary: bool,
    /// Program / reference.
    pub ratio: Option<f64>,
    /// Its interval.
    pub interval: [Option<f64>; 2],
    /// What is said about it.
    pub verdict: Verdict,
    /// Blocks measured.
    pub blocks: u32,
    /// Why measuring stopped.
    pub stopped_by: String,
}

/// The verdict on a program relative to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It takes less.
    Faster,
    /// It takes more.
    Slower,
    /// No difference that matters.
    Equivalent,
    /// Not known.
    Undecided,
}

impl Verdict {
    /// The same with the two programs exchanged.
    pub fn exchanged(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            same => same,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent",
            Self::Undecided => "undecided",
        }
    }
}

impl Lotse {
    /// Lotse at a path, else beside this program.
    pub fn find(path: Option<&Path>) -> Result<Self, Error> {
        let path = match path {
            Some(path) => path.to_owned(),
            None => beside_this_program()?,
        };
        let path = fs::canonicalize(&path).map_err(|_| Error::NoLotse(path))?;
        Ok(Self { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says about itself.
    pub fn version(&self, workshop: &mut Workshop) -> Result<String, Error> {
        let argv = [self.path.display().to_string(), "--version".to_owned()];
        Ok(workshop.run(TOOL, &argv, &[0])?.stdout.trim().to_owned())
    }

    /// Digest of its file.
    pub fn digest(&self) -> Result<String, Error> {
        Ok(digest(&fs::read(&self.path).map_err(Error::file("read", &self.path))?))
    }

    /// `lotse bench --json` with more options.
    pub fn bench(
        &self,
        workshop: &mut Workshop,
        options: &[&str],
        commands: &[String],
    ) -> Result<(Answer, Finished), Error> {
        let mut argv = vec![self.path.display().to_string(), "bench".to_owned(), "--json".to_owned()];
        argv.extend(options.iter().map(|&word| word.to_owned()));
        argv.extend_from_slice(commands);
        let finished = workshop.run(TOOL, &argv, ANSWERED)?;
        let answer = serde_json::from_str(&finished.stdout);
        Ok((answer.map_err(|source| Error::Json { tool: TOOL, source })?, finished))
    }
}

impl Answer {
    /// The comparison the verdict was planned on.
    pub fn primary(&self) -> Result<&Comparison, Error> {
        let found = self.comparisons.iter().find(|comparison| comparison.primary);
        found.ok_or_else(|| lacks("primary comparison"))
    }

    /// The values of one metric of the first program.
    pub fn first_samples(&self, metric: &str) -> Result<&[f64], Error> {
        let samples = self.programs.first().and_then(|program| program.samples.get(metric));
        samples.map(Vec::as_slice).ok_or_else(|| lacks(metric))
    }
}

impl Comparison {
    /// Half the width of the interval, if it is bounded on both sides.
    pub fn half_width(&self) -> Option<f64> {
        let [low, high] = self.interval;
        Some((high? - low?) / 2.0)
    }
}

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
    let all = BTreeMap::<String, Vec<Option<f64>>>::deserialize(from)?;
    Ok(all.into_iter().map(|(name, values)| (name, values.into_iter().flatten().collect())).collect())
}

fn lacks(what: &str) -> Error {
    Error::Answer { tool: TOOL, what: what.to_owned() }
}

fn beside_this_program() -> Result<PathBuf, Error> {
    let own = std::env::current_exe().map_err(Error::file("find", "this program"))?;
    Ok(own.with_file_name(TOOL).with_extension(std::env::consts::EXE_EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::{Answer, Verdict};

    const ANSWER: &str = r#"{"schema": "lotse.bench/1", "seed": 7, "programs": [
            {"name": "a", "samples": {"wall": [0.5, null, 0.25]}}, {"name": "b", "samples": {}}],
        "comparisons": [
            {"primary": false, "ratio": null, "interval": [null, null], "verdict": "undecided", "blocks": 2,
             "stopped_by": "budget"},
            {"primary": true, "ratio": 1.5, "interval": [1.25, 1.75], "verdict": "slower", "blocks": 2,
             "stopped_by": "decided"}]}"#;

    #[test]
    fn the_primary_comparison_is_the_one() {
        let answer: Answer = serde_json::from_str(ANSWER).unwrap();
        let primary = answer.primary().unwrap();
        assert_eq!((primary.ratio, primary.verdict), (Some(1.5), Verdict::Slower));
        assert_eq!(primary.half_width(), Some(0.25));
        assert_eq!(answer.comparisons[0].half_width(), None);
    }

    #[test]
    fn samples_are_those_of_the_first_program() {
        let answer: Answer = serde_json::from_str(ANSWER).unwrap();
        assert_eq!(answer.first_samples("wall").unwrap(), [0.5, 0.25]);
        let error = answer.first_samples("cpu").unwrap_err();
        assert_eq!(error.to_string(), "the answer of lotse has no cpu");
    }

    #[test]
    fn exchanging_twice_changes_nothing() {
        let all = [Verdict::Faster, Verdict::Slower, Verdict::Equivalent, Verdict::Undecided];
        assert!(all.iter().all(|it| it.exchanged().exchanged() == *it));
        assert_eq!(Verdict::Faster.exchanged(), Verdict::Slower);
    }
}
