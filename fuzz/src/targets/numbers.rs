//! Numbers in a program's output.

use lotse_formats::numbers;

pub(super) fn fuzz(data: &[u8]) {
    drop(numbers::parse("fuzz", data));
}
