//! What one reading of a history gives, from the cache if it was read before.

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
    let thresholds = Thresholds::from_rules(&args.thresholds.over(Settings::load()?.thresholds()));
    let settings = Arc::new(SpySettings { thresholds, ..SpySettings::default() });
    let place = if args.no_index { None } else { index_place(source)? };
    if let Some(kept) = place.as_ref().and_then(|place| digest::load(place, &settings)) {
        return Ok(kept);
    }
    let (digest, is_whole) = made(history, &settings);
    // What is left out may be there the next time.
    if let Some(place) = place.filter(|_| is_whole) {
        cache::remark_unless_kept(digest::save(&place, &digest));
    }
    Ok(digest)
}

fn index_place(source: &FileSource) -> Result<Option<IndexPlace>, Failure> {
    let cache = cache::of_user()?.filter(|cache| cache.limit() > 0);
    Ok(cache.and_then(|cache| digest::place(source, &cache)))
}

/// Decodes and analyses a history; gives also whether nothing of it was left out.
fn made(history: &History<'_>, settings: &Arc<SpySettings>) -> (Digest, bool) {
    // One thread decodes; the analyses of its events take about half as long.
    let threads = std::thread::available_parallelism().map_or(0, |all| (all.get() - 1).min(2));
    let mut analyses = Analyses::new(settings, threads);
    let (decoded, left_out) = input::decode_history(history, &mut analyses);
    input::remark_left_out(&left_out);
    let analysed = analyses.finish(decoded.codes());
    (Digest::new(decoded, analysed), left_out.is_empty())
}
