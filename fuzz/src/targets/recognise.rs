//! The recognisers.

use lotse_formats::claims;
use lotse_model::bytes::Memory;

pub(super) fn fuzz(data: &[u8]) {
    drop(claims(&Memory { name: "fuzz", bytes: data }));
}
