//! `lotse config`: every setting, its value, and where it came from.

use lotse_report::{Block, Cell, Column, Document, Role, Table};
use serde::Serialize;

use super::cache;
use crate::args::{ConfigArgs, ConfigVerb};
use crate::exit::{Exit, Failure};
use crate::settings::{FILE_NAME, SETTINGS, Settings};
use crate::{rules, screen};

/// The origin of a value that no file sets.
const DEFAULT: &str = "default";

#[derive(Serialize)]
struct SettingRow {
    key: String,
    value: String,
    origin: String,
    meaning: &'static str,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<Exit, Failure> {
    if let Some(ConfigVerb::Cache(cache)) = &args.verb {
        return cache::run(cache);
    }
    let settings = Settings::load()?;
    let mut rows: Vec<SettingRow> =
        SETTINGS.iter().map(|s| row(&settings, s.key, s.default.to_owned(), s.meaning)).collect();
    rows.extend(rules::thresholds().map(|(rule, threshold)| {
        let default = threshold.default.to_string();
        row(&settings, &rules::threshold_key(rule, threshold), default, threshold.meaning)
    }));
    if args.json {
        return screen::json(&serde_json::json!({ "schema": "lotse.config/1", "settings": rows }));
    }
    screen::document(&document(&rows))
}

fn row(settings: &Settings, key: &str, default: String, meaning: &'static str) -> SettingRow {
    let known = settings.get(key);
    let origin = known
        .and_then(|value| value.origin.as_ref())
        .map_or(DEFAULT.to_owned(), |path| path.display().to_string());
    SettingRow {
        key: key.to_owned(),
        value: known.map_or(default, |value| value.text.clone()),
        origin,
        meaning,
    }
}

fn document(rows: &[SettingRow]) -> Document {
    let titles =
        vec![Column::key("setting"), Column::key("value"), Column::key("from"), Column::left("meaning")];
    let mut table = Table::new("", titles);
    let mut files: Vec<&str> =
        rows.iter().map(|row| row.origin.as_str()).filter(|it| *it != DEFAULT).collect();
    files.sort_unstable();
    files.dedup();
    for row in rows {
        // A path would leave no room for the meaning, so files are numbered and listed below the table.
        let from = match files.iter().position(|file| *file == row.origin) {
            Some(at) => Cell::text(format!("[{}]", at + 1)).role(Role::Strong),
            None => Cell::text(DEFAULT).role(Role::Dim),
        };
        table.rows.push(vec![Cell::text(&row.key), Cell::text(&row.value), from, Cell::text(row.meaning)]);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    for (at, file) in files.iter().enumerate() {
        document.paragraph(format!("[{}] {file}", at + 1));
    }
    document.paragraph(format!(
        "Change them in {FILE_NAME} of the project, or of the user in ~/.config/lotse; the command line wins over both."
    ));
    document
}
