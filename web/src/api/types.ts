// The types of the server's answers. Generated from crates/lotse-serve by its tests; do not edit.

/**
 * A number with the text that the command line prints for it.
 */
export type Amount = { value: number, text: string, 
/**
 * The share of the total, 0 to 1; null where shares have no meaning.
 */
share: number | null, 
/**
 * "12.3 %"; empty where shares have no meaning.
 */
share_text: string, 
/**
 * "" exact, "≈" estimate, "≤" upper bound, "≥" lower bound, "?" not known.
 */
mark: string, };

/**
 * Why a question has no answer.
 */
export type Problem = { message: string, 
/**
 * Where in the input; null if it has no place.
 */
place: string | null, };

/**
 * `GET /api/session`, and every event of `GET /api/changes`.
 */
export type Session = { version: string, read_only: boolean, 
/**
 * The editor that POST /api/edit starts; null if there is none, or if nothing may be started.
 */
editor: string | null, documents: Array<DocumentState>, recent: Array<RecentFile>, 
/**
 * The pane layout that the page saved last with POST /api/layout; null if it saved none.
 */
layout: unknown, };

/**
 * Files that were opened before.
 */
export type RecentFile = { paths: Array<string>, kind: string, 
/**
 * "profile of callgrind, 2 hours ago"
 */
text: string, };

/**
 * A file, or several that are compared.
 */
export type DocumentState = { id: number, 
/**
 * A short name for the tab.
 */
name: string, paths: Array<string>, stage: Stage, 
/**
 * Whether a file changed on disk since it was read.
 */
outdated: boolean, };

/**
 * How far a document is.
 */
export type Stage = { "stage": "opening", phase: string, done: number, total: number | null, } | { "stage": "ready", revision: number, about: About, } | { "stage": "failed", problem: Problem, };

/**
 * What a document is, and the answer that comes first.
 */
export type About = { kind: DocumentKind, 
/**
 * The name of the file format.
 */
format: string, 
/**
 * The answer in a sentence or two.
 */
sentence: string, findings: Array<FindingRow>, 
/**
 * Remarks on the file and its numbers.
 */
remarks: Array<Remark>, 
/**
 * Present for profiles and comparisons.
 */
profile: ProfileAbout | null, 
/**
 * Present for traces.
 */
trace: TraceAbout | null, };

/**
 * Which views fit a document.
 */
export type DocumentKind = "profile" | "comparison" | "bench" | "trace" | "spy" | "predict";

/**
 * A problem of the input, or a note about the numbers.
 */
export type Remark = { place: string | null, message: string, 
/**
 * Whether data was lost.
 */
loss: boolean, };

/**
 * A finding, with all its numbers as text.
 */
export type FindingRow = { rule: string, level: "note" | "warning" | "error", 
/**
 * "34 % of the run time"; empty where it has no meaning.
 */
severity: string, 
/**
 * 0 to 1.
 */
share: number | null, 
/**
 * Why there is no severity; null where there is one.
 */
no_severity: string | null, 
/**
 * The rank among findings of all documents, compared number by number: the finding with the larger number comes first.
 */
rank: [number, number, number, number], 
/**
 * "90 % sure"
 */
certainty: string, 
/**
 * Where, the main place first.
 */
places: Array<string>, reason: string, recommendation: string, 
/**
 * A command line that checks the finding; null if there is none.
 */
verification: string | null, 
/**
 * What `lotse explain RULE` prints, as paragraphs.
 */
explanation: string, 
/**
 * The function that the evidence view shows; null if it is not about one.
 */
function: number | null, 
/**
 * The line of the evidence in that function's source.
 */
line: number | null, 
/**
 * The part of the time-line with the evidence, in seconds.
 */
window: [number, number] | null, 
/**
 * What is outlined there.
 */
bar: TimelineBar | null, 
/**
 * The figure of the report with the evidence, counted from 0.
 */
figure: number | null, 
/**
 * The numbers of the runs that are the evidence, from 1, in the order in which all runs were made.
 */
runs: Array<number>, };

/**
 * The answer in a sentence for a choice of event type, parts and filters.
 */
export type Headline = { sentence: string, 
/**
 * In a comparison: pairs that may be one function, the most alike first.
 */
proposals: Array<RenameProposal>, 
/**
 * In a comparison: what takes the place of its first answer.
 */
restated: Restated | null, };

