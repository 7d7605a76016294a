"use strict";
/** Reads the general form: a list of signs, templates below it, and a text in which both are used. */
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
exports.GROWTH = void 0;
exports.restore = restore;
exports.restorePieces = restorePieces;
var error_js_1 = require("./error.js");
var scan_js_1 = require("./scan.js");
/** How many times its own bytes a text may come back as: a few words can stand for very much. */
exports.GROWTH = 256;
var HEAD = "[Shorter notation.";
var HEAD_END = "]\n";
var TEXT = "[The text:]";
var SIGNS = "ΓΔζθλξπΣφψΩЖШЮЯИЦЛЭ§¶†‡※★■●◆▲▼♥♪∞√∀≈€£¥♀☎あいうえかきくけこしすせそたつてとなにねのはひふへまみむめもやゆよらるをん";
var DITTO = /(.): same value as in the row above[.]/su;
var FOLD = /^.* Line ends behind `(.*)` are ours\.$/s;
var BRACES = /\{([^{}]*)\}/;
var PAD = /^(.*):([<>])([0-9]+)$/s;
var BLOCK = /^([0-9]+) lines:$/;
var COUNT = /^×([0-9]+)(:?)$/;
/** The text that was written as `text`, which may come back as so many bytes at most. */
function restore(text, most) {
    var _a, _b;
    var _c = cut(text, HEAD_END), first = _c[0], below = _c[1];
    if (!first.startsWith(HEAD) || below === undefined)
        throw fault(1, "'".concat(HEAD, "'"), first);
    var head = first.slice(HEAD.length);
    var _d = list(below), signs = _d[0], rest = _d[1];
    var lines = new Lines(2 + signs.length, unsigned(signs, rest, new Room(most)));
    var templates = definitions(lines);
    var body = new Body(lines, templates, (_a = DITTO.exec(head)) === null || _a === void 0 ? void 0 : _a[1], new Room(most)).read();
    var end = (_b = FOLD.exec(head)) === null || _b === void 0 ? void 0 : _b[1];
    return end === undefined ? body : body.split("".concat(end, "\n")).join(end);
}
/** The text that was written piece by piece; `lengths` tells the bytes of each. */
function restorePieces(text, lengths, most) {
    var pieces = [];
    var _a = [0, most], start = _a[0], left = _a[1];
    for (var _i = 0, _b = lengths.split(" "); _i < _b.length; _i++) {
        var length_1 = _b[_i];
        var end = /^[0-9]{1,15}$/.test(length_1) ? behind(text, start, Number(length_1)) : undefined;
        if (end === undefined)
            throw fault(1, "a piece as long as the mark says", lengths);
        var piece = text.slice(start, end);
        var came = piece.startsWith(HEAD) ? restore(piece, left) : piece;
        pieces.push(came);
        left -= (0, scan_js_1.utf8Length)(came);
        start = end;
    }
    if (start < text.length || left < 0)
        throw fault(1, "pieces as long as the mark says", lengths);
    return pieces.join("");
}
/** Where so many bytes of a text end that begin at a place, if they are whole characters. */
function behind(text, start, bytes) {
    var _a;
    var end = start;
    while (bytes > 0 && end < text.length) {
        var code = (_a = text.codePointAt(end)) !== null && _a !== void 0 ? _a : 0;
        bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        end += code < 0x10000 ? 1 : 2;
    }
    return bytes === 0 ? end : undefined;
}
/** What stands before the first `mark`, and what behind it, if there is one. */
function cut(text, mark) {
    var at = text.indexOf(mark);
    return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
/** Bytes that a text may still grow by. */
var Room = /** @class */ (function () {
    function Room(left) {
        this.left = left;
    }
    /** Takes room for so many bytes of what a line stands for. */
    Room.prototype.take = function (weight, line) {
        this.left -= weight;
        if (this.left < 0) {
            throw new error_js_1.DecodeError(line, 1, "a text that grows to at most ".concat(exports.GROWTH, " times its bytes"), "a larger one");
        }
    };
    return Room;
}());
/** The lines below the list of signs, read one by one. */
var Lines = /** @class */ (function () {
    function Lines(first, text) {
        this.first = first;
        this.at = 0;
        this.lines = text.split("\n");
    }
    Object.defineProperty(Lines.prototype, "number", {
        /** The number of the line that was read last. */
        get: function () {
            return this.first + this.at - 1;
        },
        enumerable: false,
        configurable: true
    });
    Object.defineProperty(Lines.prototype, "isAtEnd", {
        get: function () {
            return this.at === this.lines.length;
        },
        enumerable: false,
        configurable: true
    });
    /** The next line, where one is expected. */
    Lines.prototype.next = function (expected) {
        var line = this.lines[this.at];
        if (line === undefined)
            throw new error_js_1.DecodeError(this.number, 1, expected, "the end");
        this.at += 1;
        return line;
    };
    /** Says that something else was expected on the line that was read last. */
    Lines.prototype.fail = function (expected) {
        var _a;
        throw fault(this.number, expected, (_a = this.lines[this.at - 1]) !== null && _a !== void 0 ? _a : "");
    };
    return Lines;
}());
function fault(line, expected, found) {
    return new error_js_1.DecodeError(line, 1, expected, "'".concat(__spreadArray([], found.slice(0, 80), true).slice(0, 40).join(""), "'"));
}
/** The signs with their phrases, and what follows them. */
function list(text) {
    var signs = [];
    while (text !== "" && SIGNS.includes(text.charAt(0))) {
        var _a = cut(text, "\n"), line = _a[0], rest = _a[1];
        if (line.charAt(1) !== " " || rest === undefined) {
            throw fault(2 + signs.length, "a sign, a space and a phrase on a line", line);
        }
        signs.push([line.charAt(0), line.slice(2)]);
        text = rest;
    }
    return [signs, text];
}
/** The text with each sign replaced by its phrase. */
function unsigned(signs, text, room) {
    room.take((0, scan_js_1.utf8Length)(text), 2 + signs.length);
    if (signs.length === 0)
        return text;
    var phrases = new Map(signs.map(function (_a) {
        var sign = _a[0], phrase = _a[1];
        return [sign, { phrase: phrase, weight: (0, scan_js_1.utf8Length)(phrase) }];
    }));
    return text.replace(new RegExp("[".concat(__spreadArray([], phrases.keys(), true).join(""), "]"), "g"), function (sign) {
        var _a;
        var known = (_a = phrases.get(sign)) !== null && _a !== void 0 ? _a : { phrase: sign, weight: 0 };
        room.take(known.weight, 2 + signs.length);
        return known.phrase;
    });
}
/** The templates by name, up to the line above the text. */
function definitions(lines) {
    var expected = "a definition or '".concat(TEXT, "'");
    var templates = new Map();
    for (var line = lines.next(expected); line !== TEXT; line = lines.next(expected)) {
        var _a = cut(line, " = "), left = _a[0], right = _a[1];
        if (right === undefined)
            lines.fail(expected);
        var _b = cut(left, " "), name_1 = _b[0], named = _b[1];
        var _c = holes(lines, named !== null && named !== void 0 ? named : ""), names = _c.names, separator = _c.separator;
        var places = new Map(names.map(function (name, place) { return [name, place]; }).reverse());
        templates.set(name_1, { holes: names.length, separator: separator, parts: parts(lines, right, places) });
    }
    return templates;
}
/** The parts of a template of one line, or of the block of lines that follow. */
function parts(lines, right, places) {
    var _a;
    var height = number((_a = BLOCK.exec(right)) === null || _a === void 0 ? void 0 : _a[1]);
    if (height === undefined)
        return lineParts(right, places);
    var found = [];
    for (var row = 0; row < height; row += 1) {
        var line = lines.next("a line of the block");
        if (!line.startsWith(" | "))
            lines.fail("' | '");
        if (row > 0)
            found.push(same("\n"));
        for (var _i = 0, _b = lineParts(line.slice(3), places); _i < _b.length; _i++) {
            var part = _b[_i];
            found.push(part);
        }
    }
    return found;
}
/** The names of the holes, and what stands between their values. */
function holes(lines, left) {
    var pieces = left.split(BRACES);
    var names = pieces.filter(function (_, index) { return index % 2 === 1; });
    var _a = new Set(pieces.slice(1, -1).filter(function (_, index) { return index % 2 === 1; })), _b = _a[0], separator = _b === void 0 ? "," : _b, others = _a.slice(1);
    if (pieces[0] !== "" || pieces.at(-1) !== "" || others.length > 0 || separator === "") {
        lines.fail("names in braces with one separator between them");
    }
    return { names: names, separator: separator };
}
/** The parts of a line of a template: braces around anything that is no hole are text. */
function lineParts(line, places) {
    var found = [];
    var text = "";
    line.split(BRACES).forEach(function (piece, index) {
        var known = index % 2 === 1 ? hole(piece, places) : undefined;
        if (known === undefined) {
            text += index % 2 === 1 ? "{".concat(piece, "}") : piece;
        }
        else {
            found.push(same(text), known);
            text = "";
        }
    });
    found.push(same(text));
    return found;
}
function same(text) {
    return { text: text, weight: (0, scan_js_1.utf8Length)(text) };
}
function hole(inside, places) {
    var _a;
    var place = places.get(inside);
    if (place !== undefined)
        return { place: place, side: "", width: 0 };
    var _b = (_a = PAD.exec(inside)) !== null && _a !== void 0 ? _a : [], _c = _b[1], name = _c === void 0 ? "" : _c, _d = _b[2], side = _d === void 0 ? "" : _d, digits = _b[3];
    var padded = places.get(name);
    var width = number(digits);
    return padded === undefined || width === undefined ? undefined : { place: padded, side: side, width: width };
}
var MOST = "18446744073709551615";
/** The number, if there is one and the program can hold it. */
function number(digits) {
    if (digits === undefined)
        return undefined;
    var plain = digits.replace(/^0+/, "");
    var fits = plain.length < MOST.length || (plain.length === MOST.length && plain <= MOST);
    return fits ? Number(plain) : undefined;
}
/** Reads the text that rows, runs, repeats and plain lines stand for. */
var Body = /** @class */ (function () {
    function Body(lines, templates, ditto, room) {
        this.lines = lines;
        this.templates = templates;
        this.ditto = ditto;
        this.room = room;
    }
    Body.prototype.read = function () {
        var items = [];
        while (!this.lines.isAtEnd)
            items.push(this.item(this.lines.next("")));
        return items.join("\n");
    };
    Body.prototype.item = function (line) {
        var _a;
        var _b = cut(line, " "), name = _b[0], _c = _b[1], values = _c === void 0 ? "" : _c;
        var template = this.templates.get(name);
        if (template === undefined) {
            this.room.take((0, scan_js_1.utf8Length)(line) + 1, this.lines.number);
            return line;
        }
        var _d = (_a = COUNT.exec(values)) !== null && _a !== void 0 ? _a : [], digits = _d[1], colon = _d[2];
        var count = number(digits);
        if (count !== undefined && colon === ":")
            return this.run(template, count);
        if (count !== undefined && template.holes === 0)
            return this.repeat(template, count);
        return this.row(template, this.values(template, values, undefined));
    };
    /** So many rows, each with the values of the row above at hand. */
    Body.prototype.run = function (template, count) {
        var rows = [];
        var above;
        while (rows.length < count) {
            var line = this.lines.next("".concat(count - rows.length, " more rows"));
            above = this.values(template, line, above);
            rows.push(this.row(template, above));
        }
        return rows.join("\n");
    };
    Body.prototype.repeat = function (template, count) {
        if (count === 0)
            return "";
        var row = this.row(template, []);
        this.room.take(((0, scan_js_1.utf8Length)(row) + 1) * (count - 1), this.lines.number);
        return "".concat(row, "\n").repeat(count - 1) + row;
    };
    /** The values of a row. */
    Body.prototype.values = function (_a, line, above) {
        var _this = this;
        var holes = _a.holes, separator = _a.separator;
        var found = holes > 1 ? line.split(separator) : holes === 1 || line !== "" ? [line] : [];
        if (found.length !== holes)
            this.lines.fail("".concat(holes, " values"));
        return found.map(function (value, place) {
            var _a;
            if (value !== _this.ditto)
                return value;
            return (_a = above === null || above === void 0 ? void 0 : above[place]) !== null && _a !== void 0 ? _a : _this.lines.fail("a value: no row of the run stands above");
        });
    };
    /** The line or lines that a row stands for; each part takes room, an empty one too, for it takes time. */
    Body.prototype.row = function (_a, values) {
        var _b;
        var parts = _a.parts;
        var row = "";
        this.room.take(1, this.lines.number);
        for (var _i = 0, parts_1 = parts; _i < parts_1.length; _i++) {
            var part = parts_1[_i];
            if ("text" in part) {
                this.room.take(part.weight, this.lines.number);
                row += part.text;
            }
            else {
                row += this.filled(part, (_b = values[part.place]) !== null && _b !== void 0 ? _b : "");
            }
        }
        return row;
    };
    Body.prototype.filled = function (_a, value) {
        var side = _a.side, width = _a.width;
        var weight = (0, scan_js_1.utf8Length)(value);
        this.room.take(Math.max(weight, width, 1), this.lines.number);
        var blanks = " ".repeat(Math.max(width - weight, 0));
        return side === ">" ? blanks + value : value + blanks;
    };
    return Body;
}());
