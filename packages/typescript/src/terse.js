"use strict";
/** Reads the terse form: lists of records as rows under one header, with what is said once said once. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.parse = parse;
var complete_js_1 = require("./complete.js");
var error_js_1 = require("./error.js");
var facts = require("./facts.js");
var flow = require("./flow.js");
var rows = require("./rows.js");
var scan_js_1 = require("./scan.js");
var tree_js_1 = require("./tree.js");
/** The longest intro is `999999999 keyed records` and its line's end. */
var MAX_INTRO = 24;
/** The exact value that a terse text stands for. */
function parse(text) {
    var scan = new scan_js_1.Scan(text);
    var node = root(scan);
    if (scan.peek() !== "")
        scan.fail("the end of the document");
    return node;
}
function root(scan) {
    var found = intro(scan);
    if (found !== undefined)
        return list(scan, found, 0);
    var first = scan.peek();
    if (first === "{" || first === "[")
        return flow.value(scan, tree_js_1.MAX_DEPTH);
    return isMember(scan.text) ? members(scan, 0) : scan.scalar();
}
/** True when the text begins with a key and its colon. */
function isMember(text) {
    var scan = new scan_js_1.Scan(text);
    try {
        flow.key(scan);
    }
    catch (fault) {
        if (fault instanceof error_js_1.DecodeError)
            return false;
        throw fault;
    }
    return scan.peek() === ":";
}
/** Takes `12 rows` and its line's end, if that is next. */
function intro(scan) {
    var _a;
    var _b = scan.text.slice(scan.at, scan.at + MAX_INTRO).split("\n", 2), _c = _b[0], line = _c === void 0 ? "" : _c, end = _b[1];
    var found = flow.INTRO.exec(line);
    if (found === null || end === undefined)
        return undefined;
    scan.at += line.length + 1;
    return { count: Number(found[1]), words: (_a = found[2]) !== null && _a !== void 0 ? _a : "" };
}
/** The members of an object, each on its line behind `depth` spaces. */
function members(scan, depth) {
    if (depth === tree_js_1.MAX_DEPTH)
        scan.fail("fewer levels");
    var found = [];
    do {
        scan.at += depth;
        found.push([flow.key(scan), member(scan, depth)]);
    } while (endsLineBefore(scan, depth));
    return { kind: "object", members: found };
}
/** What stands behind a key: members on the lines below, a list, or a value. */
function member(scan, depth) {
    if (scan.eat(":\n")) {
        if (indent(scan) !== depth + 1)
            scan.fail("members one space further in");
        return members(scan, depth + 1);
    }
    if (!scan.eat(": "))
        scan.fail("': ' or ':' and the line's end");
    var found = intro(scan);
    return found === undefined ? flow.value(scan, tree_js_1.MAX_DEPTH - depth - 1) : list(scan, found, depth + 1);
}
/** At a line's end: true, and behind it, when the next line has a member at `depth`. */
function endsLineBefore(scan, depth) {
    var end = scan.at;
    if (scan.peek() === "")
        return false;
    if (!scan.eat("\n"))
        scan.fail("the end of the line");
    var found = indent(scan);
    if (found > depth)
        scan.fail("a member no further in");
    if (found < depth)
        scan.at = end;
    return found === depth;
}
function indent(scan) {
    var end = scan.at;
    while (scan.text.charAt(end) === " ")
        end += 1;
    return end - scan.at;
}
/** The values of an array, each behind its number and `depth` spaces. */
function items(scan, count, depth) {
    var found = [];
    for (var number = 1; number <= count; number += 1) {
        if ((number > 1 && !scan.eat("\n")) || indent(scan) !== depth)
            scan.fail("item ".concat(number));
        scan.at += depth;
        if (!scan.eat("item ".concat(number)))
            scan.fail("item ".concat(number));
        found.push(member(scan, depth));
    }
    return { kind: "array", items: found };
}
/** The values of a list that stands at `depth`. */
function list(scan, _a, depth) {
    var count = _a.count, words = _a.words;
    var levels = tree_js_1.MAX_DEPTH - depth;
    if (levels < 2)
        scan.fail("fewer levels");
    if (words === "items")
        return items(scan, count, depth);
    var start = scan.at;
    var keyed = words.startsWith("keyed");
    var headed = words.endsWith("rows");
    var known = facts.read(scan, headed ? "every row" : "every record");
    var columns = headed ? rows.header(scan, keyed) : [];
    facts.adopt(known, columns);
    var keys = [];
    var records = [];
    for (var index = 0; index < count; index += 1) {
        if (index > 0 && !scan.eat("\n"))
            scan.fail("".concat(count - index, " more ").concat(words));
        if (keyed)
            keys.push(rowKey(scan));
        records.push(headed ? rows.row(scan, columns, levels - 1) : record(scan, levels - 1));
    }
    if (scan.peek() !== "" && scan.peek() !== "\n")
        scan.fail("the end of the line");
    var whole = (0, complete_js_1.complete)(scan, start, known, records);
    if (!whole.every(function (record) { return within(record, levels - 1); }))
        scan.fail("fewer levels");
    if (!keyed)
        return { kind: "array", items: whole };
    return { kind: "object", members: whole.map(function (record, index) { var _a; return [(_a = keys[index]) !== null && _a !== void 0 ? _a : "", record]; }) };
}
function rowKey(scan) {
    var key = flow.key(scan);
    if (!scan.eat(": "))
        scan.fail("': '");
    return key;
}
function record(scan, levels) {
    if (scan.peek() !== "{")
        scan.fail("a record in braces");
    return flow.object(scan, levels);
}
/** True when `node` nests at most `levels` deep. */
function within(node, levels) {
    if (node === null || typeof node !== "object" || node.kind === "number")
        return true;
    if (levels === 0)
        return false;
    if (node.kind === "array")
        return node.items.every(function (item) { return within(item, levels - 1); });
    return node.members.every(function (_a) {
        var value = _a[1];
        return within(value, levels - 1);
    });
}
