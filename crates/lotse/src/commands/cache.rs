//! `lotse config cache`: lists the cached indexes of big profiles and histories, or deletes them.

use std::io::ErrorKind;
use std::time::{SystemTime, UNIX_EPOCH};

use lotse_host::{Cache, CacheEntry, FileError};
use lotse_report::number::format_bytes;
use lotse_report::{Block, Cell, Column, Document, Table};
use serde::Serialize;

use crate::args::{CacheArgs, parse_size};
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::{SETTINGS, Settings};

/// The key of the size limit in `lotse.toml`.
const LIMIT: &str = "profile.cache";

#[derive(Serialize)]
struct CacheAnswer {
    schema: &'static str,
    directory: String,
    limit: u64,
    size: u64,
    cleared: bool,
    entries: Vec<CachedIndex>,
}

#[derive(Serialize)]
struct CachedIndex {
    /// The profile or history; null for an index of another version.
    profile: Option<String>,
    index: String,
    size: u64,
    /// Seconds since 1970.
    used: u64,
}

/// The user's cache with the size limit of the settings; `None` if there is no directory for it.
pub(crate) fn user_cache() -> Result<Option<Cache>, Failure> {
    let usual = SETTINGS.iter().find(|setting| setting.key == LIMIT).map_or("0", |setting| setting.default);
    let limit = match Settings::load()?.parsed(LIMIT, parse_size)? {
        Some(limit) => limit,
        None => parse_size(usual).map_err(Failure::usage)?,
    };
    Ok(Cache::of_user(limit))
}

/// Prints a remark why an index was not kept; none if the user may not write the cache, which only costs time.
pub(crate) fn remark_unless_kept(kept: Result<(), FileError>) {
    if let Err(error) = kept
        && !matches!(error.source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
    {
        screen::remark(&format!("the index was not kept: {error}"));
    }
}

/// Lists the indexes, after deleting them if asked to.
pub(crate) fn run(args: &CacheArgs) -> Result<Exit, Failure> {
    let Some(cache) = user_cache()? else {
        let message = "there is no directory for a cache: neither XDG_CACHE_HOME nor HOME is set".to_owned();
        return Err(Failure { exit: Exit::Missing, message });
    };
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read `{}`: {error}", cache.directory().display());
        Failure { exit: Exit::Unreadable, message }
    };
    let kept = cache.entries().map_err(unreadable)?;
    let entries: Vec<CachedIndex> = kept.iter().map(entry).collect();
    if args.clear {
        cache.clear().map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    let answer = CacheAnswer {
        schema: "lotse.config.cache/1",
        directory: cache.directory().display().to_string(),
        limit: cache.limit(),
        size: entries.iter().map(|entry| entry.size).sum(),
        cleared: args.clear,
        entries,
    };
    if args.json { screen::json(&answer) } else { screen::document(&document(&answer)) }
}

fn entry(entry: &CacheEntry) -> CachedIndex {
    CachedIndex {
        profile: lotse_profile::index::original(&entry.path)
            .or_else(|| lotse_spy::digest::original(&entry.path)),
        index: entry.path.display().to_string(),
        size: entry.size,
        used: entry.used.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    }
}

fn document(answer: &CacheAnswer) -> Document {
    let mut document = Document::new();
    let (count, size) = (answer.entries.len(), format_bytes(answer.size as f64));
    let indexes = if count == 1 { "1 index".to_owned() } else { format!("{count} indexes") };
    let limit = format_bytes(answer.limit as f64);
    document.paragraph(match (answer.cleared, count) {
        (true, _) => format!("{indexes} ({size}) deleted from {}", answer.directory),
        (false, 0) => format!("no index is kept in {} (at most {limit}: {LIMIT})", answer.directory),
        (false, _) => format!("{indexes} in {}: {size} of at most {limit} ({LIMIT})", answer.directory),
    });
    if count > 0 && !answer.cleared {
        document.push(Block::Table(table(&answer.entries)));
        document.paragraph("`lotse config cache --clear` deletes them; they are made again when needed.");
    }
    document
}

fn table(entries: &[CachedIndex]) -> Table {
    let titles = vec![Column::right("size"), Column::right("last used"), Column::left("file")];
    let mut table = Table::new("", titles);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    for entry in entries {
        table.rows.push(vec![
            Cell::text(format_bytes(entry.size as f64)),
            Cell::text(age(now.saturating_sub(entry.used))),
            Cell::text(entry.profile.as_deref().unwrap_or("(of another version of Lotse)")),
        ]);
    }
    table
}

fn age(seconds: u64) -> String {
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_in_the_largest_unit() {
        assert_eq!([5, 120, 7300, 200_000].map(age), ["just now", "2 min ago", "2 h ago", "2 days ago"]);
    }
}
