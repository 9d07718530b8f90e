//! Detects writes that nothing reads afterwards.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::{format_count, format_share};

use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, cause, subject};
use crate::container::AccessKind;
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;
use crate::settings::WRITE_WITHOUT_READ;
use crate::severity::FindingCost;

pub(super) const RULE: Rule = Rule {
    id: "spy-write-without-read",
    version: 2,
    title: "elements are written and never read afterwards",
    meaning: "The written values have no effect, typically at the end of the structure's life: elements are reset before it is \
              dropped, or results are computed that nobody uses.",
    computation: "A write counts when its position is never read after it, before the structure is cleared or dropped. Searches, \
                  sorts, copies and iterations read all positions. Fires when at least `share` of the writes and at least \
                  `writes` of them count. The number is a lower bound. Bytes are left out: the C library compares them and the \
                  operating system writes them out, which is not recorded.",
    example: "`for x in v.iter_mut() { *x = 0 }` as the last thing done with v.",
    picture: "",
    advice: "Leave the writes out. Check first that nothing reads them unseen by the recorder: the operating system, a foreign \
             function, or code that was not recorded.",
    thresholds: WRITE_WITHOUT_READ,
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, writes) = (context.protocol, context.protocol.counts.kind(AccessKind::Write));
    let (unread, codes) = (protocol.unread.writes(), protocol.unread.codes());
    let share = unread as f64 / writes.events.max(1) as f64;
    let is_seen = protocol.instance.element_size > 1;
    let fires = share >= context.thresholds.unread_share && unread as f64 >= context.thresholds.unread_writes;
    (fires && is_seen).then(|| RuleMatch {
        // The line that writes is removed; a loop around it may do other things, too.
        primary_site: PrimarySite::Cause,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Note,
        cost: FindingCost::from_accesses(unread as f64),
        certainty: 0.4,
        text: format!(
            "{} writes elements of {} that are not read afterwards ({} of all its {} writes, {}, are not)",
            writer(context, &codes),
            subject(context.codes, protocol),
            format_count(unread as f64),
            format_count(writes.events as f64),
            format_share(share, 0)
        ),
        data: vec![("unread", unread as f64), ("writes", writes.events as f64), ("share", share)],
        recommendation: "leave these writes out, if nothing outside of the recorded code reads them"
            .to_owned(),
        codes: if codes.total() == 0 { writes.codes.clone() } else { codes.clone() },
    })
}

/// The line whose writes are not read. Where several lines wrote each element since its last read, none is named.
fn writer(context: &HistoryContext<'_>, codes: &KeyCounts<CodeId>) -> String {
    if codes.total() == 0 { "one of several lines".to_owned() } else { cause(context.codes, codes) }
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-write-without-read";

    #[test]
    fn half_of_the_writes() {
        let history = |unread: u64| {
            History::filled(Container::Vec, 1000)
                .scan(AccessKind::Write, 0, 499)
                .scan(AccessKind::Read, 0, 499)
                .scan(AccessKind::Write, 500, 499 + unread)
                .jump(200)
        };
        assert!(fires(ID, history(500)));
        assert!(!fires(ID, history(499)));
    }

    #[test]
    fn a_hundred_writes_are_the_least() {
        let history = |writes: u64| {
            History::filled(Container::Vec, 1000).jump(1000).scan(AccessKind::Write, 100, 99 + writes)
        };
        assert!(fires(ID, history(100)));
        assert!(!fires(ID, history(99)));
        assert!(!fires(ID, history(500).without_index(AccessKind::ForEach, 1)), "an iteration reads them");
    }

    #[test]
    fn the_line_whose_writes_are_not_read_is_named() {
        let history = History::filled(Container::Vec, 1000)
            .by(11)
            .scan(AccessKind::Write, 0, 999)
            .scan(AccessKind::Read, 0, 999)
            .by(18)
            .scan(AccessKind::Write, 0, 999);
        let expected = "write without read: main.rs:28 writes elements of the Vec created at main.rs:10 that are not read \
                        afterwards (1,000 of all its 2,000 writes, 50 %, are not)";
        assert_eq!(text(ID, vec![history]), expected);
    }

    /// `assert_eq!(bytes, expected)` is a call of `memcmp`.
    #[test]
    fn bytes_may_be_read_unseen() {
        let writes = |history: History| history.jump(1000).scan(AccessKind::Write, 100, 599);
        assert!(fires(ID, writes(History::filled(Container::Vec, 1000))));
        assert!(!fires(ID, writes(History::of_bytes(1000))));
    }
}
