"use strict";
/** A JSON value with nothing of it lost, and the two ways out of it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.MAX_DEPTH = void 0;
exports.toValue = toValue;
exports.toJson = toJson;
/** How deep values may nest, in every form. */
exports.MAX_DEPTH = 128;
/** The ordinary value; of members with the same key, the last one counts. */
function toValue(node) {
    if (node === null || typeof node !== "object")
        return node;
    switch (node.kind) {
        case "number":
            return Number(node.text);
        case "array":
            return node.items.map(toValue);
        case "object":
            // Unlike assignment, this takes `__proto__` for a key like any other.
            return Object.fromEntries(node.members.map(function (_a) {
                var key = _a[0], value = _a[1];
                return [key, toValue(value)];
            }));
    }
}
/** The exact value as compact JSON. */
function toJson(node) {
    // For strings, JSON.stringify has one spelling, ours: it escapes only what it must, lone surrogates included.
    if (node === null || typeof node !== "object")
        return JSON.stringify(node);
    switch (node.kind) {
        case "number":
            return node.text;
        case "array":
            return "[".concat(node.items.map(toJson).join(","), "]");
        case "object":
            return "{".concat(node.members.map(function (_a) {
                var key = _a[0], value = _a[1];
                return "".concat(JSON.stringify(key), ":").concat(toJson(value));
            }).join(","), "}");
    }
}
