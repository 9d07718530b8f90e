//! The terms in Lotse's output and their meanings, for `lotse explain`, the reports and the book.

mod headings;

use crate::document::{Definition, Inline};

/// A term of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The term as it appears in the output.
    pub word: &'static str,
    /// Other spellings under which it is found.
    pub also: &'static [&'static str],
    pub meaning: &'static str,
    pub topic: Topic,
}

/// The command whose output contains a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// All commands.
    General,
    /// `lotse bench`.
    Bench,
    /// `lotse profile`.
    Profile,
    /// `lotse trace`.
    Trace,
}

impl Topic {
    /// All topics, in the order of the glossary.
    pub const ALL: [Self; 4] = [Self::General, Self::Bench, Self::Profile, Self::Trace];

    /// The heading in the glossary.
    pub fn title(self) -> &'static str {
        match self {
            Self::General => "All commands",
            Self::Bench => "lotse bench",
            Self::Profile => "lotse profile",
            Self::Trace => "lotse trace",
        }
    }

    /// The terms of this topic.
    pub fn terms(self) -> impl Iterator<Item = &'static Term> {
        terms().filter(move |term| term.topic == self)
    }
}

/// The terms with this spelling, ignoring case.
pub fn named(word: &str) -> Vec<&'static Term> {
    let same = |known: &str| {
        known.eq_ignore_ascii_case(word) || known.trim_end_matches('.').eq_ignore_ascii_case(word)
    };
    terms().filter(|term| same(term.word) || term.also.iter().any(|also| same(also))).collect()
}

/// Terms and their meanings as definitions of a document.
pub fn definitions<'a>(terms: impl Iterator<Item = &'a Term>) -> Vec<Definition> {
    let definition = |term: &Term| Definition {
        term: term.word.to_owned(),
        text: vec![Inline::Text(term.meaning.to_owned())],
    };
    terms.map(definition).collect()
}

