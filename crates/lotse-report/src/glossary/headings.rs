//! Terms of the tables of profiles, and of the notes below them.

use super::{Term, profile};

/// All of these terms.
pub(super) const TERMS: &[Term] = &[
    profile("function", &["functions"], "A function or method, by the name that the profiler gives it."),
    profile(
        "cost",
        &["% of function"],
        "Cost of calls: of the callee and everything it calls, while this caller waits for it.",
    ),
    profile(
        "recursive",
        &["(recursive)"],
        "The call is made while the function is still running, so that its cost is part of an outer call and not counted again.",
    ),
    profile("distance", &[], "How many calls lie between two functions; 1 where one calls the other."),
    profile(
        "weight",
        &["weights"],
        "What stacks weigh in a file that does not say in which unit: samples, nanoseconds, bytes, periods. --unit states it for collapsed stacks.",
    ),
    profile(
        "primitive_calls",
        &["primitive calls"],
        "Python: calls that are not recursive, made while the function was not running yet.",
    ),
    profile("old, [2], [3]", &["old", "[2]", "[3]"], "Cost in the first profile, and in further ones."),
    profile("difference", &[], "New cost minus old cost; below 0 where it became less."),
    profile(
        "% of old",
        &[],
        "The difference as a share of the whole old profile, not of the function's old cost.",
    ),
    profile(
        "calls old, calls new",
        &["calls old", "calls new"],
        "How often the call was made in each profile.",
    ),
    profile(
        "perhaps renamed",
        &["renamed"],
        "A function that is gone and one that is new with a similar name, file, cost or the same callers. They are not compared; --rename OLD=NEW does it.",
    ),
    profile(
        "not shown",
        &["shown"],
        "Rows that a limit, --min-change or noise leaves out, with what they add up to.",
    ),
    profile(
        "group",
        &[],
        "Functions put together by --group: an executable or library, a source file, a class, a cycle.",
    ),
    profile(
        "name, process, thread",
        &["name", "process", "thread"],
        "What a part is called, and the numbers of the process and the thread that it is about.",
    ),
    profile("profile", &[], "A file that a profiler wrote."),
    profile(
        "format",
        &["what it is", "written", "claim"],
        "How a file is written; `lotse profile formats` lists all.",
    ),
];
