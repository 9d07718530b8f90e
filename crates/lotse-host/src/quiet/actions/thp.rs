//! Switches transparent huge pages to always or never.

use super::super::action::{Action, Change, Context, Preset, Target, set_files};
use super::super::error::QuietError;
use super::super::kernel::Kernel;

pub(super) const ACTION: &dyn Action = &HugePages;

const FILE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

struct HugePages;

impl Action for HugePages {
    fn name(&self) -> &'static str {
        "thp"
    }

    fn explanation(&self) -> &'static str {
        "sets transparent huge pages for the whole machine: whether a run gets them depends on free memory otherwise"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn argument(&self) -> Option<&'static str> {
        Some("always, madvise or never [default: never]")
    }

    fn accepts(&self, argument: &str) -> bool {
        ["always", "madvise", "never"].contains(&argument)
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        if !context.kernel.has(FILE) {
            return Err(QuietError::Absent("this kernel has no transparent huge pages".to_owned()));
        }
        set_files(self, context.kernel, [FILE.to_owned()], context.argument.unwrap_or("never"))
    }

    /// The word in brackets: the current choice.
    fn present(&self, kernel: &dyn Kernel, _target: &Target) -> Result<String, QuietError> {
        let text = kernel.read(FILE).map_err(QuietError::file("read", FILE))?;
        let word = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        Ok(word.map_or(text.as_str(), |(word, _)| word).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{effect, probed, round_trip};
    use super::{ACTION, FILE};

    #[test]
    fn the_chosen_word_moves_and_comes_back() {
        let kernel = FakeKernel::new(&[(FILE, "always [madvise] never")]);
        let changed = round_trip(ACTION, &kernel, None);
        assert_eq!(changed, [format!("{FILE}: always [madvise] never -> always madvise [never]")]);
        assert_eq!(effect(ACTION, &kernel, Some("always")).unwrap(), "thp always");
    }

    #[test]
    fn refusals() {
        assert!(probed(ACTION, &FakeKernel::new(&[])).unwrap_err().to_string().contains("no transparent"));
        let stubborn = FakeKernel::new(&[(FILE, "always [madvise] never")]);
        stubborn.ignores(FILE);
        assert!(
            effect(ACTION, &stubborn, None).unwrap_err().to_string().contains("is madvise after writing")
        );
    }
}
