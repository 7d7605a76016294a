"use strict";
/** Reads the lines above a list's records: what is said once for all of them. */
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
exports.Facts = void 0;
exports.read = read;
exports.adopt = adopt;
exports.weigh = weigh;
var error_js_1 = require("./error.js");
var flow = require("./flow.js");
var scan_js_1 = require("./scan.js");
var tree_js_1 = require("./tree.js");
/** Facts about the records of one path: each is held against each field of each record. */
var MAX_FACTS = 1024;
/** Parts that a template may have: each is put together for each record. */
var MAX_PARTS = 64;
var ALPHABETICAL = "in alphabetical order";
var HAVING = " that has ";
var UNLESS = "unless given";
var WHERE = "where there is ";
var MADE = " = ";
var BEGINS = ": each begins with ";
var NEVER_OPEN = /[\x00-\x1f"\\]/;
/** What the lines above a list say of the records that one path reaches. */
var Facts = /** @class */ (function () {
    function Facts() {
        this.same = [];
        /** What is so where a record does not say otherwise. */
        this.usual = [];
        this.made = [];
        /** What is made so where a record does not say otherwise. */
        this.mostly = [];
        this.begins = [];
        /** The fields that there is a fact about. */
        this.keys = new Set();
        /** The same for the records inside a field. */
        this.below = new Map();
        /** True once a record was met that the facts are about. */
        this.met = false;
    }
    /** How many facts there are about one path's records. */
    Facts.prototype.count = function () {
        return this.keys.size + this.below.size;
    };
    /** The facts about the records that `steps` lead to. */
    Facts.prototype.at = function (scan, steps) {
        if (steps.length >= tree_js_1.MAX_DEPTH)
            scan.fail("fewer levels");
        var facts = this;
        for (var _i = 0, steps_1 = steps; _i < steps_1.length; _i++) {
            var step = steps_1[_i];
            var inside = facts.below.get(step);
            if (inside === undefined) {
                facts.makeRoom(scan);
                inside = new Facts();
                facts.below.set(step, inside);
            }
            facts = inside;
        }
        return facts;
    };
    /** The facts about the records that hold the field at `steps`, and the field's key. */
    Facts.prototype.holding = function (scan, steps) {
        var _a;
        var facts = this.at(scan, steps.slice(0, -1));
        facts.makeRoom(scan);
        var key = (_a = steps.at(-1)) !== null && _a !== void 0 ? _a : "";
        if (facts.keys.has(key))
            scan.fail("one fact for each field");
        facts.keys.add(key);
        return [facts, key];
    };
    /** Fails when no further fact is allowed. */
    Facts.prototype.makeRoom = function (scan) {
        if (this.count() >= MAX_FACTS)
            scan.fail("fewer facts");
    };
    return Facts;
}());
exports.Facts = Facts;
/** All facts of a list whose records are called `each`. */
function read(scan, each) {
    var facts = new Facts();
    var start = scan.at;
    while (line(facts, scan, each))
        start = scan.at;
    scan.at = start;
    return facts;
}
/** Reads one fact; false when the line is something else. */
function line(facts, scan, each) {
    if (scan.eat(each)) {
        if (scan.eat(HAVING))
            flow.path(scan);
        constants(facts, scan, "same");
    }
    else if (scan.eat(UNLESS)) {
        unless(facts, scan);
    }
    else if (isFields(scan)) {
        fields(facts, scan);
    }
    else {
        var steps = tryPath(scan);
        return steps !== undefined && textFact(facts, scan, steps);
    }
    return true;
}
function tryPath(scan) {
    try {
        return flow.path(scan);
    }
    catch (fault) {
        if (fault instanceof error_js_1.DecodeError)
            return undefined;
        throw fault;
    }
}
/** Reads what the values at `steps` are made of or begin with. */
function textFact(facts, scan, steps) {
    if (scan.eat(MADE)) {
        var parts = readParts(scan);
        var _a = facts.holding(scan, steps), holder = _a[0], key = _a[1];
        holder.made.push([key, parts]);
        return true;
    }
    if (scan.eat(BEGINS)) {
        var value = flow.unspell(openText(scan));
        var _b = facts.holding(scan, steps), holder = _b[0], key = _b[1];
        holder.begins.push({ key: key, value: value, weight: weigh(key, value) });
        return true;
    }
    return false;
}
/** Reads what holds for the records that do not say otherwise. */
function unless(facts, scan) {
    if (!scan.eat(", "))
        return constants(facts, scan, "usual");
    if (scan.eat(WHERE)) {
        flow.path(scan);
        return constants(facts, scan, "usual");
    }
    var steps = flow.path(scan);
    if (!scan.eat(MADE))
        scan.fail("' = '");
    var parts = readParts(scan);
    var _a = facts.holding(scan, steps), holder = _a[0], key = _a[1];
    holder.mostly.push([key, parts]);
}
/** Reads values by path into one part of the facts. */
function constants(facts, scan, part) {
    if (!scan.eat(": "))
        scan.fail("': '");
    for (;;) {
        var steps = flow.path(scan);
        if (!scan.eat("="))
            scan.fail("'='");
        var value = flow.value(scan, tree_js_1.MAX_DEPTH);
        var _a = facts.holding(scan, steps), holder = _a[0], key = _a[1];
        holder[part].push({ key: key, value: value, weight: weigh(key, value) });
        if (scan.eat("\n"))
            return;
        if (!scan.eat(", "))
            scan.fail("', ' or the end of the line");
    }
}
/** True for `fields: …` and `fields of …`, as against a keyed record or a field that is called `fields`. */
function isFields(_a) {
    var text = _a.text, at = _a.at;
    if (text.startsWith("fields of ", at))
        return true;
    var other = text.startsWith("{", at + 8) || text.startsWith("each begins with ", at + 8);
    return text.startsWith("fields: ", at) && !other;
}
function fields(facts, scan) {
    scan.eat("fields");
    var steps = scan.eat(" of ") ? flow.path(scan) : [];
    if (!scan.eat(": "))
        scan.fail("': '");
    var found = order(scan);
    var holder = facts.at(scan, steps);
    if (holder.order !== undefined)
        scan.fail("one order of fields");
    holder.order = found;
}
function order(scan) {
    if (scan.eat("".concat(ALPHABETICAL, "\n")))
        return "alphabetical";
    var places = new Map();
    for (;;) {
        var key = flow.key(scan);
        if (places.has(key))
            scan.fail("each field once");
        places.set(key, places.size);
        if (scan.eat("\n"))
            return places;
        if (!scan.eat(","))
            scan.fail("',' or the end of the line");
    }
}
/** The parts of a template that goes to the end of the line. */
function readParts(scan) {
    var parts = flow.template(openText(scan));
    return parts.length > MAX_PARTS ? scan.fail("a template of at most ".concat(MAX_PARTS, " parts")) : parts;
}
/** A text up to the end of its line, or in quotes, as JSON spells it. */
function openText(scan) {
    var end = scan.text.indexOf("\n", scan.at);
    if (end < 0) {
        scan.at = scan.text.length;
        scan.fail("records on the lines below");
    }
    var line = scan.text.slice(scan.at, end);
    var quoted = line.startsWith('"') && isSpelled(line);
    if (!quoted && (line === "" || NEVER_OPEN.test(line)))
        scan.fail("a text, in quotes if it has any");
    scan.at = end + 1;
    return quoted ? line.slice(1, -1) : line;
}
/** True for one string in quotes, spelled as every value is spelled. */
function isSpelled(line) {
    try {
        return JSON.stringify(new scan_js_1.Scan(line).string()) === line;
    }
    catch (fault) {
        if (fault instanceof error_js_1.DecodeError)
            return false;
        throw fault;
    }
}
/** Takes the order of fields from a header where no line names it and records leave fields out. */
function adopt(facts, columns) {
    if (facts.order === undefined && facts.usual.length + facts.mostly.length > 0) {
        var same = facts.same.map(function (_a) {
            var key = _a.key;
            return key;
        });
        var stored = columns.map(function (_a) {
            var key = _a.key;
            return key;
        });
        var made = facts.made.map(function (_a) {
            var key = _a[0];
            return key;
        });
        var keys = new Set(__spreadArray(__spreadArray(__spreadArray(__spreadArray([], same, true), stored, true), made, true), facts.below.keys(), true));
        facts.order = new Map(__spreadArray([], keys, true).map(function (key, place) { return [key, place]; }));
    }
    var seen = new Set();
    for (var _i = 0, columns_1 = columns; _i < columns_1.length; _i++) {
        var _a = columns_1[_i], key = _a.key, inside = _a.inside;
        // Of the columns with one key, those of the records are the first that have others inside.
        if (inside.length === 0 || seen.has(key))
            continue;
        seen.add(key);
        var below = facts.below.get(key);
        if (below !== undefined)
            adopt(below, inside);
    }
}
/** The bytes, more or less, that a member takes as text. */
function weigh(key, value) {
    return length(key) + size(value);
}
function size(node) {
    if (typeof node === "string")
        return length(node) + 2;
    if (node === null || typeof node === "boolean")
        return 4;
    switch (node.kind) {
        case "number":
            return node.text.length;
        case "array":
            return node.items.reduce(function (sum, item) { return sum + size(item) + 1; }, 2);
        case "object":
            return node.members.reduce(function (sum, _a) {
                var key = _a[0], value = _a[1];
                return sum + length(key) + size(value) + 4;
            }, 2);
    }
}
function length(text) {
    return (0, scan_js_1.utf8Length)(JSON.stringify(text)) - 2;
}