/**
 * A function that may have been renamed.
 */
export type RenameProposal = { rename: FunctionRename, 
/**
 * "78 %: similar name, same file"
 */
evidence: string, };

/**
 * What a comparison says with the renames of the page, instead of what it said without them.
 */
export type Restated = { 
/**
 * Without the functions that may have been renamed, which are proposals.
 */
remarks: Array<Remark>, 
/**
 * Null if no rename was accepted: the findings are those of the document.
 */
findings: Array<FindingRow> | null, };

/**
 * What a profile has, so that the page offers only what has an answer.
 */
export type ProfileAbout = { 
/**
 * The profiled command.
 */
command: string | null, 
/**
 * Event types of the file and those that can be derived.
 */
events: Array<EventType>, default_event: string, parts: Array<PartRow>, function_count: number, 
/**
 * Whether the file has calls; without, there are no callers, graphs or flames of more than one level.
 */
has_calls: boolean, 
/**
 * Whether it counts calls.
 */
has_counts: boolean, 
/**
 * Whether inclusive costs exist.
 */
has_inclusive: boolean, has_data: boolean, 
/**
 * The groupings of the function table: "object", "file", "class", "cycle", "thread".
 */
groupings: Array<string>, };

/**
 * An event type and its total.
 */
export type EventType = { name: string, unit: string, title: string | null, formula: string | null, total: string, 
/**
 * In a comparison: the total of the old profile, which differences and old costs are shares of.
 */
old_total: string | null, 
/**
 * In a comparison: whether shares of the two totals are compared, because the costs are of different kinds.
 */
by_share: boolean, 
/**
 * Whether costs add up, so that pictures can show them.
 */
adds_up: boolean, };

/**
 * A dump, thread or snapshot.
 */
export type PartRow = { number: number, name: string, process: number | null, thread: number | null, trigger: string | null, chosen: boolean, samples: number | null, 
/**
 * One for each event type of the file, in their order, without derived ones.
 */
totals: Array<Amount>, };

/**
 * What a trace has.
 */
export type TraceAbout = { 
/**
 * Seconds.
 */
runtime: number, 
/**
 * The resolution of its clock: times are exact to this part of a second.
 */
ticks_per_second: number, locations: Array<string>, 
/**
 * Metrics that the table of call paths can show.
 */
metrics: Array<MetricRow>, };

/**
 * A metric with its total over all call paths.
 */
export type MetricRow = { name: string, title: string, unit: string, 
/**
 * Its depth in the tree of metrics, which comes in preorder.
 */
depth: number, total: Amount, explanation: string, };

/**
 * The body of `POST /api/ask`.
 */
export type Ask = { document: number, 
/**
 * The reading that ids of functions refer to.
 */
revision: number, question: Question, };

/**
 * What every question about a profile has in common.
 */
export type Scope = { 
/**
 * The event type that ranks and is drawn; null for the default.
 */
event: string | null, 
/**
 * Definitions of the user's own event types: "NAME = FORMULA".
 */
define: Array<string>, 
/**
 * Numbers of parts; null for the default ones.
 */
parts: Array<number> | null, 
/**
 * Texts, or regular expressions between slashes; null for none.
 */
focus: string | null, ignore: string | null, hide: string | null, 
/**
 * In a comparison: which profile pictures show.
 */
side: SideChoice | null, 
/**
 * In a comparison: functions of the old profile that have another name in the new one, as the user says.
 */
renames?: Array<FunctionRename>, };

/**
 * A function that has two names.
 */
export type FunctionRename = { 
/**
 * Its whole name in the old profile.
 */
old: string, 
/**
 * Its whole name in the new one.
 */
new: string, };

/**
 * One of two compared profiles, or what changed between them.
 */
export type SideChoice = "old" | "new" | "difference";

/**
 * What a table of functions is sorted by.
 */
export type FunctionSort = "self" | "inclusive" | "calls" | "name" | "old" | "difference" | "ratio";

/**
 * What source lines are sorted by; the greatest first.
 */
export type LineSort = "self" | "inclusive" | "old" | "difference" | "ratio";

/**
 * Where a tree unfolds to.
 */
export type TreeDirection = "callees" | "callers";

/**
 * The functions of one group.
 */
export type GroupFilter = { 
/**
 * "object", "file", "class", "cycle" or "thread".
 */
group: string, name: string, };

