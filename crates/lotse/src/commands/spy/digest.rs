//! The digest of a history: everything that one pass over its events computes; taken from the cache if it is there.

use std::sync::Arc;

use lotse_formats::history::History;
use lotse_host::{FileSource, IndexPlace};
use lotse_spy::{Analyses, Digest, Settings as SpySettings, Thresholds, digest};

use super::input;
use crate::args::spy::ReadingArgs;
use crate::commands::cache;
use crate::exit::Failure;
use crate::settings::Settings;

/// The digest of a history with the thresholds that the user set.
pub(super) fn digest(
    source: &FileSource,
    history: &History<'_>,
    args: &ReadingArgs,
) -> Result<Digest, Failure> {
    let thresholds =
        Thresholds::from_rules(&args.thresholds.override_settings(Settings::load()?.thresholds()));
    let settings = Arc::new(SpySettings { thresholds, ..SpySettings::default() });
    let place = if args.no_index { None } else { index_place(source)? };
    if let Some(kept) = place.as_ref().and_then(|place| digest::load(place, &settings)) {
        return Ok(kept);
    }
    let (digest, is_complete) = compute(history, &settings);
    // Programs that could not be read now may be readable next time, so an incomplete digest is not kept.
    if let Some(place) = place.filter(|_| is_complete) {
        cache::remark_unless_kept(digest::save(&place, &digest));
    }
    Ok(digest)
}

fn index_place(source: &FileSource) -> Result<Option<IndexPlace>, Failure> {
    let cache = cache::user_cache()?.filter(|cache| cache.limit() > 0);
    Ok(cache.and_then(|cache| digest::place(source, &cache)))
}

/// Decodes and analyses a history; also returns whether all its processes could be decoded.
fn compute(history: &History<'_>, settings: &Arc<SpySettings>) -> (Digest, bool) {
    // One thread decodes, and up to two analyse: the analyses take about half as long as decoding.
    let threads = std::thread::available_parallelism().map_or(0, |all| (all.get() - 1).min(2));
    let mut analyses = Analyses::new(settings, threads);
    let (decoded, left_out) = input::decode_history(history, &mut analyses);
    input::remark_left_out(&left_out);
    let analysed = analyses.finish(decoded.codes());
    (Digest::new(decoded, analysed), left_out.is_empty())
}
