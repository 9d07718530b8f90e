//! The digest of a history: everything that one pass over its events computes; taken from the cache if it is there.

use std::sync::Arc;

use lotse_formats::history::History;
use lotse_host::{FileSource, IndexPlace};
use lotse_model::bytes::Source as _;
use lotse_model::finding::shell_word;
use lotse_spy::{Analyses, Digest, Settings as SpySettings, Thresholds, digest};

use super::input;
use super::reported::ReportedReading;
use crate::args::spy::ReadingArgs;
use crate::commands::cache;
use crate::exit::Failure;
use crate::progress::ProgressLine;
use crate::screen;
use crate::settings::Settings;

/// Mebibytes from which the analysis of a history takes tens of seconds.
const LARGE: usize = 64;

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
    remark_if_large(source);
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

/// Says before a long analysis that it may be interrupted, and what makes histories smaller.
fn remark_if_large(source: &FileSource) {
    let megabytes = source.bytes().len() >> 20;
    if megabytes >= LARGE {
        screen::remark(&format!(
            "the analysis of a history of {megabytes} MiB may take minutes; Ctrl-C ends it and keeps the history, and `lotse spy analyze {}` \
             begins it again. `lotse spy run` with --structure or --min-bytes, or with a smaller input, records less",
            shell_word(source.name())
        ));
    }
}

/// Decodes and analyses a history; also returns whether all its processes could be decoded.
fn compute(history: &History<'_>, settings: &Arc<SpySettings>) -> (Digest, bool) {
    // One thread decodes, and up to two analyse: the analyses take about half as long as decoding.
    let threads = std::thread::available_parallelism().map_or(0, |all| (all.get() - 1).min(2));
    let mut analyses = Analyses::new(settings, threads);
    let mut line = ProgressLine::busy("analysing the history");
    let mut reported = ReportedReading::new(&mut analyses, &mut line, history);
    let (decoded, left_out) = input::decode_history(history, &mut reported);
    reported.end();
    let analysed = analyses.finish(decoded.codes());
    drop(line);
    input::remark_left_out(&left_out);
    (Digest::new(decoded, analysed), left_out.is_empty())
}