/**
 * Runs that the user marked in a plot: all bounds belong to the selection.
 */
export type RunSelection = { 
/**
 * The number of the first run, in the order in which all runs were made, from 1.
 */
first: number, last: number, 
/**
 * The least and the greatest value, in the unit of the metric; null for any.
 */
low: number | null, high: number | null, 
/**
 * The metric in whose plot they were marked; null for the one that is asked for.
 */
metric: string | null, };

/**
 * What statistics are about.
 */
export type StatisticsOf = "regions" | "waits";

/**
 * A question, with the type of its answer.
 */
export type Question = { "ask": "functions", scope: Scope, 
/**
 * Event types of the columns.
 */
events: Array<string>, sort: FunctionSort, ascending: boolean, 
/**
 * In a comparison: whether old costs, differences and ratios are those of inclusive costs.
 */
inclusive?: boolean, 
/**
 * A text, or a regular expression between slashes.
 */
filter: string, 
/**
 * "object", "file", "class", "cycle" or "thread" for a table of groups.
 */
group: string | null, 
/**
 * Only functions of this group.
 */
within: GroupFilter | null, offset: number, limit: number, } | { "ask": "headline", scope: Scope, } | { "ask": "calls", scope: Scope, function: number, events: Array<string>, } | { "ask": "flame", scope: Scope, direction: TreeDirection, root: number | null, } | { "ask": "treemap", scope: Scope, direction: TreeDirection, root: number | null, width: number, height: number, } | { "ask": "graph", scope: Scope, function: number | null, min_share: number, nodes: number, } | { "ask": "source", scope: Scope, function: number, events: Array<string>, instructions: boolean, } | { "ask": "lines", scope: Scope, events: Array<string>, sort: LineSort, 
/**
 * In a comparison: whether old costs, differences and ratios are those of inclusive costs.
 */
inclusive?: boolean, limit: number, } | { "ask": "shown", path: string, } | { "ask": "data", scope: Scope, } | { "ask": "event", scope: Scope, definition: string, } | { "ask": "report", } | { "ask": "runs", metric: string | null, selection: RunSelection | null, } | { "ask": "timeline", from: number | null, to: number | null, columns: number, lanes: number, first_lane: number, merge: boolean, 
/**
 * Whether the rows of the table are wanted, too.
 */
table?: boolean, } | { "ask": "moment", location: number, at: number, } | { "ask": "statistics", from: number | null, to: number | null, of: StatisticsOf, location: number | null, row: string | null, } | { "ask": "next_wait", begin: number, end: number | null, at: number | null, backward: boolean, 
/**
 * Only waits of this location.
 */
location: number | null, 
/**
 * Only waits of this metric.
 */
metric: string | null, 
/**
 * Only waits of at least so many seconds.
 */
least: number, } | { "ask": "call_paths", metric: string, };

/**
 * A function, without costs.
 */
export type FunctionName = { 
/**
 * The number of the function in this revision of the document.
 */
id: number, 
/**
 * Arguments and template parameters in full.
 */
name: string, 
/**
 * Without arguments, and with what distinguishes it from others of the same name.
 */
label: string, object: string | null, file: string | null, line: number | null, class: string | null, cycle: number | null, 
/**
 * What tells it from other functions of the same name: "a.py:2"; null if it is the only one.
 */
place: string | null, 
/**
 * Functions with the same key have the same colour.
 */
colour_key: string, };

/**
 * Some rows of a table of functions or groups.
 */
export type FunctionTable = { events: Array<EventType>, 
/**
 * The number of rows that match, of which `rows` are those from `offset` on.
 */
count: number, 
/**
 * The number of all functions or groups, without the filter.
 */
all: number, rows: Array<FunctionRow>, 
/**
 * What the table leaves out, or how to read it.
 */
remarks: Array<Remark>, };

/**
 * A function or group with its costs.
 */
export type FunctionRow = { 
/**
 * null for a group.
 */
function: FunctionName | null, 
/**
 * The name of the function or group.
 */
name: string, 
/**
 * For groups: how many functions.
 */
size: number | null, calls: Amount | null, 
/**
 * One for each event type of the question.
 */
costs: Array<CostPair>, };

/**
 * In a comparison `self` and `inclusive` are the new costs, with the changes beside them.
 */
export type CostPair = { self: Amount, inclusive: Amount | null, self_change: Change | null, inclusive_change: Change | null, };

