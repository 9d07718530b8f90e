//! The types in TypeScript, which the page is compiled against.

use ts_rs::{Config, TS};

use super::{
    About, Amount, Ask, CallPathRow, CallPathTable, CallRow, CallSite, CallsAnswer, Change, Code, CodeJump,
    CostPair, DataTable, DocumentKind, DocumentState, EventCheck, EventProblem, EventType, ExactTime,
    FindingRow, FlamePicture, Frames, FunctionName, FunctionRename, FunctionRow, FunctionSort, FunctionTable,
    GraphEdge, GraphNode, GraphPicture, GroupFilter, Headline, Instruction, LineRow, LineSort, LineTable,
    MessageRow, MetricRow, MomentAnswer, MomentEvent, NextWaitAnswer, OpenCallRow, PartRow, PathRow, Problem,
    ProfileAbout, Question, RecentFile, Remark, RenameProposal, Report, ReportBlock, ReportCell,
    ReportColumn, ReportDefinition, ReportInline, Restated, RunRow, RunSelection, RunTable, RunTick,
    RunsAnswer, Scope, SessionState, SideChoice, SourceAnswer, SourceFile, SourceLine, Stage, StatisticsOf,
    StatisticsRow, StatisticsTable, Tiles, Timeline, TimelineBar, TimelineLane, TimelineMessage,
    TimelinePiece, TimelineRegion, TimelineTable, TraceAbout, TreeDirection, TreemapPicture, WaitRow,
};

const HEAD: &str =
    "// The types of the server's answers. Generated from crates/lotse-serve by its tests; do not edit.\n";

/// A type with its comment.
fn declared<T: TS>() -> String {
    let config = Config::default();
    let comment = T::docs().unwrap_or_else(String::new);
    format!("\n{}export {}\n", comment, T::decl(&config))
}

macro_rules! declared {
    ($($name:ty),* $(,)?) => { [$(declared::<$name>()),*].concat() };
}

/// What is open, and what can be asked.
#[rustfmt::skip]
fn questions() -> String {
    declared![
        Amount, Problem, SessionState, RecentFile, DocumentState, Stage, About, DocumentKind, Remark, FindingRow,
        Headline, RenameProposal, Restated, ProfileAbout, EventType, PartRow, TraceAbout, MetricRow, Ask, Scope, FunctionRename, SideChoice, FunctionSort, LineSort, TreeDirection,
        GroupFilter, RunSelection, StatisticsOf, Question,
    ]
}

/// What comes back.
#[rustfmt::skip]
fn answers() -> String {
    declared![
        FunctionName, FunctionTable, FunctionRow, CostPair, Change, CallsAnswer, CallRow, DataTable, LineTable, LineRow, EventCheck,
        EventProblem, FlamePicture, Frames, TreemapPicture, Tiles, GraphPicture, GraphNode, GraphEdge, SourceAnswer,
        SourceFile, SourceLine, CallSite, Code, CodeJump, Instruction, Report, ReportBlock, ReportDefinition,
        ReportInline, ReportColumn, ReportCell, RunsAnswer, RunTick, RunRow, RunTable, Timeline, TimelineTable, MessageRow, PathRow, TimelineRegion, TimelineLane, TimelineMessage,
        TimelinePiece, TimelineBar, CallPathTable, CallPathRow, ExactTime, MomentAnswer, OpenCallRow, MomentEvent,
        WaitRow, NextWaitAnswer, StatisticsTable, StatisticsRow,
    ]
}

/// `UPDATE_EXPECT=1 cargo test -p lotse-serve` writes the file.
#[test]
fn the_page_is_compiled_against_these_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/api/types.ts");
    let text = [HEAD.to_owned(), questions(), answers()].concat();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(committed == text, "web/src/api/types.ts is not what the types are; UPDATE_EXPECT=1 writes it");
}
