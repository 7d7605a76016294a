"use strict";
/** Calls the native part, or the program where there is none. */
var __extends = (this && this.__extends) || (function () {
    var extendStatics = function (d, b) {
        extendStatics = Object.setPrototypeOf ||
            ({ __proto__: [] } instanceof Array && function (d, b) { d.__proto__ = b; }) ||
            function (d, b) { for (var p in b) if (Object.prototype.hasOwnProperty.call(b, p)) d[p] = b[p]; };
        return extendStatics(d, b);
    };
    return function (d, b) {
        if (typeof b !== "function" && b !== null)
            throw new TypeError("Class extends value " + String(b) + " is not a constructor or null");
        extendStatics(d, b);
        function __() { this.constructor = d; }
        d.prototype = b === null ? Object.create(b) : (__.prototype = b.prototype, new __());
    };
})();
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
exports.Unavailable = void 0;
exports.call = call;
exports.callAsync = callAsync;
exports.open = open;
var load_cjs_1 = require("../native/load.cjs");
var error_js_1 = require("./error.js");
/** There is no native part and no program for this platform, or it does not run. */
var Unavailable = /** @class */ (function (_super) {
    __extends(Unavailable, _super);
    function Unavailable() {
        return _super !== null && _super.apply(this, arguments) || this;
    }
    return Unavailable;
}(Error));
exports.Unavailable = Unavailable;
function call(operation, options, payload) {
    try {
        return read(core().call(operation, JSON.stringify(options), payload));
    }
    catch (error) {
        throw translate(error);
    }
}
function callAsync(operation, options, payload) {
    return __awaiter(this, void 0, void 0, function () {
        var _a, error_1;
        return __generator(this, function (_b) {
            switch (_b.label) {
                case 0:
                    _b.trys.push([0, 2, , 3]);
                    _a = read;
                    return [4 /*yield*/, core().callAsync(operation, JSON.stringify(options), payload)];
                case 1: return [2 /*return*/, _a.apply(void 0, [_b.sent()])];
                case 2:
                    error_1 = _b.sent();
                    throw translate(error_1);
                case 3: return [2 /*return*/];
            }
        });
    });
}
function open(options, body) {
    return __awaiter(this, void 0, void 0, function () {
        var error_2;
        return __generator(this, function (_a) {
            switch (_a.label) {
                case 0:
                    _a.trys.push([0, 2, , 3]);
                    return [4 /*yield*/, core().open(JSON.stringify(options), body)];
                case 1: return [2 /*return*/, _a.sent()];
                case 2:
                    error_2 = _a.sent();
                    throw translate(error_2);
                case 3: return [2 /*return*/];
            }
        });
    });
}
function core() {
    var found = load_cjs_1.default.core();
    if (found === undefined)
        throw new Unavailable("no native part and no program for this platform");
    return found;
}
function read(_a) {
    var about = _a.about, payload = _a.payload;
    return { about: JSON.parse(about), payload: payload };
}
/** The core says the kind of an error before its message. */
function translate(error) {
    var _a;
    if (!(error instanceof Error))
        return error;
    var _b = (_a = /^(argument|content|unavailable): (.*)$/s.exec(error.message)) !== null && _a !== void 0 ? _a : [], kind = _b[1], message = _b[2];
    if (kind === "argument")
        return new TypeError(camel(message !== null && message !== void 0 ? message : ""));
    if (kind === "content")
        return new error_js_1.DecodeError(1, 1, "a text that was written whole", message !== null && message !== void 0 ? message : "");
    return kind === "unavailable" ? new Unavailable(message) : error;
}
/** The name of an argument as it is here. */
function camel(message) {
    return message.replace(/^[a-z_]+(?=: )/, function (name) { return name.replace(/_([a-z])/g, function (_, letter) { return letter.toUpperCase(); }); });
}