/**
 * A cost before and after.
 */
export type Change = { old: Amount, difference: Amount, 
/**
 * "1.3 times", "new", "gone".
 */
ratio: string, ratio_value: number | null, 
/**
 * Whether the change is within the noise of sampling.
 */
noise: boolean, };

/**
 * The callers and callees of a function.
 */
export type CallsAnswer = { function: FunctionRow, callers: Array<CallRow>, callees: Array<CallRow>, remarks: Array<Remark>, };

/**
 * A caller or a callee.
 */
export type CallRow = { function: FunctionName, calls: Amount | null, 
/**
 * Inclusive cost of the calls, one for each event type, with its share of the function's inclusive cost.
 */
costs: Array<Amount>, changes: Array<Change> | null, inside_cycle: boolean, };

/**
 * A table with texts only.
 */
export type DataTable = { title: string, columns: Array<ReportColumn>, rows: Array<Array<string>>, remarks: Array<Remark>, };

/**
 * The costliest source lines.
 */
export type LineTable = { events: Array<EventType>, 
/**
 * The number of all lines.
 */
count: number, rows: Array<LineRow>, 
/**
 * What the table leaves out, or how to read it.
 */
remarks: Array<Remark>, };

/**
 * A source line with its costs.
 */
export type LineRow = { 
/**
 * As the profile names it; empty if it does not.
 */
file: string, line: number, 
/**
 * In a comparison: the file in the old profile; null if only the new one has the line.
 */
old_file: string | null, old_line: number | null, 
/**
 * In a comparison: how the line was found in the other profile.
 */
pairing: "text" | "unchanged" | "number" | "new" | "gone" | null, 
/**
 * The function with the greatest self cost at the line.
 */
function: FunctionName, 
/**
 * How many functions have costs or calls at the line.
 */
functions: number, 
/**
 * One for each event type; `inclusive` is null where it is not known exactly.
 */
costs: Array<CostPair>, };

/**
 * Whether a definition of an event type is right.
 */
export type EventCheck = { event: EventType | null, problem: EventProblem | null, };

/**
 * What is wrong with a definition, and at which characters (UTF-16, as browsers count).
 */
export type EventProblem = { message: string, from: number, to: number, };

/**
 * A flame graph.
 */
export type FlamePicture = { event: EventType, direction: TreeDirection, 
/**
 * Whether costs were divided in proportion, because the file has calls and no stacks.
 */
estimated: boolean, whole: Amount, functions: Array<FunctionName>, frames: Frames, 
/**
 * "312 branches below 0.1 % (2.1 % together) are not shown"; empty if nothing is hidden.
 */
hidden: string, 
/**
 * Why nothing is drawn, where that is known; else empty.
 */
empty: string, remarks: Array<Remark>, };

/**
 * Frames; each comes after its parent.
 */
export type Frames = { 
/**
 * Index into `functions`.
 */
function: Array<number>, 
/**
 * Index of the parent frame; -1 for a root.
 */
parent: Array<number>, depth: Array<number>, 
/**
 * Left side as a share of the whole.
 */
start: Array<number>, 
/**
 * Width as a share of the whole.
 */
share: Array<number>, 
/**
 * Text of the self cost; empty where a frame has none of its own, as above the first level towards callers.
 */
self: Array<string>, 
/**
 * Text of the inclusive cost.
 */
inclusive: Array<string>, 
/**
 * In a difference: what the frame costs more (> 0) or less (< 0), as a share of the old total or, where shares are compared,
 * the growth of its share of the total; else empty.
 */
change: Array<number>, };

/**
 * A treemap.
 */
export type TreemapPicture = { event: EventType, estimated: boolean, whole: Amount, functions: Array<FunctionName>, tiles: Tiles, hidden: string, 
/**
 * Why nothing is drawn, where that is known; else empty.
 */
empty: string, remarks: Array<Remark>, };

/**
 * Tiles; outer ones come before inner ones.
 */
export type Tiles = { 
/**
 * Index into `functions`.
 */
function: Array<number>, 
/**
 * Index of the tile around it; -1 for an outermost one.
 */
parent: Array<number>, x: Array<number>, y: Array<number>, width: Array<number>, height: Array<number>, 
/**
 * Share of the whole.
 */
share: Array<number>, 
/**
 * Text of the self cost.
 */
self: Array<string>, 
/**
 * Text of the inclusive cost.
 */
inclusive: Array<string>, 
/**
 * In a difference: what the tile costs more (> 0) or less (< 0), as a share of the old total or, where shares are compared,
 * the growth of its share of the total; else empty.
 */
change: Array<number>, };

