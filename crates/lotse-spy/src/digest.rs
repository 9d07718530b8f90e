//! The digest of a history: everything that findings, lists and pictures need.
//!
//! Decoding a history of 10^8 loads and stores takes most of a minute. Its digest has a few megabytes and is read in a few
//! milliseconds, so it is stored in the user's cache. A digest is valid only for the settings that it was made with.

mod cache;
pub(crate) mod places;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::analyses::{AnalysisResult, Gallery};
use crate::decode::{Coverage, Decoded};
use crate::instance::CodeTable;
use crate::program::Program;
use crate::settings::Settings;

pub use cache::{load, original, place, save};

/// Incremented when the content of a digest or its computation changes.
pub const VERSION: u64 = 6;

/// The result of decoding and analysing a history once.
#[derive(Debug)]
pub struct Digest {
    /// Code places.
    pub codes: CodeTable,
    /// How many accesses were assigned to operations.
    pub coverage: Coverage,
    /// Nanoseconds from the first event of each process to its last, of all processes together.
    pub recorded_ns: u64,
    /// Creation sites and the matches of the rules.
    pub program: Program,
    /// Accesses of all structures.
    pub events: u64,
    /// Pictures of the structures with the most accesses.
    pub gallery: Gallery,
}

/// The serialised form of a digest: fields are borrowed for writing and owned after reading.
#[derive(Serialize, Deserialize)]
struct StoredDigest<S, C, V, P, G> {
    settings: S,
    codes: C,
    coverage: V,
    recorded_ns: u64,
    program: P,
    events: u64,
    gallery: G,
}

impl Digest {
    /// The digest of a history whose structures were all analysed.
    #[must_use]
    pub fn new(decoded: Decoded, analysed: AnalysisResult) -> Self {
        let AnalysisResult { program, events, gallery } = analysed;
        let (coverage, recorded_ns) = (decoded.coverage.clone(), decoded.recorded_ns);
        Self { codes: decoded.into_codes(), coverage, recorded_ns, program, events, gallery }
    }

    /// The digest as bytes.
    ///
    /// # Errors
    /// If serialisation fails, which does not happen for these types.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(&StoredDigest {
            settings: self.program.settings(),
            codes: &self.codes,
            coverage: &self.coverage,
            recorded_ns: self.recorded_ns,
            program: self.program.stored(),
            events: self.events,
            gallery: &self.gallery,
        })
    }

    /// Reads a digest; `None` if the bytes are damaged or were made with other settings.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], settings: &Arc<Settings>) -> Option<Self> {
        // The settings come first, so that a digest of other settings is rejected quickly.
        let (stored_for, _): (Settings, _) = postcard::take_from_bytes(bytes).ok()?;
        if stored_for != **settings {
            return None;
        }
        let stored: StoredDigest<Settings, CodeTable, Coverage, _, Gallery> =
            postcard::from_bytes(bytes).ok()?;
        let StoredDigest { codes, coverage, recorded_ns, events, gallery, .. } = stored;
        let program = Program::restored(stored.program, &codes, settings)?;
        Some(Self { codes, coverage, recorded_ns, program, events, gallery })
    }
}

#[cfg(test)]
mod tests;
