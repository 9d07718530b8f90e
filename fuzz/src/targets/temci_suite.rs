//! temci's suites.

use lotse_formats::bench::temci_suite::write;

pub(super) fn fuzz(data: &[u8]) {
    crate::suite(data, "temci-suite", |suite, out| write(suite, out));
}
