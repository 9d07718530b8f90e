//! Parses files with names: of types, values and states in a `.pcf`, of tasks, threads and nodes in a `.row`.
//!
//! Both consist of sections of lines, separated by empty lines. What they do not name gets the name that Extrae uses.

use hashbrown::HashMap;

/// Names of types, values and states.
#[derive(Debug, Default)]
pub(super) struct ParaverLabels {
    types: HashMap<u64, String>,
    values: HashMap<(u64, i64), String>,
    states: HashMap<u64, String>,
}

impl ParaverLabels {
    /// Parses a `.pcf` file. A section `VALUES` belongs to all types of the `EVENT_TYPE` section before it.
    pub(super) fn parse(text: &str) -> Self {
        let mut labels = Self::default();
        let mut section = "";
        let mut types: Vec<u64> = Vec::new();
        for line in text.lines().map(str::trim) {
            match (section, line) {
                (_, "STATES" | "EVENT_TYPE" | "VALUES") => {
                    section = line;
                    if line == "EVENT_TYPE" {
                        types.clear();
                    }
                }
                (_, "") => section = "",
                ("STATES", _) => labels.state(line),
                ("EVENT_TYPE", _) => types.extend(labels.event_type(line)),
                ("VALUES", _) => labels.value(&types, line),
                _ => {}
            }
        }
        labels
    }

    fn state(&mut self, line: &str) {
        self.states.extend(numbered(line).map(|(number, name)| (number, name.to_owned())));
    }

    /// Adds a type from a line such as `9    50000001    MPI Point-to-point`: a colour, the type, its name.
    fn event_type(&mut self, line: &str) -> Option<u64> {
        let (_, rest) = numbered::<u64>(line)?;
        let (number, name) = numbered(rest)?;
        self.types.insert(number, name.to_owned());
        Some(number)
    }

    fn value(&mut self, types: &[u64], line: &str) {
        let Some((value, name)) = numbered::<i64>(line) else { return };
        self.values.extend(types.iter().map(|kind| ((*kind, value), name.to_owned())));
    }

    /// The name of a value of a type.
    pub(super) fn name(&self, kind: u64, value: i64) -> String {
        if let Some(name) = self.values.get(&(kind, value)) {
            return name.clone();
        }
        let known =
            super::calls::is_mpi(kind).then(|| MPI.iter().find(|(number, _)| *number == value)).flatten();
        match (known, self.types.get(&kind)) {
            (Some((_, name)), _) => format!("MPI_{name}"),
            (None, Some(kind)) => format!("{kind} {value}"),
            (None, None) => format!("event {kind} {value}"),
        }
    }

    /// The name of a state.
    pub(super) fn state_name(&self, state: u64) -> String {
        let known = || usize::try_from(state).ok().and_then(|state| STATES.get(state).copied());
        match self.states.get(&state) {
            Some(name) => name.clone(),
            None => known().map_or_else(|| format!("state {state}"), str::to_owned),
        }
    }
}

/// The number at the beginning of a line, and the rest of the line.
fn numbered<T: std::str::FromStr>(line: &str) -> Option<(T, &str)> {
    let (number, rest) = line.split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, rest.trim()))
}

/// Extrae's names of states.
const STATES: &[&str] = &[
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking Send",
    "Synchronization",
    "Test/Probe",
    "Scheduling and Fork/Join",
    "Wait/WaitAll",
    "Blocked",
    "Immediate Send",
    "Immediate Receive",
    "I/O",
    "Group Communication",
    "Tracing Disabled",
    "Others",
    "Send Receive",
    "Memory transfer",
];

