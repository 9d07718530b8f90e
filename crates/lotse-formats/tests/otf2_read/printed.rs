//! Parses the output of `otf2-print`, and formats what was read in the same way.

use std::path::Path;
use std::process::Command;

use lotse_formats::trace::TraceInput;
use lotse_model::id::{CommunicatorId, RegionId};
use lotse_model::trace::{Event, EventKind, LocationKind, RegionRole, Ticks};

/// An event as otf2-print prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrintedEvent {
    pub(crate) event: String,
    pub(crate) location: u64,
    pub(crate) at: Ticks,
    /// The fields that are compared, as `Name: value`; references as quoted names.
    pub(crate) fields: Vec<String>,
}

/// Runs otf2-print; `None` if it is not installed or refuses the archive.
pub(crate) fn otf2_print(options: &[&str], anchor: &Path) -> Option<String> {
    let answer = match Command::new("otf2-print").args(options).arg(anchor).output() {
        Ok(answer) => answer,
        Err(error) => {
            test_support::skip_here(format!("otf2-print does not run: {error}"));
            return None;
        }
    };
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let refused = !answer.status.success() || text.contains("==ERROR==");
    if refused {
        println!("otf2-print refuses {}", anchor.display());
    }
    (!refused).then_some(text)
}

/// The events in the output of otf2-print.
pub(crate) fn lines(printed: &str) -> Vec<PrintedEvent> {
    printed.lines().filter_map(line).collect()
}

const COMPARED: [&str; 12] = [
    "Region",
    "Receiver",
    "Sender",
    "Communicator",
    "Tag",
    "Length",
    "Request",
    "Operation",
    "Root",
    "Sent",
    "Received",
    "Thread Team",
];

fn line(text: &str) -> Option<PrintedEvent> {
    let event = text.split(' ').next().filter(|it| !it.is_empty())?;
    let mut rest = text[event.len()..].trim_start().splitn(2, ' ');
    let location = rest.next()?.parse().ok()?;
    let mut rest = rest.next()?.trim_start().splitn(2, ' ');
    let at = rest.next()?.parse().ok()?;
    let fields = fields(rest.next().unwrap_or("").trim_start());
    Some(PrintedEvent { event: event.to_owned(), location, at, fields })
}

/// Splits at commas outside quotes, selects the fields that are compared, and removes what otf2-print adds to values.
fn fields(text: &str) -> Vec<String> {
    let mut quoted = false;
    let parts = text.split(|it: char| {
        quoted ^= it == '"';
        it == ',' && !quoted
    });
    let compared = |part: &str| {
        let (name, value) = part.trim().split_once(": ")?;
        COMPARED.contains(&name).then(|| format!("{name}: {}", plain(value)))
    };
    parts.filter_map(compared).collect()
}

/// `2 ("Rank 5" <5>)` is 2, `"odd" <2>` is "odd".
fn plain(value: &str) -> String {
    let cut = if value.starts_with('"') { value.rfind(" <") } else { value.find(' ') };
    value[..cut.unwrap_or(value.len())].to_owned()
}

/// An event as otf2-print would print it.
pub(crate) fn as_line(
    input: &TraceInput<'_>,
    location: u64,
    row: &(Ticks, EventKind, Event),
) -> PrintedEvent {
    let (at, kind, event) = *row;
    PrintedEvent {
        event: upper_snake_case(kind.name()),
        location,
        at,
        fields: compared_fields(input, kind, event),
    }
}

/// `MpiSend` is MPI_SEND.
fn upper_snake_case(name: &str) -> String {
    let mut upper_snake_case = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            upper_snake_case.push('_');
        }
        upper_snake_case.push(letter.to_ascii_uppercase());
    }
    match upper_snake_case.as_str() {
        "PARAMETER_UNSIGNED_INT" => "PARAMETER_UINT64".to_owned(),
        "PARAMETER_INT" => "PARAMETER_INT64".to_owned(),
        _ => upper_snake_case,
    }
}

