/** Says where a text stopped making sense, and what would have. */

/** A text is not of the form it was taken for. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";

  constructor(
    /** Line of the fault, from 1. */
    readonly line: number,
    /** Column of the fault in characters, from 1. */
    readonly column: number,
    /** What the form allows there. */
    readonly expected: string,
    /** What stands there instead. */
    readonly found: string,
  ) {
    super(`line ${line}, column ${column}: expected ${expected}, found ${found}`);
  }

  /** The fault at `place` of `text`. */
  static at(text: string, place: number, expected: string): DecodeError {
    const before = text.slice(0, place);
    const start = before.lastIndexOf("\n") + 1;
    return new DecodeError(count(before, "\n") + 1, characters(before, start) + 1, expected, name(text, place));
  }
}

/** How often `mark` stands in `text`. */
function count(text: string, mark: string): number {
  let sum = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) sum += 1;
  return sum;
}

/** How many characters, not UTF-16 units, `text` has from `start` on. */
function characters(text: string, start: number): number {
  let sum = 0;
  for (let at = start; at < text.length; at += width(text, at)) sum += 1;
  return sum;
}

function width(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

const SHORT: Record<string, string> = { "\t": "\\t", "\r": "\\r", "\0": "\\0", "\\": "\\\\", "'": "\\'" };

function name(text: string, place: number): string {
  const code = text.codePointAt(place);
  if (code === undefined) return "the end";
  if (code === 10) return "the end of the line";
  const character = String.fromCodePoint(code);
  const hidden = character !== " " && /[\p{C}\p{Z}\p{Mn}\p{Me}]/u.test(character);
  return `'${SHORT[character] ?? (hidden ? `\\u{${code.toString(16)}}` : character)}'`;
}
