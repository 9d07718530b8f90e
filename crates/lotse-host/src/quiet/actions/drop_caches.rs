//! Drops the page cache, so that every run reads its files from the disk.

use super::super::action::{Action, Change, Context, Preset};
use super::super::error::QuietError;

pub(super) const ACTION: &dyn Action = &DropCaches;

const FILE: &str = "/proc/sys/vm/drop_caches";

/// Pages, directory entries and inodes.
const ALL: &str = "3";

struct DropCaches;

impl Action for DropCaches {
    fn name(&self) -> &'static str {
        "drop-caches"
    }

    fn explanation(&self) -> &'static str {
        "empties the file-system caches before every run, which then reads all its files from the disk"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn probe(&self, context: &Context<'_>) -> Result<String, QuietError> {
        if context.kernel.is_writable(FILE) {
            return Ok("before every run".to_owned());
        }
        Err(QuietError::Forbidden(format!("`{FILE}` may not be written: it needs root")))
    }

    fn is_per_run(&self) -> bool {
        true
    }

    fn before_run(&self, context: &Context<'_>) -> Result<(), QuietError> {
        // Only pages that were written back can be dropped.
        rustix::fs::sync();
        context.kernel.write(FILE, ALL).map_err(QuietError::file("write", FILE))
    }

    fn summary(&self, _context: &Context<'_>, _changes: &[Change]) -> String {
        "file caches dropped before every run".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{fake_context, probed};
    use super::{ACTION, FILE};

    #[test]
    fn everything_is_dropped() {
        let kernel = FakeKernel::new(&[(FILE, "0")]);
        ACTION.before_run(&fake_context(&kernel, None)).unwrap();
        assert_eq!(*kernel.written.borrow(), [format!("{FILE} 3")]);
        kernel.forbids(FILE);
        assert!(probed(ACTION, &kernel).unwrap_err().to_string().contains("needs root"));
        let error = ACTION.before_run(&fake_context(&kernel, None)).unwrap_err().to_string();
        assert!(error.contains(FILE), "{error}");
    }
}
