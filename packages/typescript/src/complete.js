"use strict";
/** Puts back into each record what the lines above said once. */
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
exports.complete = complete;
var facts_js_1 = require("./facts.js");
var scan_js_1 = require("./scan.js");
/** How many times its own text facts may add to a list: a line said once could otherwise fill any memory. */
var GROWTH = 256;
/** Completes all records of a list that began at `start`. */
function complete(scan, start, facts, records) {
    if (facts.order === undefined && facts.count() === 0)
        return records;
    var room = new Room(scan, start);
    for (var _i = 0, records_1 = records; _i < records_1.length; _i++) {
        var record = records_1[_i];
        begin(facts, record.members, room);
    }
    return records.map(function (record) { return fillRecord(facts, record.members, undefined, room); });
}
/** Bytes that facts may still add. */
var Room = /** @class */ (function () {
    function Room(scan, start) {
        this.scan = scan;
        this.left = GROWTH * (0, scan_js_1.utf8Length)(scan.text.slice(start, scan.at));
    }
    /** Takes room for a member of this weight. */
    Room.prototype.take = function (weight) {
        this.left -= weight;
        if (this.left <= 0)
            this.scan.fail("records that hold less of what is said once");
    };
    /** Says that a record contradicts what is said once. */
    Room.prototype.misfit = function () {
        return this.scan.fail("records that fit the lines above them");
    };
    return Room;
}());
/** The place of each key, of equal ones the first. */
function placesOf(members) {
    var places = new Map();
    members.forEach(function (_a, place) {
        var key = _a[0];
        return places.has(key) || places.set(key, place);
    });
    return places;
}
/** Puts back what values begin with and what is usual, and notes which records there are. */
function begin(facts, members, room) {
    facts.met = true;
    var places = placesOf(members);
    var at = function (key) { var _a; return members[(_a = places.get(key)) !== null && _a !== void 0 ? _a : -1]; };
    for (var _i = 0, _a = facts.begins; _i < _a.length; _i++) {
        var _b = _a[_i], key = _b.key, value = _b.value, weight = _b.weight;
        var member = at(key);
        if (member === undefined)
            continue;
        if (typeof member[1] !== "string")
            return room.misfit();
        room.take(weight);
        member[1] = value + member[1];
    }
    for (var _c = 0, _d = facts.usual; _c < _d.length; _c++) {
        var _e = _d[_c], key = _e.key, value = _e.value, weight = _e.weight;
        if (places.has(key))
            continue;
        room.take(weight);
        places.set(key, members.length);
        members.push([key, value]);
    }
    for (var _f = 0, _g = facts.below; _f < _g.length; _f++) {
        var _h = _g[_f], key = _h[0], below = _h[1];
        var member = at(key);
        if (member !== undefined)
            member[1] = beginIn(below, member[1], room);
    }
}
/** A copy of `node`, which other records may share, with the records in it begun. */
function beginIn(facts, node, room) {
    var record = function (_a) {
        var members = _a.members;
        var copy = members.map(function (_a) {
            var key = _a[0], value = _a[1];
            return [key, value];
        });
        begin(facts, copy, room);
        return { kind: "object", members: copy };
    };
    return mapRecords(node, record);
}
/** `node` with `change` made to the record that it is, or to those among its items. */
function mapRecords(node, change) {
    if (isObject(node))
        return change(node);
    if (node === null || typeof node !== "object" || node.kind !== "array")
        return node;
    return { kind: "array", items: node.items.map(function (item) { return (isObject(item) ? change(item) : item); }) };
}
function isObject(node) {
    return node !== null && typeof node === "object" && node.kind === "object";
}
/** Puts back all the rest. */
function fillRecord(facts, members, up, room) {
    var _a, _b, _c;
    var places = placesOf(members);
    var made = addMade(facts, members, places, up);
    for (var _i = 0, _d = facts.same; _i < _d.length; _i++) {
        var weight = _d[_i].weight;
        room.take(weight);
    }
    for (var _e = 0, made_1 = made; _e < made_1.length; _e++) {
        var _f = made_1[_e], key = _f[0], value = _f[1];
        room.take((0, facts_js_1.weigh)(key, value));
    }
    var madePlaces = placesOf(made);
    var _loop_1 = function (key, below) {
        var member = (_b = members[(_a = places.get(key)) !== null && _a !== void 0 ? _a : -1]) !== null && _b !== void 0 ? _b : made[(_c = madePlaces.get(key)) !== null && _c !== void 0 ? _c : -1];
        if (member === undefined)
            return "continue";
        var frame = { members: members, step: key, up: up };
        member[1] = mapRecords(member[1], function (record) { return fillRecord(below, record.members, frame, room); });
    };
    for (var _g = 0, _h = facts.below; _g < _h.length; _g++) {
        var _j = _h[_g], key = _j[0], below = _j[1];
        _loop_1(key, below);
    }
    var same = facts.same.map(function (_a) {
        var key = _a.key, value = _a.value;
        return [key, value];
    });
    if (__spreadArray(__spreadArray([], same, true), made, true).some(function (_a) {
        var key = _a[0];
        return places.has(key);
    }))
        room.misfit();
    return { kind: "object", members: ordered(facts, __spreadArray(__spreadArray(__spreadArray([], same, true), members, true), made, true), room) };
}
/** The fields that are made of others, and the records that no row shows anything of. */
function addMade(facts, members, places, up) {
    var mostly = facts.mostly.filter(function (_a) {
        var key = _a[0];
        return !places.has(key);
    });
    var made = __spreadArray(__spreadArray([], make(facts.made, members, up), true), make(mostly, members, up), true);
    for (var _i = 0, _a = facts.below; _i < _a.length; _i++) {
        var _b = _a[_i], key = _b[0], met = _b[1].met;
        if (!met)
            made.push([key, { kind: "object", members: [] }]);
    }
    return made;
}
/** The members of a record in order. */
function ordered(_a, members, room) {
    var order = _a.order;
    if (order === undefined)
        return members;
    if (order === "alphabetical") {
        var spelled = members.map(function (member) { return ({ member: member, name: JSON.stringify(member[0]).slice(1, -1) }); });
        return spelled.sort(function (one, other) { return compare(one.name, other.name); }).map(function (_a) {
            var member = _a.member;
            return member;
        });
    }
    if (members.some(function (_a) {
        var key = _a[0];
        return !order.has(key);
    }))
        room.misfit();
    return members.sort(function (_a, _b) {
        var _c, _d;
        var one = _a[0];
        var other = _b[0];
        return ((_c = order.get(one)) !== null && _c !== void 0 ? _c : 0) - ((_d = order.get(other)) !== null && _d !== void 0 ? _d : 0);
    });
}
/** Compares by characters; strings themselves compare by UTF-16 units, which puts U+10000 before U+E000. */
function compare(one, other) {
    var at = 0;
    while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at))
        at += 1;
    return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}