const fn general(word: &'static str, also: &'static [&'static str], meaning: &'static str) -> Term {
    Term { word, also, meaning, topic: Topic::General }
}

const fn bench(word: &'static str, also: &'static [&'static str], meaning: &'static str) -> Term {
    Term { word, also, meaning, topic: Topic::Bench }
}

const fn profile(word: &'static str, also: &'static [&'static str], meaning: &'static str) -> Term {
    Term { word, also, meaning, topic: Topic::Profile }
}

const fn trace(word: &'static str, also: &'static [&'static str], meaning: &'static str) -> Term {
    Term { word, also, meaning, topic: Topic::Trace }
}

/// All terms.
pub fn terms() -> impl Iterator<Item = &'static Term> {
    TERMS.iter().chain(headings::TERMS)
}

/// Terms of reports; those of tables are in `headings`.
const TERMS: &[Term] = &[
    general(
        "finding",
        &["findings"],
        "Something about a measurement, a profile or a trace that a rule found worth saying. Each takes one line; -v shows all of it.",
    ),
    general(
        "rule",
        &["rules"],
        "What makes a finding. `lotse explain` lists all rules, and `lotse explain RULE` says how one is computed and what to do.",
    ),
    general(
        "note, warning, error",
        &["note", "warning", "error"],
        "How serious a finding is: good to know; the answer may mislead, or time is lost; the answer cannot be trusted, or much time is lost.",
    ),
    general(
        "severity",
        &[],
        "How much is concerned, as a share of something that is named with it. Findings are ordered by it, those without one last.",
    ),
    general("certainty", &[], "How sure a rule is that its finding is right, from 0 to 100 %."),
    general("verify", &[], "A command that checks a finding, or what changing it would gain."),
    general(
        "≤, ≥, ≈",
        &["≤", "≥", "≈", "bound"],
        "At most, at least, about. A number without a sign is exact as far as the input is.",
    ),
    general("–", &[], "Not known, or it has no meaning here."),
    general(
        "…",
        &[],
        "Part of a name was left out so that a line fits the screen. --wide shows names in full.",
    ),
    bench("program", &[], "A command that is measured."),
    bench(
        "reference",
        &[],
        "The program that the others are compared with: the first one, unless --reference says otherwise.",
    ),
    bench(
        "wall",
        &["wall time"],
        "Time on the clock from the start of the process to its end, waiting included.",
    ),
    bench(
        "cpu",
        &["cpu time", "user", "system"],
        "Time processors worked for the program, in it (user) and in the kernel for it (system). Waiting does not count.",
    ),
    bench(
        "peak memory",
        &["peak_memory"],
        "The largest resident set: the most physical memory the program had at one time.",
    ),
    bench(
        "mean ± sd",
        &["mean", "sd", "deviation"],
        "Arithmetic mean and sample standard deviation. Two thirds of the runs of a well-behaved program lie within one deviation.",
    ),
    bench(
        "digits in parentheses",
        &[],
        "Digits the deviation makes uncertain: 12.3(45) means that 45 is not to be trusted.",
    ),
    bench("median", &[], "Half of the runs took less, half took more. A few slow runs do not move it."),
    bench("min … max", &["min", "max"], "The smallest and the largest value of all good runs."),
    bench(
        "spread",
        &[],
        "A small histogram of the runs, from the smallest value on the left to the largest on the right.",
    ),
    bench(
        "runs",
        &["run"],
        "How often the program was run and measured; failed runs are counted separately.",
    ),
    bench(
        "block",
        &["blocks"],
        "One round in which every program runs once, in random order; every second block runs in the reverse order of the one before.",
    ),
    bench(
        "ratio",
        &[],
        "Value of the program divided by that of the reference. Of interleaved runs it is Hodges and Lehmann's median of pairwise averages of the blocks' log ratios; of runs that were not interleaved, the ratio of the geometric means.",
    ),
    bench(
        "interval",
        &["confidence interval", "95 %"],
        "The true ratio lies in it with the stated confidence, over all looks taken while measuring and, for the primary metric, over all programs. Of interleaved runs it is the inverted signed-rank test, of others Welch's t interval of the logarithms; both are widened for correlated neighbours and for the error of a subtracted shell.",
    ),
    bench(
        "looks",
        &["look"],
        "The data are looked at up to some twenty times while measuring. The error probability is spread over the looks in proportion to the square of the elapsed share (Lan and DeMets), so stopping early does not raise it.",
    ),
    bench(
        "times faster, times slower",
        &["faster", "slower", "times faster", "times slower"],
        "The whole interval lies on one side of 1. 2.0 times faster means half the time, 2.0 times slower means twice the time.",
    ),
    bench(
        "no difference above",
        &["equivalent", "delta"],
        "Equivalent: the interval holds 1 and lies within delta (1 % unless --delta says otherwise) of it. Whatever the difference is, it is too small to matter.",
    ),
    bench(
        "within --delta",
        &["within_delta", "too small to matter"],
        "A difference is proven, for the interval leaves out 1, but the whole interval lies within delta of 1. The verdict is still faster or slower; in JSON within_delta is true.",
    ),
    bench(
        "undecided",
        &[],
        "Neither faster nor slower nor equivalent can be said yet. It does not mean equal: more runs would decide.",
    ),
    bench(
        "primary, secondary",
        &["primary", "secondary", "other metrics"],
        "The verdict was planned on the primary metric. With several metrics some differ by chance, so the others are shown without a verdict of their own.",
    ),
    bench(
        "contended",
        &[],
        "The run waited for a CPU, or a hypervisor took time from it. Such runs are marked, never dropped.",
    ),
    bench(
        "self-check",
        &["control", "false alarm", "a/a"],
        "The reference is measured against itself. A difference found there is a false alarm, and shows how far other differences can be trusted.",
    ),
    bench(
        "separation",
        &["--separate", "separation not done"],
        "What was done to keep the rest of the machine away from the programs while they were measured. Every action is checked for its effect; what had none was undone, and everything is put back at the end.",
    ),
    bench(
        "shell",
        &["-S", "--shell", "the shell itself takes"],
        "With -S a shell starts the programs. Its smallest cost on an empty command is subtracted from times and counts, and intervals allow for what it may cost beyond that. A maximum such as peak memory includes the shell.",
    ),
    bench(
        "budget",
        &["--budget", "the --budget was over"],
        "The time for each program, 10 s unless --budget says otherwise. Measuring ends when it is over, or earlier when the answer is clear. A given --budget also ends it before ten runs; --min-runs does not let it.",
    ),
    bench(
        "min-runs",
        &["--min-runs", "max-runs", "--max-runs"],
        "At least so many runs of each program are made, even where the budget is over. Without it ten runs are made unless a given --budget is over before. --max-runs is the limit above.",
    ),
    bench("geometric mean", &[], "The right mean of ratios: doubling and halving cancel."),
    bench(
        "p value",
        &["p"],
        "How often chance alone would show a difference at least this large. Not the probability that there is none.",
    ),
    profile(
        "ratio (of profiles)",
        &["ratio"],
        "In `profile diff`: the new cost divided by the old one. Each comes from one recording, so the ratio has no interval.",
    ),
    profile(
        "event type",
        &["event", "events"],
        "What is counted: time, samples, instructions (Ir), cache misses, bytes. -e chooses; `lotse profile events` lists them.",
    ),
    profile("self", &["self cost", "self %"], "Cost of the function's own code, without what it calls."),
    profile(
        "incl.",
        &["inclusive", "inclusive cost", "incl. %"],
        "Inclusive: cost of the function and of everything it calls. Recursive calls are not counted twice.",
    ),
    profile("%", &["share"], "Share of the whole profile, unless --percent says otherwise."),
    profile("calls", &[], "How often the function was called. Profilers that take samples do not know it."),
    profile("where", &[], "The executable or library of a function, and its source file."),
    profile(
        "caller, callee",
        &["caller", "callee", "callers", "callees"],
        "A function that calls, and one that is called.",
    ),
    profile(
        "cycle",
        &["<cycle>"],
        "Functions that call each other in a circle. The cost of a cycle is counted once for all of its members.",
    ),
    profile("way", &["costliest way"], "A chain of calls from the start of the program to a function."),
    profile(
        "estimated",
        &["estimate"],
        "The file says how much each call costs, but not on which stack: costs are shared out among callers in proportion.",
    ),
    profile(
        "sample",
        &["samples"],
        "One look of the profiler at the running program. The number of samples in a function is in proportion to its time, with an error of chance.",
    ),
    profile(
        "noise, ±",
        &["noise", "±"],
        "Two standard errors of a difference of samples. A smaller difference may be chance and is marked by ≈.",
    ),
    profile("gone, new", &["gone", "new"], "Functions that are in one of two profiles only."),
    profile(
        "variants",
        &["variant"],
        "Functions whose names differ only in a hash or in a suffix of the compiler.",
    ),
    profile(
        "part",
        &["parts"],
        "A dump, a thread or a snapshot that a file holds beside others. --parts chooses.",
    ),
    profile("total", &["% of total"], "The sum over the whole profile."),
    trace(
        "location",
        &["locations"],
        "What has a sequence of events of its own: a thread, or a process with one thread.",
    ),
    trace("rank", &["ranks"], "A process of an MPI program, by its number."),
    trace(
        "call path",
        &["region"],
        "The regions (functions, loops) from the outermost to the one meant: main/step/MPI_Recv.",
    ),
    trace(
        "lost, waiting",
        &["lost", "waiting", "wait"],
        "Time in which a location could do nothing because another was not ready, summed over locations.",
    ),
    trace(
        "mostly because of",
        &["cause", "caused by", "delay"],
        "The call path on another location whose extra time made the wait, by delay costs.",
    ),
    trace(
        "reachable gain",
        &["gain"],
        "How much shorter the run would be if the cause of the wait took no time on its location, by replaying the run. Often less than the time lost, for other locations are late as well, and several wait at once.",
    ),
    trace(
        "critical path",
        &[],
        "The activities that determine the run time: if one of them took longer, so would the run.",
    ),
    trace(
        "rival",
        &["nearest rival"],
        "What would determine the run time if the critical path took no time.",
    ),
    trace(
        "accelerator stream",
        &["accelerator_streams"],
        "A queue of work (kernels, copies) on a GPU or another accelerator. It is a location, but no thread.",
    ),
    trace(
        "late sender",
        &["late_sender"],
        "A receive waits because the message is sent late. `lotse explain late_sender` draws it.",
    ),
    trace("late receiver", &["late_receiver"], "A send waits because the receive is posted late."),
    trace(
        "wait at N x N",
        &["wait_at_nxn"],
        "Members of an operation in which all exchange data with all wait for the last one.",
    ),
    trace("wait at barrier", &["wait_at_barrier"], "Members of a barrier wait for the last one."),
    trace("late broadcast", &["late_broadcast"], "Members of a broadcast wait for its root."),
    trace("early reduce", &["early_reduce"], "The root of a reduction waits for those who send to it."),
    trace(
        "parallel efficiency",
        &["efficiency"],
        "Useful time divided by the time of all processors: the sum over all locations divided by their number times the run \
         time. It is the product of load balance, serialisation, transfer and the efficiency of threads.",
    ),
    trace("load balance", &[], "Mean useful time of the locations divided by the largest."),
    trace(
        "serialisation",
        &[],
        "What would be lost by waiting for each other on a network that takes no time.",
    ),
    trace("transfer", &[], "What is lost because the network takes time."),
    trace(
        "computation scaling",
        &["global efficiency"],
        "How the total useful time grows with the number of processors. Global efficiency is parallel efficiency times computation scaling.",
    ),
    trace("time outside MPI", &["useful"], "Useful time: what the program does beside communicating."),
    trace(
        "imbalance",
        &["beyond the mean"],
        "Time of a call path on the critical path above its mean over all locations.",
    ),
    trace("phase", &["phases"], "A stretch of the run in which the program behaves alike."),
    trace("iteration", &["iterations"], "One pass of a loop that repeats through much of the run."),
    trace(
        "T_s, T_p, T_o",
        &["T_s", "T_p", "T_o", "overhead"],
        "Sequential time, parallel time, and overhead: what the parallel run takes beyond its part of the sequential one.",
    ),
    trace(
        "corrected clocks",
        &["clock", "clocks"],
        "Times shifted so that no message arrives before it was sent.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Topic, named, terms};

    #[test]
    fn every_word_is_found_and_only_once_in_a_topic() {
        for topic in Topic::ALL {
            let mut spellings = BTreeSet::new();
            for word in
                topic.terms().flat_map(|term| [term.word].into_iter().chain(term.also.iter().copied()))
            {
                assert!(spellings.insert(word.to_lowercase()), "{word} stands twice in {topic:?}");
            }
        }
        assert_eq!(named("INCL")[0].word, "incl.");
        assert_eq!(named("inclusive")[0].word, "incl.");
        assert!(named("no such word").is_empty());
        assert!(terms().all(|term| term.meaning.ends_with('.')));
    }
}
