//! `lotse doctor`: what this machine offers for measuring, what is missing, and what to do about it.

use lotse_host::quiet::{ActionProbe, left_changed, probes};
use lotse_host::{
    Capability, CapabilityState, Launcher, LauncherOptions, TOOLS, Tool, ToolState, capabilities,
    fingerprint, tool_state,
};
use lotse_report::{Block, Cell, Column, Document, Role, Table};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

#[derive(Serialize)]
struct ToolStatus {
    #[serde(flatten)]
    tool: &'static Tool,
    #[serde(flatten)]
    state: ToolState,
}

/// Examines the machine, its tools and the actions of `--separate`, and prints a table of each.
pub(crate) fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    let machine = fingerprint(env!("CARGO_PKG_VERSION"));
    let mut capabilities = capabilities();
    capabilities.extend(lotse_host::spy::capabilities());
    let tools = tools()?;
    let actions = probes();
    let killed = left_changed().map_err(|error| Failure::new(Exit::Missing, &error))?;
    if args.json {
        let answer = serde_json::json!({
            "schema": "lotse.doctor/1", "machine": machine, "capabilities": capabilities, "tools": tools,
            "separation": actions, "left_changed": killed,
        });
        return screen::json(&answer);
    }
    let mut document = Document::new();
    document.paragraph(machine.summary());
    document.push(Block::Table(capability_table(&capabilities)));
    document.push(Block::Table(tool_table(&tools)));
    document.push(Block::Table(action_table(&actions)));
    for process in killed {
        document.paragraph(format!(
            "The measurement of process {process} was killed and has left the machine changed: `lotse bench restore` puts \
             everything back."
        ));
    }
    document.paragraph("Everything marked 'missing' only takes away what stands beside it; the rest works.");
    screen::document(&document)
}

fn tools() -> Result<Vec<ToolStatus>, Failure> {
    let environment = |error: lotse_host::LaunchError| Failure::new(Exit::Missing, &error);
    let mut launcher = Launcher::start(&LauncherOptions::default()).map_err(environment)?;
    let mut examined = Vec::new();
    for tool in TOOLS {
        examined.push(ToolStatus { tool, state: tool_state(tool, &mut launcher).map_err(environment)? });
    }
    Ok(examined)
}

/// A row for each capability: its state, what was found, what follows from it, and how to get it if it is missing.
fn capability_table(capabilities: &[Capability]) -> Table {
    let columns = ["this machine", "", "what was found", "what follows, what to do"].map(Column::left);
    let mut table = Table::new("", columns.into());
    for capability in capabilities {
        let (word, role) = match capability.state {
            CapabilityState::Available => ("available", Role::Good),
            CapabilityState::Missing => ("missing", Role::Bad),
            CapabilityState::Unknown => ("unknown", Role::Dim),
        };
        let remedy = capability.remedy.map_or(String::new(), |remedy| format!("; {remedy}"));
        let follows = match capability.state {
            CapabilityState::Available => Cell::text(capability.consequence).role(Role::Dim),
            _ => Cell::text(format!("{}{remedy}", capability.consequence)),
        };
        table.rows.push(vec![
            Cell::text(capability.name),
            Cell::text(word).role(role),
            Cell::text(&capability.detail),
            follows,
        ]);
    }
    table
}

/// A row for each tool: whether it works, its version, and what Lotse uses it for.
fn tool_table(tools: &[ToolStatus]) -> Table {
    let columns = ["tool", "", "version", "what it gives"].map(Column::left);
    let mut table = Table::new("", columns.into());
    for ToolStatus { tool, state } in tools {
        let (word, role, version) = match state {
            ToolState::Found { version, .. } => {
                ("found", Role::Good, version.clone().unwrap_or_else(|| "unknown".into()))
            }
            ToolState::Broken { problem, .. } => ("broken", Role::Bad, problem.clone()),
            ToolState::Missing => ("missing", Role::Dim, "–".to_owned()),
        };
        let gives = match state {
            ToolState::Missing => format!("{} ({})", tool.gives, tool.install),
            _ => tool.gives.to_owned(),
        };
        table.rows.push(vec![
            Cell::text(tool.name),
            Cell::text(word).role(role),
            Cell::text(version),
            Cell::text(gives),
        ]);
    }
    table
}

/// What `--separate` could do here; finding out changes nothing.
fn action_table(actions: &[ActionProbe]) -> Table {
    let columns = ["lotse bench --separate", "", "what it would do, or why not", "what it is good for"];
    let mut table = Table::new("", columns.map(Column::left).into());
    for action in actions {
        let (word, role) = if action.works { ("works", Role::Good) } else { ("not here", Role::Dim) };
        let value =
            action.argument.map_or(String::new(), |argument| format!("; {}=: {argument}", action.name));
        table.rows.push(vec![
            Cell::text(action.name),
            Cell::text(word).role(role),
            Cell::text(&action.detail),
            Cell::text(format!("{}{value}", action.explanation)).role(Role::Dim),
        ]);
    }
    table
}
