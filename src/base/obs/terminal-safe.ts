// What others wrote, on a terminal. A log line as JSON has no line break and no escape but its own; made
// readable, those come back to life: a handle or an error text of somebody's server could clear the
// screen, colour it, or look like another line. So everything that moves a cursor is shown as its escape.
// Line breaks stay, since stacks have them; they are indented.

/** In JSON: a backslash and what it stands for. */
const TOKEN = /\\(?:u[0-9a-f]{4}|.)/gi
/** C0 without tab and line feed. */
const MOVING = /^\\(?:u00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|[rbf])$/i
/** What JSON leaves as it is: C1, and what turns the direction of writing around. */
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A line of JSON whose texts may be written to a terminal once they are read. */
export function terminalSafe(line: string): string {
  return line
    .replace(TOKEN, (token) => (MOVING.test(token) ? `\\${token}` : token))
    .replace(RAW, (character) => `\\\\u${hexOf(character)}`)
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}