/**
 * A call graph with its positions in pixels.
 */
export type GraphPicture = { event: EventType, width: number, height: number, nodes: Array<GraphNode>, edges: Array<GraphEdge>, hidden: string, 
/**
 * Why nothing is drawn, where that is known; else empty.
 */
empty: string, remarks: Array<Remark>, };

/**
 * A function, or a group of functions.
 */
export type GraphNode = { function: FunctionName | null, label: string, 
/**
 * Lines below the name.
 */
details: Array<string>, is_cycle: boolean, self: Amount, inclusive: Amount, 
/**
 * In a difference: how much more (> 0) or less (< 0) it costs with its callees, as a share of the old total or, where shares
 * are compared, the growth of its share of the total; else null.
 */
change: number | null, 
/**
 * Its left side.
 */
x: number, 
/**
 * Its upper side.
 */
y: number, width: number, height: number, };

/**
 * The calls from one node to another.
 */
export type GraphEdge = { from: number, to: number, share: number, 
/**
 * "12 %", "≤ 12 %" and the number of calls, as two lines.
 */
label: Array<string>, points: Array<[number, number]>, label_at: [number, number], course: "down" | "up" | "loop", };

/**
 * The inside of a function.
 */
export type SourceAnswer = { function: FunctionRow, events: Array<EventType>, files: Array<SourceFile>, 
/**
 * null if unknown; `no_code` says why.
 */
code: Code | null, no_code: string, remarks: Array<Remark>, };

/**
 * A source file that code of the function comes from.
 */
export type SourceFile = { 
/**
 * As the profile names it.
 */
path: string | null, 
/**
 * Where the text was found; null if it was not.
 */
found: string | null, 
/**
 * In a comparison: as the old profile names it; null if only the new one has it.
 */
old_path: string | null, 
/**
 * In a comparison: where the text of the old profile was found.
 */
old_found: string | null, lines: Array<SourceLine>, };

/**
 * A line with its costs.
 */
export type SourceLine = { 
/**
 * null for costs whose line is unknown, and in a comparison for a line that only the old source has.
 */
line: number | null, 
/**
 * In a comparison: the number of the line in the old source; null if only the new one has it.
 */
old_line: number | null, 
/**
 * In a comparison: whether both sources have the line. Else "".
 */
status: "" | "both" | "added" | "removed", text: string | null, 
/**
 * Tokens of the text: start, end (in UTF-16 units), kind: keyword, string, comment, number.
 */
tokens: Array<[number, number, string]>, self: Array<Amount>, inclusive: Array<Amount>, 
/**
 * In a comparison, of the self costs: one for each event type.
 */
changes: Array<Change> | null, calls: Array<CallSite>, };

/**
 * Calls of one function from one place.
 */
export type CallSite = { function: FunctionName, calls: Amount | null, costs: Array<Amount> | null, 
/**
 * In a comparison, of the costs: one for each event type.
 */
changes: Array<Change> | null, inlined: boolean, };

/**
 * Machine code.
 */
export type Code = { binary: string, instructions: Array<Instruction>, 
/**
 * Jumps between instructions, with the lane to draw the arrow in; lane 0 is nearest to the text.
 */
jumps: Array<CodeJump>, };

/**
 * An arrow from one instruction to another, by index.
 */
export type CodeJump = { from: number, to: number, lane: number, 
/**
 * How often it was taken; empty if that is unknown.
 */
text: string, };

/**
 * An instruction.
 */
export type Instruction = { address: string, bytes: string, text: string, file: string | null, line: number | null, self: Array<Amount>, calls: Array<CallSite>, };

/**
 * A document as the reports have it.
 */
export type Report = { blocks: Array<ReportBlock>, };

/**
 * A block of a report.
 */
export type ReportBlock = { "block": "heading", level: number, text: string, } | { "block": "paragraph", text: Array<ReportInline>, } | { "block": "list", items: Array<Array<ReportInline>>, } | { "block": "definitions", items: Array<ReportDefinition>, } | { "block": "code", text: string, } | { "block": "table", caption: string, columns: Array<ReportColumn>, rows: Array<Array<ReportCell>>, } | { "block": "figure", title: string, caption: string, alt: string, svg: string, tables: Array<ReportBlock>, };

