"use strict";
/** Reads a header and the rows below it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.header = header;
exports.row = row;
var flow = require("./flow.js");
var tree_js_1 = require("./tree.js");
/** A header and the end of its line. */
function header(scan, keyed) {
    if (keyed && !scan.eat("key: "))
        scan.fail("'key: ' and a header");
    var found = columns(scan, tree_js_1.MAX_DEPTH);
    if (!scan.eat("\n"))
        scan.fail("',' or the end of the header");
    return found;
}
function columns(scan, groups) {
    var _a;
    var found = [];
    var keys = new Set();
    do {
        var key = flow.key(scan);
        if (keys.has(key) && ((_a = found.at(-1)) === null || _a === void 0 ? void 0 : _a.key) !== key)
            scan.fail("each field once");
        keys.add(key);
        found.push(column(scan, key, groups));
    } while (scan.eat(","));
    return found;
}
function column(scan, key, groups) {
    var open = scan.peek();
    if (open !== "{" && open !== "[")
        return { key: key, holds: "value", inside: [] };
    if (groups === 0)
        scan.fail("fewer levels");
    scan.eat(open);
    var inside = columns(scan, groups - 1);
    var close = open === "{" ? "}" : "]";
    if (!scan.eat(close))
        scan.fail("',' or '".concat(close, "'"));
    return { key: key, holds: open === "{" ? "record" : "list", inside: inside };
}
/** The cells of one row. */
function row(scan, columns, levels) {
    var reader = new Row(scan);
    var members = reader.members(columns, levels);
    if (scan.peek() === ",")
        scan.fail("the end of the row");
    if (reader.cells === 0)
        scan.fail("a cell");
    return { kind: "object", members: members };
}
/** A row being read. */
var Row = /** @class */ (function () {
    function Row(scan) {
        this.scan = scan;
        this.cells = 0;
        this.first = true;
        /** True behind the last cell: all further columns are empty. */
        this.ended = false;
    }
    /** The members that the cells of `columns` make. */
    Row.prototype.members = function (columns, levels) {
        var _a;
        var members = [];
        for (var _i = 0, columns_1 = columns; _i < columns_1.length; _i++) {
            var column_1 = columns_1[_i];
            if (this.ended)
                break;
            var node = this.node(column_1, levels);
            if (node === undefined)
                continue;
            if (((_a = members.at(-1)) === null || _a === void 0 ? void 0 : _a[0]) === column_1.key)
                this.scan.fail("one value for each field");
            members.push([column_1.key, node]);
        }
        return members;
    };
    /** What a row has in `column`, if anything. */
    Row.prototype.node = function (column, levels) {
        if (column.holds === "record") {
            var members = this.members(column.inside, Math.max(levels - 1, 0));
            return members.length > 0 ? { kind: "object", members: members } : undefined;
        }
        if (!this.hasCell())
            return undefined;
        var listed = column.holds === "list" && this.scan.peek() === "[";
        return listed ? list(this.scan, column.inside, levels) : flow.value(this.scan, levels);
    };
    /** Goes to the next cell; false when it is empty. */
    Row.prototype.hasCell = function () {
        if (!this.first && !this.scan.eat(",")) {
            this.ended = true;
            return false;
        }
        this.first = false;
        var next = this.scan.peek();
        if (next === ",")
            return false;
        if (next === "" || next === "\n" || next === ")")
            this.scan.fail("a cell");
        this.cells += 1;
        return true;
    };
    return Row;
}());
/** A list, its bracket next, whose records may stand in parentheses. */
function list(scan, columns, levels) {
    if (levels < 2)
        scan.fail("fewer levels");
    var items = [];
    scan.eat("[");
    while (!scan.eat("]")) {
        if (items.length > 0 && !scan.eat(","))
            scan.fail("',' or ']'");
        if (scan.eat("(")) {
            items.push(row(scan, columns, levels - 2));
            if (!scan.eat(")"))
                scan.fail("',' or ')'");
        }
        else {
            items.push(flow.value(scan, levels - 1));
        }
    }
    return { kind: "array", items: items };
}
