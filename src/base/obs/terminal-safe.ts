// Makes text from outside safe for a terminal. A log line in JSON has no line breaks and only JSON's escapes,
// but once made readable, the originals return: a handle or another server's error text could clear the
// screen, colour it, or imitate another line. So all characters that move the cursor are shown as escapes.
// Line breaks stay, since stack traces contain them; they are indented.

/** In JSON: a backslash and the escape after it. */
const TOKEN = /\\(?:u[0-9a-f]{4}|.)/gi
/** C0 except tab and line feed. */
const MOVING = /^\\(?:u00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|[rbf])$/i
/** Characters that JSON does not escape: C1, and those that change the writing direction. */
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns a JSON line whose texts are safe on a terminal once parsed. */
export function terminalSafe(line: string): string {
  return line
    .replace(TOKEN, (token) => (MOVING.test(token) ? `\\${token}` : token))
    .replace(RAW, (character) => `\\\\u${hexOf(character)}`)
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}
