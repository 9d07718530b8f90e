//! temci's settings.

use lotse_formats::bench::temci_settings;
use lotse_model::bytes::Memory;

pub(super) fn fuzz(data: &[u8]) {
    // An error is allowed; a panic or a hang is not.
    if let Ok(reading) = temci_settings::read(&Memory { name: "fuzz", bytes: data }) {
        assert!(reading.value.ignored.values().all(|all| all.iter().all(|sentence| !sentence.is_empty())));
    }
}
