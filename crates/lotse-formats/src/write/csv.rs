//! Comma-separated values: a row for the self cost of each function in each part, and a row for each caller and callee.

use std::fmt::Write as _;
use std::io;

use lotse_model::Profile;
use lotse_model::bytes::Sink;
use lotse_model::id::FunctionId;
use lotse_model::profile::{EventType, Part};

use super::{Naming, Needs, Writer};
use crate::reading::Diagnostic;

pub(crate) const WRITER: Writer = Writer {
    id: "csv",
    title: "comma-separated values of functions and calls",
    extension: "csv",
    needs: Needs::Totals,
    names: Naming::AsRead,
    write,
};

fn write(profile: &Profile, sink: &mut dyn Sink) -> io::Result<Vec<Diagnostic>> {
    let mut text = String::from("record,part,function,object,file,callee,callee_object,callee_file,count");
    profile.events.iter().for_each(|event| field(&mut text, &title(event)));
    text.push('\n');
    for part in &profile.parts {
        own(profile, part, &mut text);
        calls(profile, part, &mut text);
    }
    sink.put(text.as_bytes())?;
    Ok(Vec::new())
}

/// The name of an event type, with its unit unless it is a count.
fn title(event: &EventType) -> String {
    match event.unit_label().as_str() {
        "" | "count" => event.name.clone(),
        unit => format!("{} [{unit}]", event.name),
    }
}

fn own(profile: &Profile, part: &Part, text: &mut String) {
    for (row, &id) in part.own.function.iter().enumerate() {
        text.push_str("function");
        field(text, &part.name);
        function(profile, id, text);
        text.push_str(",,,,");
        costs(profile, part.own.costs.row(row), text);
    }
}

fn calls(profile: &Profile, part: &Part, text: &mut String) {
    let calls = &part.calls;
    for row in 0..calls.len() {
        text.push_str("call");
        field(text, &part.name);
        function(profile, calls.caller[row], text);
        function(profile, calls.callee[row], text);
        number(text, i128::from(calls.count[row]));
        costs(profile, if calls.has_costs() { calls.costs.row(row) } else { &[] }, text);
    }
}

fn function(profile: &Profile, id: FunctionId, text: &mut String) {
    field(text, profile.function_name(id));
    field(text, profile.function_object(id).unwrap_or(""));
    field(text, profile.function_file(id).unwrap_or(""));
}

fn costs(profile: &Profile, row: &[u64], text: &mut String) {
    row.iter().for_each(|&cost| number(text, profile.value(cost)));
    text.push('\n');
}

fn number(text: &mut String, number: i128) {
    // Writing to a string cannot fail.
    if write!(text, ",{number}").is_err() {}
}

/// Appends a comma and a field, quoted if necessary.
pub(crate) fn field(text: &mut String, field: &str) {
    text.push(',');
    if field.contains([',', '"', '\n', '\r']) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use lotse_model::profile::{Builder, EventType, Part};

    use super::WRITER;

    #[test]
    fn functions_and_calls_are_rows() {
        let mut builder = Builder::new();
        builder.profile.events = vec![EventType::count("Ir"), EventType::count("a,b")];
        let file = builder.file("a.c");
        let object = builder.object("prog");
        let functions = ["main", "f(int, char)", "\"q\""].map(|name| builder.function(name, object, file));
        let mut part = Part::new("1", 2, false);
        part.own.function = functions[..2].to_vec();
        part.own.costs.push(&[u64::MAX, 1]);
        part.own.costs.push(&[2]);
        part.calls.caller.push(functions[0]);
        part.calls.callee.push(functions[2]);
        part.calls.count.push(7);
        part.calls.costs.push(&[5, 6]);
        builder.profile.parts.push(part);
        let mut bytes = Vec::new();
        (WRITER.write)(&builder.finish(), &mut bytes).unwrap();
        expect![[r#"
            record,part,function,object,file,callee,callee_object,callee_file,count,Ir,"a,b"
            function,1,main,prog,a.c,,,,,18446744073709551615,1
            function,1,"f(int, char)",prog,a.c,,,,,2,0
            call,1,main,prog,a.c,"""q""",prog,a.c,7,5,6
        "#]]
        .assert_eq(&String::from_utf8(bytes).unwrap());
    }
}
