//! The words of a report, explained for those who use them once a year.

use lotse_report::{Definition, Inline};

const TERMS: &[(&str, &str)] = &[
    ("wall", "Time on the clock from the start of the process to its end, waiting included."),
    ("cpu", "Time processors worked for the program, in it and in the kernel. Waiting does not count."),
    (
        "mean ± sd",
        "Arithmetic mean and sample deviation. Two thirds of the runs of a well-behaved program lie within one deviation.",
    ),
    (
        "digits in parentheses",
        "Digits the deviation makes uncertain: 12.3(45) means that 45 is not to be trusted.",
    ),
    ("median", "Half of the runs took less, half took more. A few slow runs do not move it."),
    (
        "block",
        "One round in which every program runs once, in random order; every second block runs in the reverse order of the one before.",
    ),
    (
        "ratio",
        "Value of the program over that of the reference, estimated by Hodges and Lehmann's median of pairwise averages of the blocks' log ratios.",
    ),
    (
        "interval",
        "The true ratio lies in it with the stated confidence, over all looks taken while measuring and, for the primary metric, over all programs. It is the inverted signed-rank test, widened for correlated neighbours.",
    ),
    (
        "looks",
        "The data are looked at up to some twenty times while measuring. The error probability is spread over the looks in proportion to the square of the elapsed share (Lan and DeMets), so stopping early does not raise it.",
    ),
    ("faster, slower", "The whole interval lies on one side of 1."),
    (
        "equivalent",
        "The whole interval lies within delta of 1, and 1 in it: whatever the difference is, it is too small to matter.",
    ),
    ("undecided", "None of these. It does not mean equal: measure longer."),
    (
        "primary, secondary",
        "The verdict was planned on the primary metric. With several metrics some differ by chance, so the others are shown without a verdict of their own.",
    ),
    (
        "contended",
        "The run waited for a CPU or a hypervisor took time from it. Such runs are marked, never dropped.",
    ),
    ("geometric mean", "The right mean of ratios: doubling and halving cancel."),
    (
        "p value",
        "How often chance alone would show a difference at least this large. Not the probability that there is none.",
    ),
];

/// All terms.
pub(super) fn terms() -> Vec<Definition> {
    let definition = |(term, text): &(&str, &str)| Definition {
        term: (*term).to_owned(),
        text: vec![Inline::Text((*text).to_owned())],
    };
    TERMS.iter().map(definition).collect()
}
