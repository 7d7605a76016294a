"use strict";
/** Writes JSON as it was laid out: `indent 2, arrays up to 80 on one line, newline`. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.read = read;
exports.write = write;
var scan_js_1 = require("./scan.js");
var tree_js_1 = require("./tree.js");
/** In the order in which a layout is told: one layout has one name, and any other is none. */
var WORDS = new RegExp([
    "^(?<base>compact|spaced|rows|gathered rows|tabs|indent (?<width>[0-9]|1[0-6]))",
    "(?<crlf>, crlf)?",
    "(?:, (?<rule>plain arrays|arrays|objects|arrays up to (?<columns>80|100|120)) on one line",
    "|, (?<levels>1(?= level )|[0234](?= levels )) levels? on lines)?",
    "(?:, except(?<odd>(?: (?:0|[1-9][0-9]{0,18})){1,24}))?",
    "(?:, (?<colon>tight|spaced|wide) colons)?",
    "(?:, (?<comma>tight|spaced) commas)?",
    "(?<pad>, padded(?: when empty)?)?",
    "(?:, (?<escapes>ascii|html|script|strict))?",
    "(?<slashes>, slashes)?",
    "(?<capitals>, capitals)?",
    '(?:, begins "(?<before>(?: |\\\\[tnr]){1,16})")?',
    '(?:(?<newline>, newline)|, ends "(?!\\\\n")(?<after>(?: |\\\\[tnr]){1,16})")?$',
].join(""));
var COLONS = { tight: ":", spaced: ": ", wide: " : " };
var COMMAS = { tight: ",", spaced: ", " };
/** What is escaped beyond what must be. A character that is spelled by an escape already is matched with it. */
var ESCAPED = {
    "": "",
    ascii: "|[^\\x00-\\x7f]",
    html: "|[<>&\\u2028\\u2029]",
    script: "|[<>&='\\u2028\\u2029]",
    strict: "|[<>&'+`\\x7f]|[^\\x00-\\x7f]",
};
/** The layout that is told so; none if no program of ours tells any so. */
function read(words) {
    var _a, _b, _c, _d, _e, _f, _g, _h, _j;
    var found = (_a = WORDS.exec(words)) === null || _a === void 0 ? void 0 : _a.groups;
    if (found === undefined)
        return undefined;
    var base = (_b = found["base"]) !== null && _b !== void 0 ? _b : "";
    var usual = ["compact", "rows", "gathered rows"].includes(base) ? "tight" : "spaced";
    var odd = ((_c = found["odd"]) !== null && _c !== void 0 ? _c : "").split(" ").slice(1).map(Number);
    var rises = odd.every(function (number, index) { var _a; return number >= ((_a = odd[index - 1]) !== null && _a !== void 0 ? _a : 0); });
    if (found["colon"] === usual || found["comma"] === usual || !rises)
        return undefined;
    var width = found["width"];
    return {
        base: base,
        step: base === "tabs" ? "\t" : width === undefined ? undefined : " ".repeat(Number(width)),
        newline: found["crlf"] ? "\r\n" : "\n",
        rule: found["rule"],
        columns: Number((_d = found["columns"]) !== null && _d !== void 0 ? _d : 0),
        levels: found["levels"] === undefined ? undefined : Number(found["levels"]),
        odd: odd,
        colon: (_f = COLONS[(_e = found["colon"]) !== null && _e !== void 0 ? _e : usual]) !== null && _f !== void 0 ? _f : "",
        comma: (_h = COMMAS[(_g = found["comma"]) !== null && _g !== void 0 ? _g : usual]) !== null && _h !== void 0 ? _h : "",
        pad: found["pad"] === ", padded" ? " " : "",
        empty: found["pad"] ? " " : "",
        escapes: (_j = found["escapes"]) !== null && _j !== void 0 ? _j : "",
        slashes: found["slashes"] !== undefined,
        capitals: found["capitals"] !== undefined,
        before: blank(found["before"]),
        after: found["newline"] ? "\n" : blank(found["after"]),
    };
}
function blank(spelled) {
    return JSON.parse("\"".concat(spelled !== null && spelled !== void 0 ? spelled : "", "\""));
}
/** `node` in this layout; none when that takes more than `most` bytes. */
function write(layout, node, most) {
    var writer = new Writer(layout, most - layout.before.length - layout.after.length);
    writer.value(node, 0, 0);
    return writer.left < 0 ? undefined : layout.before + writer.out + layout.after;
}
function isGroup(node) {
    return node !== null && typeof node === "object" && node.kind !== "number";
}
/** True for an array that holds no other group. */
function isPlain(node) {
    return node.kind === "array" && !node.items.some(isGroup);
}
/** A text being written. */
var Writer = /** @class */ (function () {
    function Writer(layout, 
    /** Bytes that may still be written; once there are none, the rest is left out. */
    left) {
        var _a;
        this.layout = layout;
        this.left = left;
        this.out = "";
        this.group = 0;
        this.odd = 0;
        this.level = 0;
        this.column = layout.before.length;
        var more = ((_a = ESCAPED[layout.escapes]) !== null && _a !== void 0 ? _a : "") + (layout.slashes ? "|/" : "");
        this.escaped = new RegExp("\\\\u[0-9a-f]{4}|\\\\.".concat(more), "gu");
    }
    Writer.prototype.put = function (text) {
        this.left -= (0, scan_js_1.utf8Length)(text);
        if (this.left < 0)
            return;
        this.out += text;
        this.column += characters(text);
    };
    /** Writes a value on a line that is `depth` steps in, with so many characters behind it at least. */
    Writer.prototype.value = function (node, depth, follows) {
        if (this.left < 0)
            return;
        if (!isGroup(node)) {
            this.put(this.scalar(node));
            return;
        }
        this.put(node.kind === "array" ? "[" : "{");
        if ((node.kind === "array" ? node.items : node.members).length > 0) {
            this.group += 1;
            this.level += 1;
            this.filled(node, depth, follows);
            this.level -= 1;
        }
        else {
            this.put(this.layout.empty);
        }
        this.put(node.kind === "array" ? "]" : "}");
    };
    /** Writes what stands between the brackets. */
    Writer.prototype.filled = function (node, depth, follows) {
        var _a = this.layout, columns = _a.columns, odd = _a.odd, step = _a.step;
        var isOdd = odd[this.odd] === this.group;
        if (isOdd)
            this.odd += 1;
        var column = columns > 0 && isPlain(node) ? this.column + this.width(node) + 1 + follows : 0;
        var breaks = step !== undefined && this.breaks(node, column) !== isOdd;
        if (breaks)
            this.lines(node, depth);
        else
            this.flat(node, depth);
    };
    /** True when the rule puts a group on lines of its own that would end at `column`. */
    Writer.prototype.breaks = function (node, column) {
        var _a = this.layout, rule = _a.rule, columns = _a.columns, levels = _a.levels;
        if (levels !== undefined)
            return this.level - 1 < levels;
        if (rule === "arrays")
            return node.kind === "object";
        if (rule === "objects")
            return node.kind === "array";
        return rule === undefined || !isPlain(node) || (columns > 0 && column > columns);
    };
    /** The characters of a plain array on one line, without its brackets. */
    Writer.prototype.width = function (node) {
        var _this = this;
        var cells = node.items.map(function (item) { return _this.scalar(item); });
        return characters(cells.join(this.layout.comma)) + 2 * this.layout.pad.length;
    };
    /** Writes each part on a line of its own. */
    Writer.prototype.lines = function (node, depth) {
        var _this = this;
        var all = parts(node);
        all.forEach(function (_a, index) {
            var key = _a[0], part = _a[1];
            var isLast = index === all.length - 1;
            _this.line(depth + 1);
            _this.part(key, part, depth + 1, isLast);
            _this.put(isLast ? "" : ",");
        });
        this.line(depth);
    };
    /** Writes all parts on one line. */
    Writer.prototype.flat = function (node, depth) {
        var _this = this;
        var _a = this.layout, base = _a.base, comma = _a.comma, pad = _a.pad;
        var outer = base === "rows" ? ",\n" : base === "gathered rows" ? ", \n " : comma;
        var between = this.level === 1 ? outer : comma;
        var all = parts(node);
        this.put(pad);
        all.forEach(function (_a, index) {
            var key = _a[0], part = _a[1];
            var isLast = index === all.length - 1;
            _this.part(key, part, depth, isLast);
            _this.put(isLast ? "" : between);
        });
        this.put(pad);
    };
    Writer.prototype.part = function (key, part, depth, isLast) {
        if (key !== undefined)
            this.put(this.scalar(key) + this.layout.colon);
        this.value(part, depth, isLast ? 0 : 1);
    };
    /** Begins a line. */
    Writer.prototype.line = function (depth) {
        var _a;
        this.put(this.layout.newline);
        this.column = 0;
        this.put(((_a = this.layout.step) !== null && _a !== void 0 ? _a : "").repeat(depth));
    };
    /** A value that holds no others, its string with the escapes of the layout. */
    Writer.prototype.scalar = function (node) {
        var _this = this;
        var spelled = (0, tree_js_1.toJson)(node);
        return typeof node === "string" ? spelled.replace(this.escaped, function (found) { return _this.escape(found); }) : spelled;
    };
    /** The spelling of a character that is not copied. */
    Writer.prototype.escape = function (found) {
        var _this = this;
        if (found === "/")
            return "\\/";
        if (found.startsWith("\\u"))
            return "\\u".concat(this.digits(parseInt(found.slice(2), 16)));
        var isQuote = found === '\\"' && this.layout.escapes === "strict";
        if (found.startsWith("\\") && !isQuote)
            return found;
        var units = (isQuote ? '"' : found).split("");
        return units.map(function (unit) { return "\\u".concat(_this.digits(unit.charCodeAt(0))); }).join("");
    };
    Writer.prototype.digits = function (unit) {
        var small = unit.toString(16).padStart(4, "0");
        return this.layout.capitals ? small.toUpperCase() : small;
    };
    return Writer;
}());
/** The parts of a group: each with its key, if it has one. */
function parts(node) {
    return node.kind === "array" ? node.items.map(function (item) { return [undefined, item]; }) : node.members;
}
/** How many characters, not UTF-16 units, a text has. */
function characters(text) {
    var _a;
    var sum = text.length;
    for (var at = 0; at < text.length - 1; at += 1)
        if (((_a = text.codePointAt(at)) !== null && _a !== void 0 ? _a : 0) > 0xffff)
            sum -= 1;
    return sum;
}