/**
 * A term and its meaning.
 */
export type ReportDefinition = { term: string, text: Array<ReportInline>, };

/**
 * A piece of running text.
 */
export type ReportInline = { text: string, 
/**
 * "text", "code", "good", "bad", "dim" or "strong".
 */
role: string, };

/**
 * A column of a table.
 */
export type ReportColumn = { title: string, align: "left" | "right" | "centre", };

/**
 * A cell of a table.
 */
export type ReportCell = { text: string, 
/**
 * "text", "good", "bad", "dim" or "strong".
 */
role: string, value: number | null, };

/**
 * The runs of a measurement, and statistics of all of them and of the selected ones.
 */
export type RunsAnswer = { 
/**
 * The metric of the values.
 */
metric: string, metrics: Array<string>, 
/**
 * The metric, with its unit in brackets.
 */
axis: string, ticks: Array<RunTick>, programs: Array<string>, 
/**
 * In the order in which they were made.
 */
runs: Array<RunRow>, all: RunTable, 
/**
 * null without a selection.
 */
selected: RunTable | null, remarks: Array<Remark>, };

/**
 * A mark of the axis of values.
 */
export type RunTick = { value: number, text: string, };

/**
 * One run.
 */
export type RunRow = { 
/**
 * From 1, in the order in which all runs were made.
 */
number: number, 
/**
 * The index of its program.
 */
program: number, 
/**
 * From 1.
 */
round: number, 
/**
 * Its place in the round, from 1.
 */
place: number, 
/**
 * null for a run without a value: it failed, or the system gave none.
 */
value: number | null, 
/**
 * The value with its unit, or why there is none.
 */
text: string, 
/**
 * Whether it had to share its CPU.
 */
contended: boolean, selected: boolean, };

/**
 * Statistics, one row for each program.
 */
export type RunTable = { 
/**
 * Says whether it is about all runs or a selection.
 */
caption: string, columns: Array<ReportColumn>, rows: Array<Array<ReportCell>>, };

/**
 * Locations by time, reduced to `columns` columns.
 */
export type Timeline = { 
/**
 * Seconds from the start of the run.
 */
begin: number, end: number, 
/**
 * The whole run in seconds.
 */
runtime: number, columns: number, 
/**
 * The number of all lanes. Messages and the critical path number lanes from the first of all.
 */
lane_count: number, 
/**
 * The number of the first lane in `lanes`.
 */
first_lane: number, regions: Array<TimelineRegion>, lanes: Array<TimelineLane>, messages: Array<TimelineMessage>, message_count: number, hidden: string, 
/**
 * Pieces of the critical path, in columns.
 */
critical_path: Array<TimelinePiece>, 
/**
 * Null unless the question asks for it.
 */
table: TimelineTable | null, };

/**
 * What the lines, the path and the hatching of a time-line stand for.
 */
export type TimelineTable = { 
/**
 * Those of the drawn messages that took longest.
 */
messages: Array<MessageRow>, 
/**
 * "the 500 that took longest of 20000 messages, …"
 */
messages_listed: string, 
/**
 * In the order of time.
 */
path: Array<PathRow>, path_listed: string, 
/**
 * In the order of time.
 */
waits: Array<WaitRow>, waits_listed: string, };

/**
 * A message, or several that are drawn as one line: then times are those of the first.
 */
export type MessageRow = { count: number, sender: string, receiver: string, sent: ExactTime, received: ExactTime, 
/**
 * "sender" or "receiver" if the other end waited for it; "" if neither is known to.
 */
late: string, 
/**
 * How long the other end waited.
 */
waited: ExactTime | null, 
/**
 * The mark of that time.
 */
mark: string, };

/**
 * Time of the critical path in a region, without the calls inside it.
 */
export type PathRow = { location: string, region: string, begin: ExactTime, duration: ExactTime, };

/**
 * A region that is drawn.
 */
export type TimelineRegion = { name: string, class: string, 
/**
 * Its place by time among the regions of the whole run, from 0: its colour in all windows. Equal names have the same.
 */
rank: number, };

/**
 * A location, or several if there is no room for all.
 */
