//! Documents as one HTML file: the page itself, and the answers to what a reader is likely to ask.
//!
//! The file needs no server. Answers are found by a key (`key`), which the page computes in the same way
//! (`web/src/api/exported.ts`). What is not in the file has no answer there, and the page says so.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::api::{DocumentKind, DocumentState, Problem, Question, SessionState, Stage};
use crate::assets::asset;
use crate::open::{Document, OpenRequest, Opener, complete_about};

/// Rows of each table.
const ROWS: usize = 1000;
/// Functions whose callers, callees and graph are in the file.
const CALLS: usize = 200;
/// Functions whose source is in the file.
const SOURCES: usize = 40;
/// Metrics whose runs are in the file.
const METRICS: usize = 8;
/// The size of treemaps; the page stretches them.
const TREEMAP: (f64, f64) = (1200.0, 680.0);

/// The HTML file of the documents that are added to it.
pub struct ExportedPage<'o> {
    opener: &'o dyn Opener,
    documents: Vec<DocumentState>,
    answers: BTreeMap<String, Box<RawValue>>,
}

impl<'o> ExportedPage<'o> {
    /// A file without documents.
    pub fn new(opener: &'o dyn Opener) -> Self {
        Self { opener, documents: Vec::new(), answers: BTreeMap::new() }
    }

    /// Adds a document; `kinds` are all that its file can be read as.
    pub fn add(
        &mut self,
        document: &dyn Document,
        request: &OpenRequest,
        kinds: &[DocumentKind],
    ) -> Result<(), Problem> {
        let about = complete_about(document, self.opener, kinds);
        let mut answers = Answers { document, found: BTreeMap::new() };
        answers.ask_all(&about)?;
        let id = u32::try_from(self.documents.len() + 1).map_err(Problem::new)?;
        let key = |key: String| if id == 1 { key } else { format!("{id}|{key}") };
        self.answers.extend(answers.found.into_iter().map(|(name, answer)| (key(name), answer)));
        self.documents.push(DocumentState {
            id,
            name: request.name(),
            paths: request.paths.iter().map(|path| path.display().to_string()).collect(),
            stage: Stage::Ready { revision: 1, about: about.into() },
            outdated: false,
        });
        Ok(())
    }

    /// The page with all documents.
    pub fn page(self, version: &'static str) -> Result<String, Problem> {
        let session = SessionState {
            version,
            read_only: true,
            editor: None,
            documents: self.documents,
            recent: Vec::new(),
            layout: Value::Null,
        };
        page(&json!({ "session": session, "answers": self.answers }).to_string())
    }
}

/// The answers that were found, by key.
struct Answers<'d> {
    document: &'d dyn Document,
    found: BTreeMap<String, Box<RawValue>>,
}

