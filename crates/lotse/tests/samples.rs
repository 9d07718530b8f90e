//! Every format that Lotse reads, end to end, with nothing but the repository: the binary answers a question about a sample,
//! and the answer contains what is known about the sample without Lotse.
//!
//! `fixtures/samples/README.md` and the pages beside the other samples say how each was made and where the facts come from.
//! A new format in `FORMATS` needs a row in [`SAMPLES`].

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lotse_formats::claims;
use lotse_formats::format::FormatKind;
use lotse_formats::recognise::FORMATS;
use lotse_model::bytes::Memory;
use serde_json::Value;
use tempfile::TempDir;

/// A sample of a format, and what is known about it.
struct Sample {
    format: &'static str,
    kind: FormatKind,
    /// Below `fixtures`: a file, or the folder of a trace.
    path: &'static str,
    /// The arguments: `SAMPLE` is the sample, `@FILE` a file below `fixtures`.
    question: &'static str,
    status: i32,
    facts: Facts,
}

/// Paths into the JSON answer with the values there. A step of a path is a key, an index, or `KEY=VALUE`, which chooses the
/// element of a list.
type Facts = &'static [(&'static str, &'static str)];

const SAMPLES: &[Sample] = &[
    Sample {
        format: "lotse-log",
        kind: FormatKind::BenchResult,
        path: "bench/lotse-log-1.jsonl",
        question: "bench report --json SAMPLE",
        status: 3,
        facts: &[
            ("programs|name=plain|samples|wall", "[0.0101, 0.0102]"),
            ("comparisons|metric=wall|ratio", "0.514851485148515"),
        ],
    },
    Sample {
        format: "lotse-json",
        kind: FormatKind::BenchResult,
        path: "bench/lotse-answer-1.json",
        question: "bench report --json SAMPLE",
        status: 3,
        facts: &[
            ("programs|name=fast|samples|wall", "[0.0052]"),
            ("comparisons|metric=cpu|ratio", "0.444444444444444"),
        ],
    },
    Sample {
        format: "hyperfine",
        kind: FormatKind::BenchResult,
        path: "bench/hyperfine-2.0-parameters.json",
        question: "bench report --json SAMPLE",
        status: 5,
        facts: &[
            ("programs|name=sleep 0.002|samples|wall", "[0.00312198, 0.003135898]"),
            ("programs|name=sleep 0.002|samples|peak_memory|0", "3121152"),
            ("programs|name=sleep 0.002|parameters|n", "\"0.002\""),
        ],
    },
    Sample {
        format: "temci",
        kind: FormatKind::BenchResult,
        path: "bench/temci-0.8.5-short.yaml",
        question: "bench report --json SAMPLE",
        status: 0,
        facts: &[
            ("programs|name=sleep 0.01|samples|wall", "[0.01, 0.01]"),
            ("comparisons|metric=wall|difference|value", "-0.01"),
        ],
    },
    Sample {
        format: "temci-suite",
        kind: FormatKind::Suite,
        path: "samples/temci-suite/two.yaml",
        question: "bench --file SAMPLE --metric work --json",
        status: 0,
        facts: &[
            ("programs|name=heavy|samples|work", "[30, 30, 30]"),
            ("comparisons|metric=work|ratio", "0.333333333333333"),
            ("comparisons|metric=work|verdict", "\"faster\""),
        ],
    },
    Sample {
        path: "profile/words-list.callgrind",
        facts: &[
            ("events|name=Ir|total", "79219691"),
            ("functions|0|name", "\"__strcmp_avx2\""),
            ("functions|0|self|0", "52182421"),
        ],
        ..profile("callgrind")
    },
    Sample {
        path: "samples/cachegrind/steps.cachegrind",
        facts: &[
            ("events|name=Ir|total", "369339"),
            ("functions|0|name", "\"heavy\""),
            ("functions|0|self|0", "180050"),
            ("functions|name=spin|self|0", "60040"),
        ],
        ..profile("cachegrind")
    },
    Sample {
        path: "samples/xdebug/steps.xdebug",
        facts: &[
            ("functions|name=spin|self|0", "4164221"),
            ("functions|name=spin|calls", "16"),
            ("functions|name=heavy|calls", "12"),
        ],
        ..profile("xdebug")
    },
    Sample {
        path: "samples/gmon/gmon.out",
        question: "profile top --json --limit 0 SAMPLE --binary @samples/gmon/steps-gmon",
        facts: &[
            ("functions|0|name", "\"heavy\""),
            ("functions|name=heavy|self|0", "1800000"),
            ("functions|name=light|inclusive|0", "600000"),
            ("functions|name=light|calls", "10"),
        ],
        ..profile("gmon")
    },
    Sample {
        path: "samples/gprof/steps.gprof",
        facts: &[
            ("functions|0|name", "\"heavy\""),
            ("functions|name=heavy|self|0", "1800000"),
            ("functions|name=light|inclusive|0", "600000"),
            ("functions|name=light|calls", "10"),
        ],
        ..profile("gprof")
    },
    Sample {
        path: "profile/words-list.perf.txt",
        facts: &[
            ("events|name=samples|total", "120"),
            ("functions|0|name", "\"__strcmp_evex\""),
            ("functions|0|self|0", "83"),
        ],
        ..profile("perf-script")
    },
    Sample {
        path: "samples/perf-data/steps.perf.data",
        question: "profile top --json --limit 0 SAMPLE --binary @samples/perf-data/steps",
        facts: &[
            ("events|name=cpu-clock:u|total", "772000000"),
            ("functions|name=heavy|self|0", "290"),
            ("functions|name=spin|self|0", "96"),
        ],
        ..profile("perf-data")
    },
    Sample {
        path: "samples/pprof/steps.pprof",
        facts: &[
            ("events|name=cpu|total", "1520000000"),
            ("functions|name=main.heavy|inclusive|1", "1150000000"),
            ("functions|name=main.light|self|1", "200000000"),
        ],
        ..profile("pprof")
    },
    Sample {
        path: "samples/pprof-legacy/steps.prof",
        question: "profile top --json --limit 0 SAMPLE --binary @samples/perf-data/steps",
        facts: &[
            ("events|name=samples|total", "87"),
            ("functions|name=heavy|self|0", "66"),
            ("functions|name=light|inclusive|0", "21"),
        ],
        ..profile("pprof-legacy")
    },
    Sample {
        path: "samples/collapsed/steps.collapsed",
        facts: &[
            ("events|0|total", "108"),
            ("functions|name=heavy (steps.py:15)|inclusive|0", "74"),
            ("functions|name=light (steps.py:19)|inclusive|0", "32"),
        ],
        ..profile("collapsed")
    },
    Sample { path: "samples/firefox/steps.json", facts: BROWSER, ..profile("firefox") },
    Sample { path: "samples/gecko/steps.json", facts: BROWSER, ..profile("gecko") },
    Sample {
        path: "samples/speedscope/steps.speedscope.json",
        facts: &[
            ("events|name=samples|total", "89"),
            ("functions|name=heavy|inclusive|0", "51"),
            ("functions|name=light|inclusive|0", "29"),
        ],
        ..profile("speedscope")
    },
    Sample {
        path: "samples/chrome-trace/steps.chrome.json",
        facts: &[
            ("events|name=time|total", "254531798"),
            ("functions|name=heavy (/tmp/sample/steps.py:14)|inclusive|0", "126543208"),
            ("functions|name=heavy (/tmp/sample/steps.py:14)|calls", "12"),
        ],
        ..profile("chrome-trace")
    },
    Sample {
        path: "samples/cpuprofile/steps.cpuprofile",
        facts: &[
            ("events|name=samples|total", "74"),
            ("functions|name=heavy|self|0", "13"),
            ("functions|name=light|self|0", "4"),
        ],
        ..profile("cpuprofile")
    },
    Sample {
        path: "samples/heaptrack/steps.heaptrack.zst",
        facts: &[
            ("events|name=allocations|total", "11"),
            ("functions|name=keep|self|0", "10"),
            ("functions|name=keep|self|4", "1000"),
        ],
        ..profile("heaptrack")
    },
    Sample {
        path: "profile/words.dhat.json",
        facts: &[
            ("events|name=total_bytes|total", "35426"),
            ("functions|0|name", "\"add\""),
            ("functions|0|self|0", "25042"),
        ],
        ..profile("dhat")
    },
    Sample {
        path: "profile/words.massif",
        facts: &[
            ("events|name=mem_heap_B|total", "31330"),
            ("functions|0|name", "\"add\""),
            ("functions|0|self|0", "25042"),
        ],
        ..profile("massif")
    },
    Sample {
        path: "samples/pstats/steps.pstats",
        facts: &[
            ("functions|name=heavy|calls", "12"),
            ("functions|name=heavy|inclusive|1", "67018777"),
            ("functions|name=spin|self|1", "32703994"),
        ],
        ..profile("pstats")
    },
    Sample {
        path: "samples/stackprof/steps.dump",
        facts: &[
            ("events|name=samples|total", "202"),
            ("functions|0|name", "\"Object#spin\""),
            ("functions|name=Object#heavy|inclusive|0", "151"),
            ("functions|name=Object#nested|inclusive|0", "51"),
            ("functions|name=Object#nested|inclusive|1", "51000000"),
        ],
        ..profile("stackprof")
    },
    Sample {
        path: "trace/heat-4",
        facts: &[
            ("messages", "24"),
            ("critical_path|callpath=main/step/stencil|seconds", "0.24"),
            ("critical_path|callpath=main/step/stencil|location", "3"),
            ("totals|late_broadcast", "0.12"),
        ],
        ..trace("otf2")
    },
    Sample {
        path: "samples/chrome-trace/relay.json",
        facts: &[
            ("runtime", "0.15001"),
            ("totals|late_sender", "0.08"),
            ("blame|0|callpath", "\"produce\""),
            ("critical_path|callpath=consume|seconds", "0.05"),
        ],
        ..trace("chrome-trace")
    },
    Sample {
        path: "trace/ring.prv",
        facts: &[("runtime", "3e-7"), ("totals|late_sender", "8e-8"), ("totals|late_broadcast", "7e-8")],
        ..trace("paraver")
    },
    Sample {
        format: "lotse-history",
        kind: FormatKind::History,
        path: "samples/lotse-history/queue.lotse-history",
        question: "spy analyze --json SAMPLE",
        status: 0,
        facts: &[
            ("events", "1000"),
            ("findings|1|rule|id", "\"spy-remove-front\""),
            ("findings|1|sites|0|line", "10"),
        ],
    },
];

