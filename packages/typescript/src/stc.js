"use strict";
/** Reads STC v1: JSON with bare keys, counted lists and counted tables. */
var __spreadArray = (this && this.__spreadArray) || function (to, from, pack) {
    if (pack || arguments.length === 2) for (var i = 0, l = from.length, ar; i < l; i++) {
        if (ar || !(i in from)) {
            if (!ar) ar = Array.prototype.slice.call(from, 0, i);
            ar[i] = from[i];
        }
    }
    return to.concat(ar || Array.prototype.slice.call(from));
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.parse = parse;
var scan_js_1 = require("./scan.js");
var tree_js_1 = require("./tree.js");
/** The most elements or rows that a count can announce. */
var MAX_COUNT = 999999999;
/** The exact value that an STC text stands for. */
function parse(text) {
    var scan = new scan_js_1.Scan(text);
    scan.space();
    var node = countsNext(text, scan.at) ? counted(scan, 0) : value(scan, 0);
    scan.space();
    if (scan.peek() !== "")
        scan.fail("the end of the document");
    return node;
}
/** True for a number alone in brackets with `:` or `{` behind: a count, not the plain array `[number]`. */
function countsNext(text, at) {
    if (text.charAt(at) !== "[")
        return false;
    var start = (0, scan_js_1.spaceEnd)(text, at + 1);
    var end = (0, scan_js_1.numberEnd)(text, start);
    var close = (0, scan_js_1.spaceEnd)(text, end);
    var next = text.charAt((0, scan_js_1.spaceEnd)(text, close + 1));
    return end > start && text.charAt(close) === "]" && (next === ":" || next === "{");
}
function value(scan, depth) {
    switch (scan.peek()) {
        case "{":
            return object(scan, deeper(scan, depth));
        case "[":
            return array(scan, deeper(scan, depth));
        default:
            return scan.scalar();
    }
}
function deeper(scan, depth) {
    return depth < tree_js_1.MAX_DEPTH ? depth + 1 : scan.fail("at most ".concat(tree_js_1.MAX_DEPTH, " levels"));
}
function array(scan, depth) {
    var items = [];
    scan.take("[", "'['");
    while (!scan.eat("]")) {
        if (items.length > 0)
            scan.take(",", "',' or ']'");
        items.push(value(scan, depth));
        scan.space();
    }
    return { kind: "array", items: items };
}
function object(scan, depth) {
    var members = [];
    scan.take("{", "'{'");
    while (!scan.eat("}")) {
        if (members.length > 0)
            scan.take(",", "',' or '}'");
        members.push([key(scan), placed(scan, depth)]);
        scan.space();
    }
    return { kind: "object", members: members };
}
/** A key and the white space behind it. */
function key(scan) {
    var end = bareEnd(scan.text, scan.at);
    if (end === scan.at && scan.peek() !== '"')
        scan.fail("a key");
    var found = end > scan.at ? scan.text.slice(scan.at, end) : scan.string();
    scan.at = Math.max(scan.at, end);
    scan.space();
    return found;
}
/** Where the bare key at `at` ends; `at` itself when none is there. */
function bareEnd(text, at) {
    var end = at;
    if ((0, scan_js_1.digitsEnd)(text, at) > at)
        return at;
    while (/[A-Za-z0-9_]/.test(text.charAt(end)))
        end += 1;
    return end;
}
/** What follows a key: a colon and a value, or a counted array. */
function placed(scan, depth) {
    if (scan.peek() === "[")
        return counted(scan, depth);
    scan.take(":", "':' or '['");
    return value(scan, depth);
}
function counted(scan, depth) {
    var inside = deeper(scan, depth);
    scan.take("[", "'['");
    var count = readCount(scan);
    scan.take("]", "']'");
    if (scan.peek() === "{") {
        deeper(scan, inside);
        return table(scan, count);
    }
    scan.take(":", "':' or '{'");
    return { kind: "array", items: cells(scan, count) };
}
function readCount(scan) {
    var end = (0, scan_js_1.digitsEnd)(scan.text, scan.at);
    var count = Number(scan.text.slice(scan.at, end));
    if (end === scan.at || scan.peek() === "0" || count > MAX_COUNT)
        scan.fail("a count from 1 to ".concat(MAX_COUNT));
    scan.at = end;
    scan.space();
    return count;
}
function table(scan, count) {
    var columns = header(scan);
    scan.take(":", "':'");
    var items = [];
    for (var place = 1; place <= count; place += 1) {
        if (place > 1)
            part(scan, "/", "row", place, count);
        var row = cells(scan, columns.length);
        items.push({ kind: "object", members: row.map(function (cell, index) { var _a; return [(_a = columns[index]) !== null && _a !== void 0 ? _a : "", cell]; }) });
    }
    return { kind: "array", items: items };
}
/** The column names between braces; each may stand there once. */
function header(scan) {
    var columns = new Set();
    scan.take("{", "'{'");
    for (;;) {
        var start = scan.at;
        var column = key(scan);
        if (columns.has(column)) {
            scan.at = start;
            scan.fail("a column that is not there yet");
        }
        columns.add(column);
        if (scan.peek() === "}") {
            scan.take("}", "'}'");
            return __spreadArray([], columns, true);
        }
        scan.take(",", "',' or '}'");
    }
}
function cells(scan, count) {
    var found = [];
    for (var place = 1; place <= count; place += 1) {
        if (place > 1)
            part(scan, ",", "value", place, count);
        if (scan.peek() === "[" || scan.peek() === "{")
            scan.fail("a string, a number, true, false or null");
        found.push(scan.scalar());
    }
    return found;
}
/** Takes the separator before `what` at `place`, with the white space around it. */
function part(scan, token, what, place, count) {
    scan.space();
    if (!scan.eat(token))
        scan.fail("'".concat(token, "' and ").concat(what, " ").concat(place, " of ").concat(count));
    scan.space();
}
