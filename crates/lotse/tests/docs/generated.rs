//! Reference pages made from the code: command line, rules, metrics and runners, settings, formats.

use expect_test::expect_file;
use lotse_bench::runner::RUNNERS;
use lotse_formats::recognise::FORMATS;
use lotse_formats::write::WRITERS;
use lotse_model::metric::KNOWN;
use lotse_report::glossary::Topic;
use serde_json::Value;

use crate::program::{self, entries, repository, text};

const MADE: &str = "<!-- Made from the code: UPDATE_EXPECT=1 cargo test -p lotse --test docs -->\n";

#[track_caller]
fn check(page: &str, title: &str, body: &str) {
    let content = format!("# {title}\n\n{MADE}\n{body}");
    expect_file![repository(&format!("docs/src/reference/{page}"))].assert_eq(&content);
}

#[test]
fn command_line() {
    let commands: &[&[&str]] = &[
        &[],
        &["bench"],
        &["bench", "report"],
        &["bench", "restore"],
        &["profile"],
        &["profile", "formats"],
        &["profile", "top"],
        &["profile", "callers"],
        &["profile", "callees"],
        &["profile", "tree"],
        &["profile", "annotate"],
        &["profile", "flame"],
        &["profile", "treemap"],
        &["profile", "graph"],
        &["profile", "parts"],
        &["profile", "data"],
        &["profile", "events"],
        &["profile", "convert"],
        &["profile", "diff"],
        &["trace"],
        &["trace", "info"],
        &["trace", "analyze"],
        &["trace", "critical-path"],
        &["trace", "what-if"],
        &["trace", "phases"],
        &["trace", "timeline"],
        &["trace", "overheads"],
        &["trace", "efficiency"],
        &["trace", "diff"],
        &["trace", "export"],
        &["spy"],
        &["spy", "run"],
        &["spy", "analyze"],
        &["spy", "sites"],
        &["spy", "phases"],
        &["spy", "history"],
        &["spy", "coverage"],
        &["predict"],
        &["predict", "calibrate"],
        &["predict", "fit"],
        &["explain"],
        &["doctor"],
        &["config"],
        &["completions"],
        &["man"],
    ];
    let section = |command: &&[&str]| {
        let help = program::stdout(&[command, &["--help"][..]].concat());
        let title = [&["lotse"], *command].concat().join(" ");
        format!("## {title}\n\n```text\n{}\n```\n", trimmed(&help))
    };
    check("command-line.md", "Command line", &commands.iter().map(section).collect::<Vec<_>>().join("\n"));
}