/// Both files of browsers hold the same eight samples.
const BROWSER: Facts = &[
    ("events|name=samples|total", "8"),
    ("functions|name=heavy|self|0", "6"),
    ("functions|name=light|self|0", "2"),
    ("functions|name=main|inclusive|0", "8"),
];

const fn profile(format: &'static str) -> Sample {
    let question = "profile top --json --limit 0 SAMPLE";
    Sample { format, kind: FormatKind::Profile, path: "", question, status: 0, facts: &[] }
}

const fn trace(format: &'static str) -> Sample {
    let question = "trace analyze --json SAMPLE";
    Sample { format, kind: FormatKind::Trace, path: "", question, status: 0, facts: &[] }
}

/// What a command printed, and its exit status.
struct Answer {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    /// Remarks about the input: on standard error, and in the JSON of profiles and traces.
    fn remarks(&self) -> String {
        let answer: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        format!("{}{}{}", self.stderr, answer["diagnostics"], answer["repairs"])
    }

    /// The first fact that the answer does not contain.
    fn missing_fact(&self, facts: Facts) -> Option<String> {
        let Ok(answer) = serde_json::from_str::<Value>(&self.stdout) else {
            return Some("no JSON".to_owned());
        };
        facts.iter().find_map(|&(path, expected)| {
            let found = path.split('|').try_fold(&answer, step);
            let expected = serde_json::from_str(expected).unwrap();
            let agrees = found.is_some_and(|found| alike(found, &expected));
            (!agrees).then(|| format!("{path}: {found:?} instead of {expected}"))
        })
    }
}