impl Answers<'_> {
    /// Asks what fits the document.
    fn ask_all(&mut self, about: &crate::api::About) -> Result<(), Problem> {
        self.ask("report", &json!({"ask": "report"}));
        self.ask_runs();
        if let Some(trace) = &about.trace {
            let whole = json!({"ask": "timeline", "from": null, "to": null, "columns": 2000, "lanes": 256, "first_lane": 0, "merge": true, "table": true});
            self.ask("timeline", &whole);
            for of in ["regions", "waits"] {
                let question = json!({"ask": "statistics", "from": null, "to": null, "of": of, "location": null, "row": null});
                self.ask(&format!("statistics|{of}"), &question);
            }
            for metric in &trace.metrics {
                let question = json!({"ask": "call_paths", "metric": metric.name});
                self.ask(&format!("call_paths|{}", metric.name), &question);
            }
        }
        let Some(profile) = &about.profile else { return Ok(()) };
        let is_comparison = about.kind == crate::api::DocumentKind::Comparison;
        let sorts: &[&str] = if is_comparison {
            &["self", "inclusive", "old", "difference", "ratio", "name"]
        } else {
            &["self", "inclusive", "calls", "name"]
        };
        let groups = profile.groupings.iter().map(|name| json!(name)).chain([Value::Null]);
        for group in groups.collect::<Vec<_>>() {
            for sort in sorts {
                let name = group.as_str().unwrap_or("-");
                let mut question = functions(sort, &group, &profile.default_event);
                self.ask(&format!("functions|{sort}|{name}"), &question);
                // A comparison also shows inclusive costs.
                if is_comparison {
                    question["inclusive"] = json!(true);
                    self.ask(&format!("functions|{sort}|{name}|inclusive"), &question);
                }
            }
        }
        self.ask("data", &json!({"ask": "data", "scope": scope()}));
        for sort in ["self", "inclusive"] {
            let question = json!({"ask": "lines", "scope": scope(), "events": [profile.default_event], "sort": sort, "limit": ROWS});
            self.ask(&format!("lines|{sort}"), &question);
        }
        self.ask_pictures(if is_comparison { "difference" } else { "" });
        self.ask_about_functions(&profile.default_event)
    }

    /// The runs of a measurement: of the metric of the verdict, and of the others.
    fn ask_runs(&mut self) {
        let runs = |metric: &Value| json!({"ask": "runs", "metric": metric, "selection": null});
        self.ask("runs|-", &runs(&Value::Null));
        let first: Option<Value> =
            self.found.get("runs|-").and_then(|raw| serde_json::from_str(raw.get()).ok());
        let metrics = first.as_ref().and_then(|answer| answer["metrics"].as_array());
        for metric in metrics.into_iter().flatten().take(METRICS) {
            self.ask(&format!("runs|{}", metric.as_str().unwrap_or("-")), &runs(metric));
        }
    }

    /// Pictures of the whole: in a comparison those of the difference.
    fn ask_pictures(&mut self, side: &str) {
        let mut scope = scope();
        if !side.is_empty() {
            scope["side"] = json!(side);
        }
        let (width, height) = TREEMAP;
        for direction in ["callees", "callers"] {
            let flame = json!({"ask": "flame", "scope": scope, "direction": direction, "root": null});
            self.ask(&format!("flame|{direction}|-"), &flame);
            let treemap = json!({"ask": "treemap", "scope": scope, "direction": direction, "root": null,
                "width": width, "height": height});
            self.ask(&format!("treemap|{direction}|-"), &treemap);
        }
        let graph =
            json!({"ask": "graph", "scope": scope, "function": null, "min_share": 0.01, "nodes": 100});
        self.ask("graph|-", &graph);
    }

    /// Calls, graphs and sources of the costliest functions, by self and by inclusive cost.
    fn ask_about_functions(&mut self, event: &str) -> Result<(), Problem> {
        let mut ids: Vec<u64> = Vec::new();
        for sort in ["self", "inclusive"] {
            let table: Value = serde_json::from_str(&self.answer(&functions(sort, &Value::Null, event))?)
                .map_err(Problem::new)?;
            let rows = table["rows"].as_array().into_iter().flatten().take(CALLS);
            ids.extend(rows.filter_map(|row| row["function"]["id"].as_u64()));
        }
        let mut seen = std::collections::BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
        for (place, id) in ids.iter().enumerate() {
            let calls = json!({"ask": "calls", "scope": scope(), "function": id, "events": [event]});
            self.ask(&format!("calls|{id}"), &calls);
            if place < SOURCES {
                let graph =
                    json!({"ask": "graph", "scope": scope(), "function": id, "min_share": 0.01, "nodes": 60});
                self.ask(&format!("graph|{id}"), &graph);
                let source = json!({"ask": "source", "scope": scope(), "function": id, "events": [event], "instructions": true});
                self.ask(&format!("source|{id}"), &source);
            }
        }
        Ok(())
    }

    /// Keeps the answer, if there is one: a profile without calls, for example, has no graph.
    fn ask(&mut self, key: &str, question: &Value) {
        let raw = self.answer(question).and_then(|text| RawValue::from_string(text).map_err(Problem::new));
        if let Ok(raw) = raw {
            self.found.insert(key.to_owned(), raw);
        }
    }

    fn answer(&self, question: &Value) -> Result<String, Problem> {
        let question: Question = serde_json::from_value(question.clone()).map_err(Problem::new)?;
        self.document.answer(&question)
    }
}

fn functions(sort: &str, group: &Value, event: &str) -> Value {
    json!({"ask": "functions", "scope": scope(), "events": [event], "sort": sort, "ascending": sort == "name",
        "filter": "", "group": group, "within": null, "offset": 0, "limit": ROWS})
}

fn scope() -> Value {
    json!({"event": null, "define": [], "parts": null, "focus": null, "ignore": null, "hide": null, "side": null})
}

/// The page with its script, style and data inside.
fn page(data: &str) -> Result<String, Problem> {
    let text = |path: &str| {
        let bytes = asset(path).map(|asset| asset.bytes);
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .ok_or_else(|| Problem::new("the page is not built in"))
    };
    let (html, style, script) = (text("/")?, text("/app.css")?, text("/app.js")?);
    let data = data.replace('<', "\\u003c");
    let script = script.replace("</script", "<\\/script");
    let style = style.replace("</style", "<\\/style");
    let inside = format!(
        "<style>{style}</style>\n<script type=\"application/json\" id=\"lotse-export\">{data}</script>\n<script type=\"module\">{script}</script>\n</head>"
    );
    // The links to the server's files are left out; everything else of the page stays.
    let lines = html.lines().filter(|line| !line.contains("app.js") && !line.contains("app.css"));
    let html = lines.collect::<Vec<_>>().join("\n");
    match html.split_once("</head>") {
        Some((before, after)) => Ok(format!("{before}{inside}{after}\n")),
        None => Err(Problem::new("the page has no head")),
    }
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn everything_is_inside_and_nothing_ends_the_script() {
        let html = page(r#"{"name":"</script><script>alert(1)</script>"}"#).unwrap();
        assert!(!html.contains("<script>alert(1)"));
        assert!(!html.contains("src=\"/") && !html.contains("href=\"/"), "nothing is loaded from elsewhere");
        assert_eq!(html.matches("</head>").count(), 1);
    }
}