/// Lines without blanks at their ends.
fn trimmed(text: &str) -> String {
    text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn rules() {
    let rules = program::json(&["explain", "--json"]);
    let intro = "A finding names its rule; `lotse explain RULE` prints the same text. \
                 Thresholds are changed in [`lotse.toml`](settings.md).\n";
    let sections: Vec<String> = rules.as_array().unwrap().iter().map(rule).collect();
    check("rules.md", "Rules", &format!("{intro}\n{}", sections.join("\n")));
}

fn rule(rule: &Value) -> String {
    let mut parts = vec![format!("## {}", text(rule, "id")), format!("*{}*", text(rule, "title"))];
    parts.push(text(rule, "meaning").to_owned());
    let picture = text(rule, "picture");
    parts.extend((!picture.is_empty()).then(|| format!("```text\n{picture}\n```")));
    let titled = [("How it is computed", "computation"), ("Example", "example"), ("What to do", "advice")];
    parts.extend(titled.map(|(title, key)| format!("**{title}.** {}", text(rule, key))));
    parts.extend(thresholds(rule));
    let references: Vec<&str> = entries(rule, "references").iter().filter_map(Value::as_str).collect();
    parts.extend((!references.is_empty()).then(|| format!("References: {}", references.join("; "))));
    parts.join("\n\n") + "\n"
}

fn thresholds(rule: &Value) -> Option<String> {
    let row = |threshold: &Value| {
        let [name, meaning] = ["name", "meaning"].map(|key| text(threshold, key));
        format!("\n| `{name}` | {} | {meaning} |", threshold["default"])
    };
    let rows: String = entries(rule, "thresholds").iter().map(row).collect();
    (!rows.is_empty()).then(|| format!("| threshold | default | meaning |\n|---|---|---|{rows}"))
}

#[test]
fn separation() {
    let doctor = program::json(&["doctor", "--json"]);
    let row = |action: &Value| {
        let presets: Vec<&str> = entries(action, "presets").iter().filter_map(Value::as_str).collect();
        let value = action["argument"].as_str().unwrap_or("–");
        let [name, explanation] = ["name", "explanation"].map(|key| text(action, key));
        let presets = if presets.is_empty() { "–".to_owned() } else { presets.join(", ") };
        format!("| `{name}` | {explanation} | {value} | {presets} |\n")
    };
    let rows: String = entries(&doctor, "separation").iter().map(row).collect();
    let body = format!(
        "What [`lotse bench --separate`](../how-to/separation.md) can do, in the order in which it is done. A value follows \
         the name, as in `nice=-5`. `lotse doctor` says which work on a machine.\n\n\
         | action | what it does | value | presets |\n|---|---|---|---|\n{rows}"
    );
    check("separation.md", "Actions of separation", &body);
}

#[test]
fn glossary() {
    let topic = |topic: &Topic| {
        let terms: String =
            topic.terms().map(|term| format!("**{}**: {}\n\n", term.word, term.meaning)).collect();
        format!("## {}\n\n{terms}", topic.title())
    };
    let intro =
        "The words of the output. `lotse explain WORD` prints one of them, `lotse explain glossary` all.\n\n";
    let body: String = Topic::ALL.iter().map(topic).collect();
    check("glossary.md", "Glossary", &format!("{intro}{}\n", body.trim_end()));
}

#[test]
fn metrics() {
    let metric = |known: &lotse_model::metric::KnownMetric| {
        let symbol = known.unit.symbol();
        let unit = if symbol.is_empty() { "count" } else { symbol };
        format!("| `{}` | {unit} | {} |\n", known.name, known.meaning)
    };
    let runner = |kind: &lotse_bench::runner::RunnerKind| {
        let tool = kind.tool.unwrap_or("–");
        format!("| `{}` | {} | {tool} | `{}` |\n", kind.id, kind.title, kind.primary)
    };
    let body = format!(
        "Every run under a runner that keeps the program's own clocks (all but `perf-stat` and `valgrind`) gives:\n\n\
         | metric | unit | meaning |\n|---|---|---|\n{}\n\
         ## Runners\n\n| runner | what it measures | needs | verdict on |\n|---|---|---|---|\n{}\n\
         `perf-events` counts {}. A counter that was asked for and that the machine does not offer ends it with status 4.\n",
        KNOWN.iter().map(metric).collect::<String>(),
        RUNNERS.iter().map(runner).collect::<String>(),
        events(),
    );
    check("metrics.md", "Metrics and runners", &body);
}

/// The events that perf-events can count, from the message about an unknown event.
fn events() -> String {
    let refusal = program::lotse(&["bench", "--runner", "perf-events", "--events", "no-such", "true"]);
    let message = String::from_utf8(refusal.stderr).unwrap();
    let known = message.trim_end().split_once("it counts ").unwrap_or_else(|| panic!("{message}")).1;
    known.split(", ").map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ")
}

#[test]
fn settings() {
    let answer = program::json(&["config", "--json"]);
    let row = |setting: &Value| {
        let [key, value, meaning] = ["key", "value", "meaning"].map(|name| text(setting, name));
        let value = value.parse::<f64>().map_or(value.to_owned(), |number| number.to_string());
        format!("| `{key}` | {value} | {meaning} |\n")
    };
    let rows: String = entries(&answer, "settings").iter().map(row).collect();
    let intro = "Settings are read from `~/.config/lotse/lotse.toml` (or below `$XDG_CONFIG_HOME`) and from the nearest \
                 `lotse.toml` in the working directory or above it. The project's file wins over the user's, the command \
                 line over both. A key that does not exist is an error. `lotse config` shows every value and where it \
                 came from; `lotse.toml` at the root of the repository holds all of them, commented out.\n";
    let body = format!("{intro}\n| setting | default | meaning |\n|---|---|---|\n{rows}");
    check("settings.md", "Settings", &body);
}

#[test]
fn formats() {
    let row = |format: &lotse_formats::format::Format| {
        let written = WRITERS.iter().any(|writer| writer.id == format.id);
        let written = if written { "yes" } else { "" };
        format!("| `{}` | {} | {} | {written} |\n", format.id, format.title, format.kind().title())
    };
    let rows: String = FORMATS.iter().map(row).collect();
    let unread = WRITERS.iter().filter(|writer| FORMATS.iter().all(|format| format.id != writer.id));
    let only: String = unread.map(|writer| format!("`{}` ({})", writer.id, writer.title)).collect();
    let body = format!(
        "The format is told from the content; where that fails, `--format` takes a name of this list. Profiles may be \
         compressed with gzip or Zstandard.\n\n\
         | name | format | holds | `profile convert` writes it |\n|---|---|---|---|\n{rows}\n\
         Profiles are also written as {only}. What `lotse bench report --to` writes is listed in \
         [its help](command-line.md#lotse-bench-report). The format of Lotse's own log is [described](result-file.md); \
         [read any profiler's file](../how-to/profile-read.md) says how profilers are told to write theirs.\n"
    );
    check("formats.md", "Formats that are read", &body);
}
