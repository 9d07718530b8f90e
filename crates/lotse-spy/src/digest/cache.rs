//! Stores digests in the user's cache.
//!
//! A digest is reused only for the same file by the same build of Lotse, because another build may compute something else.

use std::path::Path;
use std::sync::Arc;

use lotse_formats::index::{ColumnReader, ColumnVisitor as _, ColumnWriter, IndexError};
use lotse_host::{Cache, FileError, FileSource, IndexPlace, program_stamp};
use lotse_model::bytes::Source as _;

use super::{Digest, VERSION};
use crate::settings::Settings;

/// The first bytes; read as a number they also identify the byte order.
const MAGIC: u64 = u64::from_le_bytes(*b"lotsespy");

/// Smaller histories are decoded about as fast as a digest is read.
const WORTH_FROM: usize = 1 << 20;

/// The place of a history's digest in the cache; `None` for a small history.
#[must_use]
pub fn place(source: &FileSource, cache: &Cache) -> Option<IndexPlace> {
    IndexPlace::new(source, cache, WORTH_FROM)
}

/// The path of the history that a cached digest belongs to; `None` if the file is not a digest of this version.
#[must_use]
pub fn original(cached: &Path) -> Option<String> {
    let cached = FileSource::open(cached).ok()?;
    let mut columns = ColumnReader::new(cached.bytes());
    let (mut header, mut original) = ([0; 6], String::new());
    header.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    (header[..2] == [MAGIC, VERSION]).then_some(original)
}

/// The cached digest of a history, if the history, this program and the settings are still the same.
#[must_use]
pub fn load(place: &IndexPlace, settings: &Arc<Settings>) -> Option<Digest> {
    let cached = FileSource::open(place.path()).ok()?;
    let mut columns = ColumnReader::new(cached.bytes());
    let (mut found, mut original, mut bytes) = ([0; 6], String::new(), Vec::new());
    found.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    if found != header(place)? || original != place.original() {
        return None;
    }
    columns.column::<u8>(&mut bytes).ok()?;
    columns.seal().ok()?;
    let digest = Digest::from_bytes(&bytes, settings)?;
    // Marks it as recently used. This may fail in a read-only cache, which evicts nothing either.
    Cache::touch(place.path());
    Some(digest)
}

/// Stores the digest of a history in the cache.
///
/// # Errors
/// If the cache cannot be written or has no room for it.
pub fn save(place: &IndexPlace, digest: &Digest) -> Result<(), FileError> {
    let Some(mut header) = header(place) else { return Ok(()) };
    place.put(|out| {
        let mut bytes = digest.to_bytes().map_err(std::io::Error::other)?;
        let mut columns = ColumnWriter::new(out);
        let mut write = || -> Result<(), IndexError> {
            header.iter_mut().try_for_each(|number| columns.number(number))?;
            columns.text(&mut place.original().to_owned())?;
            columns.column(&mut bytes)?;
            columns.seal()
        };
        write().map_err(std::io::Error::other)
    })
}

/// What a stored digest must agree with: format, version, program, and size, time and sample of the history.
fn header(place: &IndexPlace) -> Option<[u64; 6]> {
    let [size, modified, sample] = place.stamp();
    Some([MAGIC, VERSION, program_stamp()?, size, modified, sample])
}
