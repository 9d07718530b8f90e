//! Digests in the user's cache.
//!
//! A digest is used again only for the same file, by the same build of Lotse: another build may find something else.

use std::path::Path;
use std::sync::Arc;

use lotse_formats::index::{ColumnReader, ColumnVisitor as _, ColumnWriter, IndexError};
use lotse_host::{Cache, FileError, FileSource, IndexPlace, program_stamp};
use lotse_model::bytes::Source as _;

use super::{Digest, VERSION};
use crate::settings::Settings;

/// The first bytes; read as a number they also tell the byte order.
const MAGIC: u64 = u64::from_le_bytes(*b"lotsespy");

/// Smaller histories are read again as fast.
const WORTH_FROM: usize = 1 << 20;

/// The place of a history's digest in a cache; `None` for a small history.
#[must_use]
pub fn place(source: &FileSource, cache: &Cache) -> Option<IndexPlace> {
    IndexPlace::new(source, cache, WORTH_FROM)
}

/// The history that a kept digest belongs to; `None` for what is no digest of this version.
#[must_use]
pub fn original(kept: &Path) -> Option<String> {
    let kept = FileSource::open(kept).ok()?;
    let mut columns = ColumnReader::new(kept.bytes());
    let (mut header, mut original) = ([0; 6], String::new());
    header.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    (header[..2] == [MAGIC, VERSION]).then_some(original)
}

/// The digest of a history, if it is kept, and the history, the program and the settings are still the same.
#[must_use]
pub fn load(place: &IndexPlace, settings: &Arc<Settings>) -> Option<Digest> {
    let kept = FileSource::open(place.path()).ok()?;
    let mut columns = ColumnReader::new(kept.bytes());
    let (mut found, mut original, mut bytes) = ([0; 6], String::new(), Vec::new());
    found.iter_mut().try_for_each(|number| columns.number(number)).ok()?;
    columns.text(&mut original).ok()?;
    if found != header(place)? || original != place.original() {
        return None;
    }
    columns.column::<u8>(&mut bytes).ok()?;
    columns.seal().ok()?;
    let digest = Digest::from_bytes(&bytes, settings)?;
    // A cache that cannot be written deletes nothing either, so that the order does not matter.
    Cache::touch(place.path());
    Some(digest)
}

/// Keeps the digest of a history.
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

fn header(place: &IndexPlace) -> Option<[u64; 6]> {
    let [size, modified, sample] = place.stamp();
    Some([MAGIC, VERSION, program_stamp()?, size, modified, sample])
}