export type TimelineLane = { name: string, 
/**
 * Their numbers.
 */
locations: Array<number>, 
/**
 * Columns `from` to `to` (exclusive) show the region that takes most of their time: one call, or several one after the other.
 */
from: Array<number>, to: Array<number>, region: Array<number>, 
/**
 * Waits, hatched: pairs of columns.
 */
waits: Array<[number, number]>, };

/**
 * Messages between two lanes, in seconds.
 */
export type TimelineMessage = { from_lane: number, to_lane: number, sent: number, received: number, count: number, };

/**
 * A piece of the critical path.
 */
export type TimelinePiece = { lane: number, from: number, to: number, };

/**
 * A span of a location that is outlined on the time-line, in seconds.
 */
export type TimelineBar = { location: number, 
/**
 * The number of its lane where lanes are not merged.
 */
lane: number, begin: number, end: number, };

/**
 * Severities of a metric by call path.
 */
export type CallPathTable = { metric: MetricRow, 
/**
 * Preorder; `depth` gives the tree.
 */
rows: Array<CallPathRow>, };

/**
 * A call path.
 */
export type CallPathRow = { name: string, depth: number, exclusive: Amount, inclusive: Amount, 
/**
 * Where on the time-line it is worst, in seconds; null if unknown.
 */
window: [number, number] | null, 
/**
 * The longest wait there.
 */
bar: TimelineBar | null, };

/**
 * A time with all digits of the trace's clock.
 */
export type ExactTime = { seconds: number, 
/**
 * "0.123456789 s"
 */
text: string, };

/**
 * What a location does at a time.
 */
export type MomentAnswer = { location: number, name: string, at: ExactTime, 
/**
 * The open calls, the outermost first; empty outside all regions.
 */
stack: Array<OpenCallRow>, 
/**
 * The events around it in the order of time: enter, leave, send, receive.
 */
events: Array<MomentEvent>, 
/**
 * What it waits for at this time, the longest wait first.
 */
waits: Array<WaitRow>, };

/**
 * A call that is open at a time.
 */
export type OpenCallRow = { name: string, class: string, entered: ExactTime, 
/**
 * Null if the records of the location end before.
 */
left: ExactTime | null, 
/**
 * Null if it is not left.
 */
duration: ExactTime | null, };

/**
 * An event near a time.
 */
export type MomentEvent = { 
/**
 * "enter", "leave", "send" or "receive".
 */
kind: string, at: ExactTime, 
/**
 * The region, or the location of the other end.
 */
what: string, 
/**
 * Of messages: the time of the other end; null for others, and if it is not recorded.
 */
partner_at: ExactTime | null, 
/**
 * Of messages: from the send to the receive; null if it is not known.
 */
duration: ExactTime | null, 
/**
 * Of messages: bytes.
 */
bytes: number | null, };

/**
 * A wait.
 */
export type WaitRow = { bar: TimelineBar, 
/**
 * The location that waits.
 */
name: string, 
/**
 * The kind of waiting: its name and its title.
 */
metric: string, title: string, 
/**
 * The call path that waits.
 */
path: string, begin: ExactTime, end: ExactTime, duration: ExactTime, 
/**
 * "" exact, "≤" upper bound, "≥" lower bound.
 */
mark: string, 
/**
 * The location that was waited for; null if it is not known.
 */
cause: string | null, };

/**
 * The wait that comes next.
 */
export type NextWaitAnswer = { 
/**
 * Null if there is none in this direction.
 */
wait: WaitRow | null, 
/**
 * The part of the run to show.
 */
window: [number, number] | null, 
/**
 * Its number among all in the order of time, from 1.
 */
number: number, count: number, };

/**
 * How time is spent in a window.
 */
export type StatisticsTable = { begin: ExactTime, end: ExactTime, 
/**
 * The time between the first and the last event of each location, in the window: what shares refer to.
 */
whole: Amount, 
/**
 * The row with the most time first.
 */
rows: Array<StatisticsRow>, 
/**
 * What is not in the rows, and why; empty for nothing.
 */
hidden: string, };

/**
 * A region, a kind of waiting, or a location.
 */
export type StatisticsRow = { 
/**
 * What identifies it in questions.
 */
id: string, name: string, 
/**
 * The class of a region, or what a kind of waiting is part of.
 */
class: string, time: Amount, 
/**
 * How many locations have time in it; null in a table of locations.
 */
locations: number | null, 
/**
 * The location with the most time, and that time; null in a table of locations.
 */
most: [string, Amount] | null, };
