//! Matching of records in small hand-made traces.

mod collectives;
mod messages;
mod several;
mod threads;

use lotse_model::id::LocationId;

use crate::store::OpRef;

/// A record by location and number.
fn op(location: u32, op: u32) -> OpRef {
    OpRef { location: LocationId(location), op }
}
