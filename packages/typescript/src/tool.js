"use strict";
/** `tool`: makes a tool's result smaller where it is made. */
var __assign = (this && this.__assign) || function () {
    __assign = Object.assign || function(t) {
        for (var s, i = 1, n = arguments.length; i < n; i++) {
            s = arguments[i];
            for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p))
                t[p] = s[p];
        }
        return t;
    };
    return __assign.apply(this, arguments);
};
var __awaiter = (this && this.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};
var __generator = (this && this.__generator) || function (thisArg, body) {
    var _ = { label: 0, sent: function() { if (t[0] & 1) throw t[1]; return t[1]; }, trys: [], ops: [] }, f, y, t, g = Object.create((typeof Iterator === "function" ? Iterator : Object).prototype);
    return g.next = verb(0), g["throw"] = verb(1), g["return"] = verb(2), typeof Symbol === "function" && (g[Symbol.iterator] = function() { return this; }), g;
    function verb(n) { return function (v) { return step([n, v]); }; }
    function step(op) {
        if (f) throw new TypeError("Generator is already executing.");
        while (g && (g = 0, op[0] && (_ = 0)), _) try {
            if (f = 1, y && (t = op[0] & 2 ? y["return"] : op[0] ? y["throw"] || ((t = y["return"]) && t.call(y), 0) : y.next) && !(t = t.call(y, op[1])).done) return t;
            if (y = 0, t) op = [op[0] & 2, t.value];
            switch (op[0]) {
                case 0: case 1: t = op; break;
                case 4: _.label++; return { value: op[1], done: false };
                case 5: _.label++; y = op[1]; op = [0]; continue;
                case 7: op = _.ops.pop(); _.trys.pop(); continue;
                default:
                    if (!(t = _.trys, t = t.length > 0 && t[t.length - 1]) && (op[0] === 6 || op[0] === 2)) { _ = 0; continue; }
                    if (op[0] === 3 && (!t || (op[1] > t[0] && op[1] < t[3]))) { _.label = op[1]; break; }
                    if (op[0] === 6 && _.label < t[1]) { _.label = t[1]; t = op; break; }
                    if (t && _.label < t[2]) { _.label = t[2]; _.ops.push(op); break; }
                    if (t[2]) _.ops.pop();
                    _.trys.pop(); continue;
            }
            op = body.call(thisArg, _);
        } catch (e) { op = [6, e]; y = 0; } finally { f = t = 0; }
        if (op[0] & 5) throw op[1]; return { value: op[0] ? op[1] : void 0, done: true };
    }
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.tool = tool;
var compress_js_1 = require("./compress.js");
/**
 * Wraps a function whose result is for a model: it returns that result in fewer tokens. A text is compressed; an object
 * or an array is written as JSON and compressed, and is returned as it is where nothing is saved; the text blocks of an
 * MCP result (`{ content: [{ type: "text", text }] }`) are compressed in place. Nothing but layout is lost.
 */
function tool(run, options) {
    var _this = this;
    if (options === void 0) { options = {}; }
    var named = __assign({ tool: run.name }, options);
    return function () {
        var args = [];
        for (var _i = 0; _i < arguments.length; _i++) {
            args[_i] = arguments[_i];
        }
        return __awaiter(_this, void 0, void 0, function () { var _a; return __generator(this, function (_b) {
            switch (_b.label) {
                case 0:
                    _a = shorten;
                    return [4 /*yield*/, run.apply(void 0, args)];
                case 1: return [4 /*yield*/, _a.apply(void 0, [_b.sent(), named])];
                case 2: return [2 /*return*/, (_b.sent())];
            }
        }); });
    };
}
function shorten(result, options) {
    return __awaiter(this, void 0, void 0, function () {
        var blocks, _a, json, _b, text, saving;
        var _c;
        var _this = this;
        return __generator(this, function (_d) {
            switch (_d.label) {
                case 0:
                    if (!(typeof result === "string")) return [3 /*break*/, 2];
                    return [4 /*yield*/, (0, compress_js_1.compressAsync)(result, options)];
                case 1: return [2 /*return*/, (_d.sent()).text];
                case 2:
                    if (typeof result !== "object" || result === null)
                        return [2 /*return*/, result];
                    if (!isMcp(result)) return [3 /*break*/, 4];
                    blocks = result.content.map(function (block) { return __awaiter(_this, void 0, void 0, function () {
                        var _a, _b;
                        var _c;
                        return __generator(this, function (_d) {
                            switch (_d.label) {
                                case 0:
                                    if (!(block.type === "text" && typeof block.text === "string")) return [3 /*break*/, 2];
                                    _b = [__assign({}, block)];
                                    _c = {};
                                    return [4 /*yield*/, (0, compress_js_1.compressAsync)(block.text, options)];
                                case 1:
                                    _a = __assign.apply(void 0, _b.concat([(_c.text = (_d.sent()).text, _c)]));
                                    return [3 /*break*/, 3];
                                case 2:
                                    _a = block;
                                    _d.label = 3;
                                case 3: return [2 /*return*/, _a];
                            }
                        });
                    }); });
                    _a = [__assign({}, result)];
                    _c = {};
                    return [4 /*yield*/, Promise.all(blocks)];
                case 3: return [2 /*return*/, __assign.apply(void 0, _a.concat([(_c.content = _d.sent(), _c)]))];
                case 4:
                    json = write(result);
                    if (json === undefined)
                        return [2 /*return*/, result];
                    return [4 /*yield*/, (0, compress_js_1.compressAsync)(json, options)];
                case 5:
                    _b = _d.sent(), text = _b.text, saving = _b.saving;
                    return [2 /*return*/, saving.saved > 0 ? text : result];
            }
        });
    });
}
function write(value) {
    try {
        return JSON.stringify(value);
    }
    catch (_a) {
        // A circle, or a BigInt.
        return undefined;
    }
}
function isMcp(result) {
    var content = result.content;
    return Array.isArray(content) && content.every(function (block) { return typeof block === "object" && block !== null && "type" in block; });
}
