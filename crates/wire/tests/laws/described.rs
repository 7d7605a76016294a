//! Minifies descriptions in a tree, as a reference for the scan.

use serde_json::Value;
use tersely_core::schema;

/// Keywords with a schema, an array of schemas, or schemas under names.
const LISTS: [&str; 5] = ["anyOf", "any_of", "items", "allOf", "additionalProperties"];

/// Minifies every description of every tool of `body`.
pub(crate) fn minify_tree(body: &mut Value, provider: &str) {
    match provider {
        "converse" => {
            let config = body.get_mut("toolConfig").and_then(|config| config.get_mut("tools"));
            if let Some(tools) = config {
                each(tools, specified);
            }
        }
        "invoke" if body.get("anthropic_version").is_none() => {}
        "anthropic" | "invoke" => each(&mut body["tools"], |tool| described(tool, &["input_schema"])),
        "chat" | "ollama" => {
            each(&mut body["tools"], |tool| {
                for kind in ["function", "custom"] {
                    tool.get_mut(kind).into_iter().for_each(|tool| described(tool, &["parameters"]));
                }
            });
            each(&mut body["functions"], |tool| described(tool, &["parameters"]));
        }
        "responses" => {
            each(&mut body["tools"], nested);
            let added = |item: &mut Value| {
                if item["type"] == "additional_tools" {
                    each(&mut item["tools"], nested);
                }
            };
            each(&mut body["input"], added);
        }
        _ => {
            declared(&mut body["tools"]);
            declared(&mut body["request"]["tools"]);
        }
    }
    forget_nulls(body);
}

/// Mutable indexing would add missing members.
fn forget_nulls(body: &mut Value) {
    let Some(members) = body.as_object_mut() else { return };
    if members.get_mut("request").is_some_and(|request| request.get("contents").is_none()) {
        members.remove("request");
    }
    for name in ["tools", "functions", "input"] {
        if members.get(name).is_some_and(Value::is_null) {
            members.remove(name);
        }
        if let Some(request) = members.get_mut("request").and_then(Value::as_object_mut)
            && request.get(name).is_some_and(Value::is_null)
        {
            request.remove(name);
        }
    }
}

fn declared(tools: &mut Value) {
    let schemas = ["parameters", "parametersJsonSchema", "response"];
    each(tools, |tool| {
        for name in ["functionDeclarations", "function_declarations"] {
            tool.get_mut(name).into_iter().for_each(|list| each(list, |tool| described(tool, &schemas)));
        }
    });
}

fn specified(tool: &mut Value) {
    let Some(tool) = tool.get_mut("toolSpec") else { return };
    own(tool);
    tool.get_mut("inputSchema").and_then(|schema| schema.get_mut("json")).into_iter().for_each(in_schema);
}

fn nested(tool: &mut Value) {
    described(tool, &["parameters"]);
    tool.get_mut("tools").into_iter().for_each(|tools| each(tools, nested));
}

fn each(list: &mut Value, change: impl FnMut(&mut Value)) {
    list.as_array_mut().into_iter().flatten().for_each(change);
}

fn described(tool: &mut Value, schemas: &[&str]) {
    own(tool);
    for name in schemas {
        tool.get_mut(name).into_iter().for_each(in_schema);
    }
}

fn own(holder: &mut Value) {
    let Some(members) = holder.as_object_mut() else { return };
    let Some(Value::String(text)) = members.get_mut("description") else { return };
    *text = schema::minify(text).unwrap_or_else(|| text.clone());
    if text.is_empty() {
        members.shift_remove("description");
    }
}

fn in_schema(schema: &mut Value) {
    own(schema);
    let Some(members) = schema.as_object_mut() else { return };
    for name in LISTS {
        match members.get_mut(name) {
            Some(Value::Array(list)) => list.iter_mut().for_each(in_schema),
            Some(one) => in_schema(one),
            None => {}
        }
    }
    for name in ["properties", "$defs", "definitions"] {
        let named = members.get_mut(name).and_then(Value::as_object_mut);
        named.into_iter().flat_map(serde_json::Map::values_mut).for_each(in_schema);
    }
}
