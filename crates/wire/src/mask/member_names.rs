//! Table of the members of requests whose strings are searched for secrets, or skipped.

/// Members whose strings are identifiers, not content.
pub(super) const NAMES: [&str; 20] = [
    "id",
    "tool_use_id",
    "toolUseId",
    "tool_call_id",
    "call_id",
    "previous_response_id",
    "conversation",
    "name",
    "role",
    "type",
    "model",
    "media_type",
    "mime_type",
    "mimeType",
    "signature",
    "thought_signature",
    "thoughtSignature",
    "encrypted_content",
    "redactedContent",
    "prompt_cache_key",
];

/// Members that contain only schemas and options.
pub(super) const SCHEMAS: [&str; 14] = [
    "tools",
    "functions",
    "tool_choice",
    "toolConfig",
    "tool_config",
    "response_format",
    "output_config",
    "safetySettings",
    "cache_control",
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "response_json_schema",
    "format",
];

/// Members that contain a tool's arguments or output, in which the tool chooses the names.
pub(super) const TOOLS: [&str; 10] = [
    "input",
    "output",
    "arguments",
    "args",
    "response",
    "json",
    "env",
    "variables",
    "attributes",
    "metadata",
];

/// The members in `TOOLS` that contain messages when they are arrays.
pub(super) const MESSAGES: [&str; 2] = ["input", "output"];