/// Extrae's values of the most important MPI functions.
const MPI: &[(i64, &str)] = &[
    (1, "Send"),
    (2, "Recv"),
    (3, "Isend"),
    (4, "Irecv"),
    (5, "Wait"),
    (6, "Waitall"),
    (7, "Bcast"),
    (8, "Barrier"),
    (9, "Reduce"),
    (10, "Allreduce"),
    (11, "Alltoall"),
    (12, "Alltoallv"),
    (13, "Gather"),
    (14, "Gatherv"),
    (15, "Scatter"),
    (16, "Scatterv"),
    (17, "Allgather"),
    (18, "Allgatherv"),
    (19, "Comm_rank"),
    (20, "Comm_size"),
    (21, "Comm_create"),
    (22, "Comm_dup"),
    (23, "Comm_split"),
    (25, "Comm_free"),
    (30, "Scan"),
    (31, "Init"),
    (32, "Finalize"),
    (33, "Bsend"),
    (34, "Ssend"),
    (35, "Rsend"),
    (36, "Ibsend"),
    (37, "Issend"),
    (38, "Irsend"),
    (39, "Test"),
    (40, "Cancel"),
    (41, "Sendrecv"),
    (42, "Sendrecv_replace"),
    (59, "Waitany"),
    (60, "Waitsome"),
    (61, "Probe"),
    (62, "Iprobe"),
    (63, "Win_create"),
    (64, "Win_free"),
    (65, "Put"),
    (66, "Get"),
    (67, "Accumulate"),
    (68, "Win_fence"),
    (69, "Win_start"),
    (70, "Win_complete"),
    (71, "Win_post"),
    (72, "Win_wait"),
    (80, "Reduce_scatter"),
    (168, "Reduce_scatter_block"),
    (170, "Alltoallw"),
];

/// Names of tasks, threads and nodes, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct RowNames {
    levels: HashMap<String, Vec<String>>,
}

impl RowNames {
    /// Parses a `.row` file, whose sections begin with a line such as `LEVEL THREAD SIZE 4`.
    pub(super) fn parse(text: &str) -> Self {
        let mut rows = Self::default();
        let mut level = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("LEVEL ") {
                rest.split_whitespace().next().unwrap_or("").clone_into(&mut level);
            } else if !line.is_empty() {
                rows.levels.entry_ref(level.as_str()).or_default().push(line.to_owned());
            }
        }
        rows
    }

    /// The name of an element of a level, such as `NODE`.
    pub(super) fn name(&self, level: &str, row: usize) -> Option<&str> {
        self.levels.get(level)?.get(row).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{ParaverLabels, RowNames};

    const PCF: &str = "DEFAULT_OPTIONS\n\nLEVEL THREAD\n\nSTATES\n0    Idle\n1    At work\n\n\
        EVENT_TYPE\n9    50000001    MPI Point-to-point\n9    50000099    MPI Other\nVALUES\n1   MPI_Send\n0   End\n\n\
        EVENT_TYPE\n6   60000019   User function\nVALUES\n1   solve [a.c]\n";

    #[test]
    fn values_belong_to_all_types_of_their_section() {
        let labels = ParaverLabels::parse(PCF);
        assert_eq!(labels.name(50000001, 1), "MPI_Send");
        assert_eq!(labels.name(50000099, 1), "MPI_Send");
        assert_eq!(labels.name(60000019, 1), "solve [a.c]");
        assert_eq!(labels.name(60000019, 2), "User function 2");
        assert_eq!(
            (labels.state_name(1), labels.state_name(3)),
            ("At work".into(), "Waiting a message".into())
        );
        assert_eq!(labels.state_name(99), "state 99");
    }

    #[test]
    fn extraes_names_serve_where_there_is_no_file() {
        let labels = ParaverLabels::default();
        assert_eq!(labels.name(50000002, 10), "MPI_Allreduce");
        assert_eq!(
            (labels.name(60000019, 4), labels.name(50000003, 999)),
            ("event 60000019 4".into(), "event 50000003 999".into())
        );
    }

    #[test]
    fn rows_are_named_by_level() {
        let rows = RowNames::parse(
            "LEVEL NODE SIZE 1\nhost\n\nLEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D1.S1-host\n",
        );
        assert_eq!((rows.name("NODE", 0), rows.name("THREAD", 1)), (Some("host"), Some("CUDA-D1.S1-host")));
        assert_eq!((rows.name("TASK", 0), rows.name("THREAD", 2)), (None, None));
    }
}
