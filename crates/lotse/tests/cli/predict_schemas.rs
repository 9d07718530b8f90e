//! The JSON of `lotse predict` against the published schemas.

use serde_json::{Value, json};

use crate::predict_options::{json_of, session};

/// Checks a value against the part of JSON Schema that the published schemas use.
pub(crate) fn check(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = &resolved(schema, root);
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = schema[key].as_array() {
            let fits = |option: &&Value| is_kind(value, option, root);
            let option = options.iter().find(fits);
            let option = option.unwrap_or_else(|| panic!("{path}: {value} fits none of {options:?}"));
            check(value, option, root, path);
        }
    }
    assert!(is_kind(value, schema, root), "{path}: {value} is not of {}", schema["type"]);
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{path}: {name} is missing");
    }
    if let (Some(properties), Some(fields)) = (schema["properties"].as_object(), value.as_object()) {
        for (name, field) in fields {
            let known =
                properties.get(name).or(schema.get("additionalProperties")).filter(|it| it.is_object());
            let known = known.unwrap_or_else(|| panic!("{path}: {name} is not in the schema"));
            check(field, known, root, &format!("{path}.{name}"));
        }
    }
    if let (Some(items), Some(elements)) = (schema.get("items").filter(|it| it.is_object()), value.as_array())
    {
        elements
            .iter()
            .enumerate()
            .for_each(|(at, element)| check(element, items, root, &format!("{path}[{at}]")));
    }
}

/// A schema merged with the schema that it refers to.
fn resolved(schema: &Value, root: &Value) -> Value {
    let Some(name) = schema["$ref"].as_str() else { return schema.clone() };
    let target = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
    let mut all = resolved(target, root);
    for (key, value) in schema.as_object().into_iter().flatten().filter(|(key, _)| *key != "$ref") {
        match (all.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more.clone()),
            _ => all[key] = value.clone(),
        }
    }
    all
}

/// Whether a value has the type, the constant or the tag that a schema asks for.
fn is_kind(value: &Value, schema: &Value, root: &Value) -> bool {
    let schema = &resolved(schema, root);
    if let Some(expected) = schema.get("const") {
        return value == expected;
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.contains(value);
    }
    let named = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    };
    let own = match &schema["type"] {
        Value::String(name) => named(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(named),
        _ => true,
    };
    let tags = schema["properties"].as_object();
    let tagged = tags.into_iter().flatten().filter_map(|(name, field)| Some((name, field.get("const")?)));
    own && tagged.into_iter().all(|(name, constant)| value.get(name) == Some(constant))
}

fn against_schema(value: &Value, name: &str) {
    let path = format!("{}/../../docs/schema/{name}-1.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let schema: Value = serde_json::from_str(&text).unwrap();
    check(value, &schema, &schema, "answer");
}

/// The check itself can fail: a wrong type, a missing field and an unknown one.
#[test]
fn schemas_refuse_what_is_wrong() {
    let right = json_of(&session(), &["product.c", "-f", "plain", "-D", "N=100"]);
    against_schema(&right, "lotse.predict");
    type Change = fn(&mut Value);
    let changes: [Change; 4] = [
        |it| it["seconds"] = json!("fast"),
        |it| it["loops"][0]["lanes"] = json!(null),
        |it| drop(it.as_object_mut().unwrap().remove("coverage")),
        |it| it["colour"] = json!(3),
    ];
    for change in changes {
        let mut wrong = right.clone();
        change(&mut wrong);
        let checked = std::panic::catch_unwind(|| against_schema(&wrong, "lotse.predict"));
        assert!(checked.is_err(), "{wrong}");
    }
}

#[test]
fn answers_follow_their_schemas() {
    let session = session();
    session.write("t.csv", "x1,x2,x3,time\n1,2,3,4\n2,3,9,7\n5,4,1,3\n7,7,7,9\n3,1,2,2\n1,1,9,\n");
    let size = ["-D", "N=200"];
    let answer = |words: &[&str]| json_of(&session, &[words, &size].concat());
    against_schema(&answer(&["product.c", "-f", "tiled"]), "lotse.predict");
    against_schema(&answer(&["product.c"]), "lotse.predict.list");
    against_schema(&answer(&["product.c", "-f", "plain", "--sweep", "N=50..400"]), "lotse.predict.sweep");
    against_schema(&answer(&["product.c", "-f", "tiled", "--tile"]), "lotse.predict.tile");
    session.write("one.c", "double a[N]; void one(void) { for (int i = 0; i < N; i++) a[i] = 1; }");
    session.write("two.c", "double a[N]; void two(void) { for (int i = 0; i < N; i++) a[i] /= 3; }");
    against_schema(&answer(&["one.c", "--compare", "two.c"]), "lotse.predict.compare");
    for function in ["find", "gather", "count", "halves"] {
        let answer = json_of(&session, &["data.c", "-f", function, "-D", "n=1000"]);
        against_schema(&answer, "lotse.predict");
        assert!(answer["bound"].is_object(), "{function}");
    }
    for model in ["power", "analytic"] {
        let answer = session.lotse(&["predict", "fit", "t.csv", "--model", model, "--json"]);
        assert_eq!(answer.status, 0, "{}", answer.stderr);
        against_schema(&answer.json(), "lotse.predict.fit");
    }
}