/** The halves of characters behind U+FFFF, which are whole here, rank behind all other units. */
function rank(unit) {
    if (Number.isNaN(unit))
        return -1;
    return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
function make(templates, members, up) {
    var made = [];
    for (var _i = 0, templates_1 = templates; _i < templates_1.length; _i++) {
        var _a = templates_1[_i], key = _a[0], parts = _a[1];
        var text = resolve(parts, members, up);
        if (text !== undefined)
            made.push([key, text]);
    }
    return made;
}
/** The text that a template makes for the record with these members; nothing where a field has none. */
function resolve(parts, members, up) {
    var text = "";
    for (var _i = 0, parts_1 = parts; _i < parts_1.length; _i++) {
        var part = parts_1[_i];
        var piece = typeof part === "string" ? part : field.apply(void 0, nearest(members, up, part));
        if (piece === undefined)
            return undefined;
        text += piece;
    }
    return text;
}
/** The innermost record on the way that `steps` goes along, and the steps from there. */
function nearest(members, up, steps) {
    if (up === undefined)
        return [members, steps];
    var _a = nearest(up.members, up.up, steps), outer = _a[0], rest = _a[1];
    var arrived = outer === up.members && rest[0] === up.step && rest.length > 1;
    return arrived ? [members, rest.slice(1)] : [outer, rest];
}
/** The text of the field that `steps` lead to. */
function field(members, steps) {
    var _a;
    var node = { kind: "object", members: members };
    var _loop_2 = function (step) {
        if (node === undefined || !isObject(node))
            return { value: undefined };
        node = (_a = node.members.find(function (_a) {
            var key = _a[0];
            return key === step;
        })) === null || _a === void 0 ? void 0 : _a[1];
    };
    for (var _i = 0, steps_1 = steps; _i < steps_1.length; _i++) {
        var step = steps_1[_i];
        var state_1 = _loop_2(step);
        if (typeof state_1 === "object")
            return state_1.value;
    }
    if (typeof node === "string")
        return node;
    return node !== null && typeof node === "object" && node.kind === "number" ? node.text : undefined;
}