fn compared_fields(input: &TraceInput<'_>, kind: EventKind, event: Event) -> Vec<String> {
    let region = |it: RegionId| format!("Region: \"{}\"", input.definitions.regions[it.index()].name);
    let named = |it: CommunicatorId| format!("\"{}\"", input.definitions.communicators[it.index()].name);
    let message = |peer: String, communicator: CommunicatorId, tag: u32, length: u64| {
        let communicator = format!("Communicator: {}", named(communicator));
        vec![peer, communicator, format!("Tag: {tag}"), format!("Length: {length}")]
    };
    let request = |it: u64| format!("Request: {it}");
    match event {
        Event::Enter { region: it } | Event::Leave { region: it } => vec![region(it)],
        Event::MpiSend { receiver, communicator, tag, length } => {
            message(format!("Receiver: {receiver}"), communicator, tag, length)
        }
        Event::MpiRecv { sender, communicator, tag, length } => {
            message(format!("Sender: {sender}"), communicator, tag, length)
        }
        Event::MpiIsend { receiver, communicator, tag, length, request: it } => {
            let mut fields = message(format!("Receiver: {receiver}"), communicator, tag, length);
            fields.push(request(it));
            fields
        }
        Event::MpiIrecv { sender, communicator, tag, length, request: it } => {
            let mut fields = message(format!("Sender: {sender}"), communicator, tag, length);
            fields.push(request(it));
            fields
        }
        Event::MpiIsendComplete { request: it } | Event::MpiIrecvRequest { request: it } => vec![request(it)],
        Event::CollectiveEnd { op, communicator, root, sent, received }
            if kind == EventKind::MpiCollectiveEnd =>
        {
            vec![
                format!("Operation: {}", upper_snake_case(&format!("{op:?}"))),
                format!("Communicator: {}", named(communicator)),
                format!("Root: {}", root.map_or("NONE".to_owned(), |it| it.to_string())),
                format!("Sent: {sent}"),
                format!("Received: {received}"),
            ]
        }
        Event::TeamBegin { team } | Event::TeamEnd { team } => vec![format!("Thread Team: {}", named(team))],
        _ => Vec::new(),
    }
}

/// The definitions that the model can hold, one line each, in the order of the file.
pub(crate) fn definition_lines(printed: &str) -> Vec<String> {
    printed.lines().filter_map(definition_line).collect()
}

/// The kind of a definition, and the names and numbers that are compared.
fn definition_line(text: &str) -> Option<String> {
    let kind = text.split(' ').next()?;
    let part = |name: &str| {
        let value = text.split_once(&format!("{name}: "))?.1;
        let quoted = value.strip_prefix('"').map(|it| it.split_once("\" <").map_or(it, |it| it.0));
        let plain = value.split(',').next().unwrap_or(value);
        // Numbers of later versions are not known to otf2-print either.
        let plain = if plain.starts_with("INVALID") { "UNKNOWN" } else { plain };
        Some(quoted.unwrap_or(plain).to_owned())
    };
    let parts: &[&str] = match kind {
        "CLOCK_PROPERTIES" => &["Ticks per Seconds", "Global Offset", "Length"],
        "SYSTEM_TREE_NODE" => &["Name", "Class"],
        "LOCATION_GROUP" => &["Name", "Type"],
        "LOCATION" => &["Name", "Type", "# Events", "Group"],
        "REGION" => &["Name", "Role", "File", "Begin", "End"],
        "COMM" => &["Name"],
        "RMA_WIN" => &["Name", "Communicator"],
        _ => return None,
    };
    let parts: Vec<String> = parts.iter().map(|name| part(name).unwrap_or_else(|| "?".to_owned())).collect();
    Some(format!("{kind} {}", parts.join(" | ")))
}

/// The definitions that were read, in the same form, table by table.
pub(crate) fn definitions_as_lines(input: &TraceInput<'_>) -> Vec<String> {
    let all = &input.definitions;
    let mut lines = vec![format!(
        "CLOCK_PROPERTIES {} | {} | {}",
        all.clock.resolution, all.clock.offset, all.clock.length
    )];
    lines.extend(all.machines.iter().map(|it| format!("SYSTEM_TREE_NODE {} | {}", it.name, it.class)));
    lines.extend(all.processes.iter().map(|it| {
        let kind = if it.kind.is_accelerator() { "ACCELERATOR" } else { "PROCESS" };
        format!("LOCATION_GROUP {} | {kind}", it.name)
    }));
    lines.extend(all.locations.iter().zip(&input.streams).map(|(it, stream)| {
        let kind = match it.kind {
            LocationKind::Cpu => "CPU_THREAD",
            LocationKind::Accelerator => "ACCELERATOR_STREAM",
            LocationKind::Metric | LocationKind::Annotation => "METRIC",
            LocationKind::Unknown => "UNKNOWN",
        };
        let process = &all.processes[it.process.index()].name;
        let name = if it.name.starts_with("(location ") { "" } else { &it.name };
        format!("LOCATION {name} | {kind} | {} | {process}", stream.stated_events().unwrap())
    }));
    lines.extend(all.regions[1..].iter().map(|it| {
        let file = if it.file.is_empty() { "UNDEFINED" } else { &it.file };
        format!("REGION {} | {} | {file} | {} | {}", it.name, role(it.role), it.begin_line, it.end_line)
    }));
    lines.extend(all.communicators[1..].iter().map(|it| format!("COMM {}", it.name)));
    lines.extend(
        all.windows[1..]
            .iter()
            .map(|it| format!("RMA_WIN {} | {}", it.name, all.communicators[it.communicator.index()].name)),
    );
    lines
}

fn role(role: RegionRole) -> String {
    match role {
        RegionRole::PointToPoint => "POINT2POINT".to_owned(),
        RegionRole::CollOneToAll => "COLL_ONE2ALL".to_owned(),
        RegionRole::CollAllToOne => "COLL_ALL2ONE".to_owned(),
        RegionRole::CollAllToAll => "COLL_ALL2ALL".to_owned(),
        other => upper_snake_case(&format!("{other:?}")),
    }
}
