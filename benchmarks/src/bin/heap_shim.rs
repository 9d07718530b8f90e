//! The bias of moved heaps: programs that allocate much, with and without the shared object that moves their heap.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::lotse::{Answer, Lotse};
use benchmarks::table::{self, decimals_or_dash};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish};
use clap::Parser;
use lotse_host::{HeapShim, Job};

const LAUNCHER: &str = include_str!("../../programs/with_heap.c");
const EMPTY: &str = include_str!("../../programs/empty_libc.c");
const TREE: &str = include_str!("../../programs/tree.cpp");

/// Programs of a usual installation with their arguments. `{empty}`, `{tree}` and `{text}` are files in the folder.
const PROGRAMS: [(&str, &[&str]); 9] = [
    ("nothing (ours)", &["{empty}"]),
    ("tree (ours)", &["{tree}"]),
    (
        "perl",
        &[
            "perl",
            "-e",
            "for (1..400000) { $h{$_ % 9973 . 'k'} .= \"$_,\" } print scalar(keys %h), length join '', sort values %h",
        ],
    ),
    (
        "python3",
        &[
            "/usr/bin/python3",
            "-I",
            "-S",
            "-c",
            "d={}\nfor i in range(120000): d.setdefault(str(i%9973),[]).append((i,str(i)))\nprint(len(d))",
        ],
    ),
    (
        "sqlite3",
        &[
            "sqlite3",
            ":memory:",
            "with recursive c(x) as (select 1 union all select x+1 from c where x<200000) select count(*), sum(n) from (select x%9973 as k, count(*) as n, group_concat(x) from c group by k)",
        ],
    ),
    (
        "awk",
        &["awk", "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w]; print s }", "{text}"],
    ),
    ("sort", &["sort", "-k2", "{text}"]),
    ("xz", &["xz", "-1", "-T1", "-c", "{text}"]),
    ("gcc", &["gcc", "-O1", "-S", "-o", "/dev/null", "with_heap.c"]),
];

/// Measures what moving the heap costs by itself: the difference should be none.
#[derive(Parser)]
struct Args {
    /// Seconds for each program, with and without
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let object = object()?;
    workshop.compile("with_heap", LAUNCHER, &["-static"])?;
    workshop.compile("empty", EMPTY, &[])?;
    compile_tree(&mut workshop)?;
    let text = workshop.path("text");
    fs::write(&text, words()).map_err(Error::file("write", &text))?;
    let (mut rows, mut measured) = (Vec::new(), Vec::new());
    for (name, words) in PROGRAMS {
        if lotse_host::find_tool(words[0]).is_none() && !words[0].starts_with(['{', '/']) {
            rows.push(vec![name.to_owned(), "not installed".to_owned()]);
            continue;
        }
        let commands = ["off", "on"].map(|state| command(&workshop, state, &object, words));
        let budget = format!("{}s", args.seconds / 2.0);
        let options = ["--metric", "cpu", "--delta", "0.5%", "--budget", &budget];
        let (answer, _) = lotse.bench(&mut workshop, &options, &commands)?;
        rows.push(row(name, &answer)?);
        let comparison = answer.primary()?;
        let pair = comparison.ratio.zip(comparison.half_width());
        measured.extend(pair.filter(|_| words[0] != "{empty}"));
    }
    if let Some((ratio, half)) = pooled(&measured) {
        let interval = format!("{:.4} … {:.4}", ratio - half, ratio + half);
        let dash = || "–".to_owned();
        rows.push(vec![
            "all but nothing".to_owned(),
            dash(),
            dash(),
            format!("{ratio:.4}"),
            interval,
            dash(),
            dash(),
        ]);
    }
    let titles = ["program", "ms", "blocks", "with : without", "interval", "verdict (± 0.5 %)", "KiB more"];
    table::print("CPU time with the heap moved, in a new layout each run", &titles, &rows)
}

/// The path of the shared object.
fn object() -> Result<String, Error> {
    let unusable = |what: String| Error::Answer { tool: "the heap shim", what };
    let shim = HeapShim::install().map_err(|error| unusable(error.to_string()))?;
    let mut job = Job::default();
    job.environment.set("LD_PRELOAD", "");
    shim.preload(&mut job, 0);
    let path = job.environment.get("LD_PRELOAD".as_ref()).ok_or_else(|| unusable("path".to_owned()))?;
    Ok(path.to_string_lossy().into_owned())
}

fn compile_tree(workshop: &mut Workshop) -> Result<(), Error> {
    let source = workshop.path("tree.cpp");
    fs::write(&source, TREE).map_err(Error::file("write", &source))?;
    let argv = ["g++", "-O2", "-o", "tree", "tree.cpp"].map(str::to_owned);
    workshop.run("g++", &argv, &[0]).map(drop)
}

/// Lines of words, some frequent and most rare.
fn words() -> String {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 20_000
    };
    let lines = (0..60_000).map(|_| (0..8).map(|_| format!("w{} ", next() * next() / 20_000)).collect());
    lines.collect::<Vec<String>>().join("\n")
}

/// A command line for Lotse, which splits it as a shell does.
fn command(workshop: &Workshop, state: &str, object: &str, words: &[&str]) -> String {
    let file = |name: &str| workshop.path(name).display().to_string();
    let launcher = file("with_heap");
    let words = words.iter().map(|word| match *word {
        "{empty}" => file("empty"),
        "{tree}" => file("tree"),
        "{text}" => file("text"),
        "with_heap.c" => file("with_heap.c"),
        word => word.to_owned(),
    });
    let all = [launcher, state.to_owned(), object.to_owned()].into_iter().chain(words);
    all.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
}

fn row(name: &str, answer: &Answer) -> Result<Vec<String>, Error> {
    let comparison = answer.primary()?;
    let [low, high] = comparison.interval;
    let median = |program: usize, metric: &str| {
        let mut samples = answer.programs.get(program)?.samples.get(metric)?.clone();
        samples.sort_by(f64::total_cmp);
        samples.get(samples.len() / 2).copied()
    };
    let more = median(1, "peak_memory")
        .zip(median(0, "peak_memory"))
        .map(|(with, without)| (with - without) / 1024.0);
    Ok(vec![
        name.to_owned(),
        decimals_or_dash(median(0, "cpu").map(|seconds| seconds * 1e3), 1),
        comparison.blocks.to_string(),
        decimals_or_dash(comparison.ratio, 4),
        format!("{} … {}", decimals_or_dash(low, 4), decimals_or_dash(high, 4)),
        comparison.verdict.name().to_owned(),
        decimals_or_dash(more, 0),
    ])
}

/// The pooled ratio of several programs and half the width of its interval. Weights are the inverse squares of the half-widths.
fn pooled(measured: &[(f64, f64)]) -> Option<(f64, f64)> {
    let weight = |half: f64| 1.0 / (half * half);
    let sum: f64 = measured.iter().map(|&(_, half)| weight(half)).sum();
    let ratio = measured.iter().map(|&(ratio, half)| ratio * weight(half)).sum::<f64>() / sum;
    (sum.is_finite() && sum > 0.0).then(|| (ratio, sum.recip().sqrt()))
}

#[cfg(test)]
mod tests {
    use super::pooled;

    #[test]
    fn precise_programs_count_more() {
        let (ratio, half) = pooled(&[(1.0, 0.01), (1.1, 0.02)]).unwrap();
        assert!(
            (ratio - 1.02).abs() < 1e-12 && (half - 0.01 * 0.8_f64.sqrt()).abs() < 1e-12,
            "{ratio} {half}"
        );
        assert_eq!(pooled(&[]), None);
    }
}
