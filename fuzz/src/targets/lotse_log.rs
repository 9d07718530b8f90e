//! Benchmark results in Lotse's log format.

use lotse_formats::bench::lotse_log::{LogHeader, to_text};

pub(super) fn fuzz(data: &[u8]) {
    crate::results(data, "lotse-log", |set, out| {
        out.extend(
            to_text(&LogHeader::from_results(set), set, None)
                .expect("JSON holds finite numbers only")
                .into_bytes(),
        );
        Ok(())
    });
}