fn step<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    let Value::Array(list) = value else { return value.get(step) };
    match step.split_once('=') {
        Some((key, wanted)) => list.iter().find(|it| it[key] == wanted),
        None => list.get(step.parse::<usize>().ok()?),
    }
}

/// Whether values are equal, numbers up to rounding.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        _ => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() <= 1e-12 * one.abs(),
            _ => one == other,
        },
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

impl Sample {
    /// Asks the question about a file or folder, in a session without settings and caches of the user.
    fn ask(&self, session: &Path, sample: &Path) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
        for word in self.question.split_whitespace() {
            match word.strip_prefix('@') {
                Some(file) => command.arg(fixtures().join(file)),
                None if word == "SAMPLE" => command.arg(sample),
                None => command.arg(word),
            };
        }
        command.current_dir(session).env("HOME", session).stdin(Stdio::null());
        ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "DEBUGINFOD_URLS"].iter().for_each(|name| {
            command.env_remove(name);
        });
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    fn check_answer(&self, session: &Path, sample: &Path) {
        let answer = self.ask(session, sample);
        let title = format!("{} ({}): {}", self.format, self.kind.title(), sample.display());
        assert_eq!(answer.status, Some(self.status), "{title}: {}", answer.stderr);
        assert_eq!(answer.missing_fact(self.facts), None, "{title}");
    }

    /// A copy under a name that says nothing about the format.
    fn copy(&self, session: &Path) -> PathBuf {
        let copy = session.join("sample");
        copy_all(&fixtures().join(self.path), &copy);
        copy
    }
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_file() {
        fs::write(to, fs::read(from).unwrap()).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        copy_all(&from.join(&name), &to.join(&name));
    }
}

