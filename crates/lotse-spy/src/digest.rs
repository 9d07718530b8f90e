//! What one reading of a history gives: all that findings, lists and pictures need.
//!
//! A history of 10^8 loads and stores takes most of a minute to read. Its digest has some megabytes and is read back in
//! some milliseconds, so it is kept in the user's cache. A digest belongs to the settings that it was made with.

mod kept;
pub(crate) mod places;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::analyses::{Analysed, Gallery};
use crate::decode::{Coverage, Decoded};
use crate::instance::CodeTable;
use crate::program::Program;
use crate::settings::Settings;

pub use kept::{load, original, place, save};

/// Raised when anything that is kept changes, or how it is found.
pub const VERSION: u64 = 4;

/// What is known about a history after it was read once.
#[derive(Debug)]
pub struct Digest {
    /// Places of the code.
    pub codes: CodeTable,
    /// How much has a name.
    pub coverage: Coverage,
    /// Nanoseconds from the first event of each process to its last, of all processes together.
    pub recorded_ns: u64,
    /// Sites, and what rules found.
    pub program: Program,
    /// Accesses of all structures.
    pub events: u64,
    /// Pictures of the structures with the most accesses.
    pub gallery: Gallery,
}

/// A digest as bytes: borrowed to write it, owned to read it.
#[derive(Serialize, Deserialize)]
struct Stored<S, C, V, P, G> {
    settings: S,
    codes: C,
    coverage: V,
    recorded_ns: u64,
    program: P,
    events: u64,
    gallery: G,
}

impl Digest {
    /// Of a history whose structures were all analysed.
    #[must_use]
    pub fn new(decoded: Decoded, analysed: Analysed) -> Self {
        let Analysed { program, events, gallery } = analysed;
        let (coverage, recorded_ns) = (decoded.coverage.clone(), decoded.recorded_ns);
        Self { codes: decoded.into_codes(), coverage, recorded_ns, program, events, gallery }
    }

    /// The digest as bytes.
    ///
    /// # Errors
    /// If a value cannot be written, which none of them does.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(&Stored {
            settings: self.program.settings(),
            codes: &self.codes,
            coverage: &self.coverage,
            recorded_ns: self.recorded_ns,
            program: self.program.stored(),
            events: self.events,
            gallery: &self.gallery,
        })
    }

    /// The digest that such bytes are of; nothing where they are damaged or of other settings.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], settings: &Arc<Settings>) -> Option<Self> {
        // The settings come first: a digest of others is not read to its end.
        let (of, _): (Settings, _) = postcard::take_from_bytes(bytes).ok()?;
        if of != **settings {
            return None;
        }
        let stored: Stored<Settings, CodeTable, Coverage, _, Gallery> = postcard::from_bytes(bytes).ok()?;
        let Stored { codes, coverage, recorded_ns, events, gallery, .. } = stored;
        let program = Program::restored(stored.program, &codes, settings)?;
        Some(Self { codes, coverage, recorded_ns, program, events, gallery })
    }
}

#[cfg(test)]
mod tests;
