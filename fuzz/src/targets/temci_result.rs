//! temci's results.

use lotse_formats::bench::temci_result::write;

pub(super) fn fuzz(data: &[u8]) {
    crate::results(data, "temci", |set, out| write(set, out));
}