/// The largest file below a path.
fn largest(path: &Path) -> PathBuf {
    if path.is_file() {
        return path.to_owned();
    }
    let inside = fs::read_dir(path).unwrap().map(|entry| largest(&entry.unwrap().path()));
    inside.max_by_key(|file| fs::metadata(file).unwrap().len()).unwrap()
}

#[test]
fn every_format_has_a_sample() {
    for format in FORMATS {
        let has = SAMPLES.iter().any(|it| it.format == format.id && it.kind == format.kind());
        assert!(has, "no sample of {} ({})", format.id, format.kind().title());
    }
    assert_eq!(SAMPLES.len(), FORMATS.len());
}

#[test]
fn answers_contain_what_is_known() {
    for sample in SAMPLES {
        let session = TempDir::with_prefix("lotse-samples-").unwrap();
        sample.check_answer(session.path(), &fixtures().join(sample.path));
    }
}

/// Copies with a neutral name give the same answer, since formats are recognised from the content.
#[test]
fn content_alone_decides() {
    for sample in SAMPLES {
        let session = TempDir::with_prefix("lotse-samples-").unwrap();
        let copy = sample.copy(session.path());
        sample.check_answer(session.path(), &copy);
        if copy.is_file() {
            assert_eq!(claimed(&copy, sample.kind), Some(sample.format), "{}", sample.path);
        }
    }
}

/// The format of a kind that claims a file with the highest confidence.
fn claimed(file: &Path, kind: FormatKind) -> Option<&'static str> {
    let bytes = fs::read(file).unwrap();
    let packed = Memory { name: "sample", bytes: &bytes };
    let (unpacked, _) = lotse_formats::unpack(&packed).unwrap();
    claims(&unpacked).iter().find(|(format, _)| format.kind() == kind).map(|(format, _)| format.id)
}

/// Half a file gives an answer with a remark or an error with a place. Only if the other half does not
/// concern the question may the answer be complete without a remark.
#[test]
fn half_a_sample_is_noticed() {
    for sample in SAMPLES {
        let session = TempDir::with_prefix("lotse-samples-").unwrap();
        let copy = sample.copy(session.path());
        let cut = largest(&copy);
        let bytes = fs::read(&cut).unwrap();
        fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
        let answer = sample.ask(session.path(), &copy);
        let remarks = answer.remarks();
        let title = format!("{}: status {:?}\n{remarks}", sample.path, answer.status);
        assert!(!remarks.contains("panicked"), "{title}");
        let noticed = match answer.status {
            Some(6) => names_place(&remarks),
            Some(0 | 3 | 5) => names_place(&remarks) || answer.missing_fact(sample.facts).is_none(),
            _ => false,
        };
        assert!(noticed, "{title}");
    }
}

/// Whether a remark says where something is wrong.
fn names_place(remarks: &str) -> bool {
    ["line ", "byte ", "location ", "the whole input"].iter().any(|place| remarks.contains(place))
}

/// `predict` reads sources: the product of two matrices of 500 rows has 500³ innermost iterations.
#[test]
fn predict_answers_about_a_source() {
    let session = TempDir::with_prefix("lotse-samples-").unwrap();
    let question = Sample {
        question: "predict --json SAMPLE -f product_by_rows --machine @../examples/matrices/laptop.toml",
        facts: &[
            ("parameters|N", "500"),
            ("loops|variable=j|iterations", "125000000"),
            ("loops|variable=j|depth", "2"),
        ],
        ..profile("")
    };
    question.check_answer(session.path(), &fixtures().join("../examples/matrices/product.c"));
}
