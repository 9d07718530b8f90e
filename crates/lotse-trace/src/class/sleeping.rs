//! Calls that sleep, by their names in the libraries of several languages.
//!
//! A call that waits for input with a limit of time is one of them: what it waits for is no thread of the trace. `select` and
//! `poll` are only known with the name of their module, because many programs have work of their own under these names.

const SLEEPS: &[&str] = &[
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
    "time.sleep",
    "thread.sleep",
    "java.lang.thread.sleep",
    "std::thread::sleep",
    "std::thread::sleep_until",
    "std::this_thread::sleep_for",
    "std::this_thread::sleep_until",
    "this_thread::sleep_for",
    "this_thread::sleep_until",
    "pselect",
    "ppoll",
    "epoll_wait",
    "epoll_pwait",
    "select.select",
    "select.poll.poll",
    "select.epoll.poll",
];

/// Whether a function of this name, in lower case, sleeps.
pub(super) fn is_sleep(name: &str) -> bool {
    SLEEPS.contains(&without_types(name))
}

/// The name of a C++ function without the types of its result, parameters and arguments:
/// `void std::this_thread::sleep_for<long>(...)`. Other words belong to the name: `REM sleep` is a name that a program gave.
fn without_types(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let end = name.find(['<', '(']).filter(|&at| at > 0).unwrap_or(name.len());
    name[..end].trim_start_matches('_')
}

#[cfg(test)]
mod tests {
    use super::is_sleep;

    #[test]
    fn sleeping_is_known_in_several_languages() {
        for name in [
            "usleep",
            "__nanosleep",
            "time.sleep",
            "sleep(unsigned int)",
            "void std::this_thread::sleep_for<long, std::ratio<1l, 1000l> >(std::chrono::duration<long> const&)",
        ] {
            assert!(is_sleep(name), "{name}");
        }
    }

    #[test]
    fn work_of_similar_names_is_no_sleep() {
        for name in [
            "sleep_model",
            "deep.sleep",
            "rem sleep",
            "light sleep(int)",
            "sleep (phase 2)",
            "poll",
            "select",
            "select_best(int)",
            "<module>",
            "",
        ] {
            assert!(!is_sleep(name), "{name}");
        }
    }
}
