"use strict";
/** Reads a value on one line: JSON whose keys and strings stand bare where nothing is lost by it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.INTRO = void 0;
exports.value = value;
exports.object = object;
exports.key = key;
exports.path = path;
exports.template = template;
exports.unspell = unspell;
var scan_js_1 = require("./scan.js");
/** How many records a list has, and how they are laid out: `12 rows`. */
exports.INTRO = /^([1-9][0-9]{0,8}) (rows|records|keyed rows|keyed records|items)$/;
/** A terminal or a library may take some of these for a line's end, or drop them. */
var NEVER_BARE = /[\\\x7f-\xa0\u2028\u2029\ufeff]/;
/** A template's field. A step has no slashes, which URL templates put in braces. */
var FIELD = /\{([A-Za-z0-9_$@+-]+(?:\.[A-Za-z0-9_$@+-]+)*)\}/;
/** One value that nests at most `levels` deep. */
function value(scan, levels) {
    var first = scan.peek();
    if (first === '"')
        return scan.string();
    if (first !== "{" && first !== "[")
        return bare(scan);
    if (levels === 0)
        scan.fail("fewer levels");
    return first === "{" ? object(scan, levels) : array(scan, levels);
}
function array(scan, levels) {
    var items = [];
    scan.eat("[");
    while (!scan.eat("]")) {
        if (items.length > 0 && !scan.eat(","))
            scan.fail("',' or ']'");
        items.push(value(scan, levels - 1));
    }
    return { kind: "array", items: items };
}
/** An object that nests at most `levels` deep, its brace next. */
function object(scan, levels) {
    var members = [];
    scan.eat("{");
    while (!scan.eat("}")) {
        if (members.length > 0 && !scan.eat(","))
            scan.fail("',' or '}'");
        var found = key(scan);
        if (!scan.eat(":"))
            scan.fail("':'");
        members.push([found, value(scan, levels - 1)]);
    }
    return { kind: "object", members: members };
}
/** A key, bare or in quotes. */
function key(scan) {
    return name(scan, isKeyUnit, "a key");
}
/** The steps that lead to a field through the records it is nested in: `user.login`. */
function path(scan) {
    var steps = [];
    do
        steps.push(name(scan, isStepUnit, "a field's name"));
    while (scan.eat("."));
    return steps;
}
function name(scan, holds, expected) {
    if (scan.peek() === '"')
        return scan.string();
    var start = scan.at;
    while (holds(scan.text.charCodeAt(scan.at)))
        scan.at += 1;
    if (scan.at === start)
        scan.fail(expected);
    return scan.text.slice(start, scan.at);
}
function isKeyUnit(unit) {
    return isStepUnit(unit) || unit === 0x2e || unit === 0x2f;
}
/** True for ASCII letters and digits, and `_`, `-`, `$`, `@` and `+`. */
function isStepUnit(unit) {
    var letter = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x40 && unit <= 0x5a);
    var digit = unit >= 0x30 && unit <= 0x39;
    return letter || digit || unit === 0x5f || unit === 0x2d || unit === 0x24 || unit === 0x2b;
}
/**
 * The parts of a text as JSON spells it. Braces that do not hold a path stand for themselves. A path has no
 * quotes here: an open text cannot hold any, and a quoted one holds them behind backslashes.
 */
function template(raw) {
    var parts = raw.split(FIELD).map(function (part, index) { return (index % 2 === 1 ? part.split(".") : unspell(part)); });
    return parts.filter(function (part) { return part !== ""; });
}
/** The characters that JSON spells `raw`. */
function unspell(raw) {
    return new scan_js_1.Scan("\"".concat(raw, "\"")).string();
}
/** A word, a number or a bare string. */
function bare(scan) {
    var end = scan.at;
    while (end < scan.text.length && !endsBare(scan.text.charCodeAt(end)))
        end += 1;
    var text = scan.text.slice(scan.at, end);
    var node = meaning(text);
    if (node === undefined)
        return scan.fail("a value");
    scan.at = end;
    return node;
}
function meaning(text) {
    if (text === "null")
        return null;
    if (text === "true" || text === "false")
        return text === "true";
    if (text !== "" && (0, scan_js_1.numberEnd)(text, 0) === text.length)
        return { kind: "number", text: text };
    return isBare(text) ? text : undefined;
}
function isBare(text) {
    var spaced = text === "" || text.startsWith(" ") || text.endsWith(" ");
    return !spaced && !NEVER_BARE.test(text) && !exports.INTRO.test(text);
}
/** True for control characters and `,"{}[]()`: these end a bare string wherever they stand. */
function endsBare(unit) {
    switch (unit) {
        case 0x2c:
        case 0x22:
        case 0x7b:
        case 0x7d:
        case 0x5b:
        case 0x5d:
        case 0x28:
        case 0x29:
            return true;
        default:
            return unit < 0x20;
    }
}
