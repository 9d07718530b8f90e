//! What a result is compared with.

use lotse_model::Fingerprint;
use lotse_store::StoredResult;

use crate::history::{Series, SeriesResult};

/// What a result is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Baseline {
    /// The last results, as far as they are at one level.
    Last(usize),
    /// Results with this label.
    Label(String),
    /// Results of this commit without uncommitted changes.
    Commit {
        /// As the user wrote it.
        name: String,
        /// The full hash.
        commit: String,
    },
    /// Results read from files.
    Files(Vec<StoredResult>),
}

/// Why nothing can be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BaselineError {
    /// No result at all.
    #[error("no earlier result of {baseline} in the history; {hint}")]
    None {
        baseline: String,
        /// How to get such a result.
        hint: String,
    },
    /// The only result to compare with is the one that is judged.
    #[error("the baseline is the result that is judged: give another one")]
    Judged,
    /// Results, but of other machines.
    #[error(
        "all results of {baseline} were made on another machine ({other}; this one is {this}): times cannot be compared; \
         make a result of it here, or say --across-machines"
    )]
    OtherMachine {
        baseline: String,
        /// The machine of its newest result.
        other: String,
        /// The machine of the result that is judged.
        this: String,
    },
}

impl Baseline {
    /// A description for messages; `found` is the number of results found.
    pub fn describe(&self, found: usize) -> String {
        match self {
            Self::Last(_) if found == 0 => "this program".to_owned(),
            Self::Last(most) if found.min(*most) == 1 => "the last result".to_owned(),
            Self::Last(most) => format!("the last {} results", found.min(*most)),
            Self::Label(name) => format!("the results named '{name}'"),
            Self::Commit { name, commit } if commit.starts_with(name.as_str()) => {
                format!("commit {}", short(commit))
            }
            Self::Commit { name, commit } => format!("{name} (commit {})", short(commit)),
            Self::Files(entries) if entries.len() == 1 => "the result file".to_owned(),
            Self::Files(entries) => format!("{} result files", entries.len()),
        }
    }

    /// Whether a result belongs to the baseline, regardless of its machine.
    fn includes(&self, measured: &SeriesResult) -> bool {
        match self {
            Self::Last(_) | Self::Files(_) => true,
            Self::Label(name) => measured.kept.labels.contains(name),
            Self::Commit { commit, .. } => {
                !measured.kept.changed && measured.kept.commit.as_ref() == Some(commit)
            }
        }
    }

    /// The results to compare a program with. `history` holds all earlier results of the machine.
    pub(super) fn results_of_program(&self, history: &Series, files: Option<&Series>) -> Vec<SeriesResult> {
        match self {
            Self::Last(most) => history.last_level(*most).into_iter().cloned().collect(),
            Self::Files(_) => files.map_or_else(Vec::new, |series| series.all.clone()),
            _ => history.all.iter().filter(|measured| self.includes(measured)).cloned().collect(),
        }
    }

    /// Checks that the baseline has a result of the machine.
    pub(super) fn check(&self, earlier: &[StoredResult], result: &StoredResult) -> Result<(), BaselineError> {
        let machine = result.machine.as_ref();
        let own = |entry: &StoredResult| {
            entry.points.iter().any(|point| self.includes(&SeriesResult::new(entry, point)))
        };
        let candidates: Vec<&StoredResult> = match self {
            Self::Files(entries) => entries.iter().collect(),
            _ => earlier.iter().filter(|entry| own(entry)).collect(),
        };
        let baseline = self.describe(0);
        let Some(newest) = candidates.last() else {
            return Err(BaselineError::None { baseline, hint: self.hint(result) });
        };
        let here = |entry: &&StoredResult| super::sessions::is_comparable(entry, machine);
        if candidates.iter().any(here) {
            return Ok(());
        }
        let summary = |machine: Option<&Fingerprint>| {
            machine
                .map(Fingerprint::summary)
                .filter(|it| !it.is_empty())
                .unwrap_or_else(|| "unknown".to_owned())
        };
        let (other, this) = (summary(newest.machine.as_ref()), summary(machine));
        Err(BaselineError::OtherMachine { baseline, other, this })
    }

    /// How to get a result to compare with.
    fn hint(&self, result: &StoredResult) -> String {
        match self {
            Self::Commit { name, commit }
                if result.points.iter().any(|point| point.commit.as_ref() == Some(commit)) =>
            {
                format!(
                    "the judged result has measured it beside the others, and such pairs are judged while they are \
                     measured: `lotse bench --rev {name} --rev HEAD --max-regression 2% CMD`"
                )
            }
            Self::Label(name) if result.labels.contains(name) => {
                "only the judged result itself has that label: label the one to compare with".to_owned()
            }
            Self::Commit { name, .. } => format!(
                "measure it beside the new one: `lotse bench --rev {name} --rev HEAD --max-regression 2% CMD`, which is \
                 also far more precise"
            ),
            Self::Label(name) => format!("`lotse bench --keep --label {name} CMD` makes one"),
            _ => "keep more results: `lotse bench --keep CMD`".to_owned(),
        }
    }
}

fn short(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}
