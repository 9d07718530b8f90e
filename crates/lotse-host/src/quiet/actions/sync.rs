//! Writes dirty pages of earlier programs to the disk before every run.

use super::super::action::{Action, Change, Context, Preset};
use super::super::error::QuietError;

pub(super) const ACTION: &dyn Action = &Sync;

struct Sync;

impl Action for Sync {
    fn name(&self) -> &'static str {
        "sync"
    }

    fn explanation(&self) -> &'static str {
        "writes changed files to the disk before every run, so that no run pays for what another wrote"
    }

    fn preset(&self) -> Preset {
        Preset::Usable
    }

    fn probe(&self, _context: &Context<'_>) -> Result<String, QuietError> {
        Ok("before every run".to_owned())
    }

    fn is_per_run(&self) -> bool {
        true
    }

    fn before_run(&self, _context: &Context<'_>) -> Result<(), QuietError> {
        rustix::fs::sync();
        Ok(())
    }

    fn summary(&self, _context: &Context<'_>, _changes: &[Change]) -> String {
        "sync before every run".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::trial::Trial;
    use super::ACTION;

    #[test]
    fn it_is_done_before_every_run_and_leaves_nothing_to_undo() {
        let trial = Trial::new();
        assert!(ACTION.is_per_run() && trial.save(ACTION, None).is_empty());
        ACTION.before_run(&trial.context(None)).unwrap();
    }
}
