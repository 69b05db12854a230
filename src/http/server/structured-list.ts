// Lists of structured fields (RFC 9651 §4.2.1): items with parameters. Lists inside lists are not read, since
// no header of ours has them.

type ListItem = {
  /** Of a token or a string; undefined for an item of another type. */
  text: string | undefined
  /** Names in lower case; of several of one name, the last. */
  parameters: ReadonlyMap<string, boolean | string | undefined>
}

type Reading = { text: string; at: number }

const TOKEN = /[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y
const STRING = /"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const BOOLEAN = /\?([01])/y
/** Numbers, dates, bytes and display strings, none of which mean anything here. */
const OTHER =
  /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])|@-?\d{1,15}(?!\d)|:[A-Za-z0-9+/=]*:|%"[^"]*"/y
const KEY = /[a-z*][a-z0-9_\-.*]*/y
const BETWEEN = /[ \t]*,[ \t]*/y
const SEMICOLON = /; */y

/** @returns undefined if the header is no such list; an empty one is an empty list */
export function parseList(header: string): ListItem[] | undefined {
  const reading: Reading = { text: header.replace(/^ +| +$/g, ''), at: 0 }
  const items: ListItem[] = []
  while (reading.at < reading.text.length) {
    if (items.length > 0 && !take(reading, BETWEEN)) return undefined
    const item = readItem(reading)
    if (!item) return undefined
    items.push(item)
  }
  return items
}

function readItem(reading: Reading): ListItem | undefined {
  const value = readValue(reading)
  if (!value) return undefined
  const parameters = new Map<string, ListItem['text'] | boolean>()
  while (take(reading, SEMICOLON)) {
    const key = take(reading, KEY)?.[0]
    const given = reading.text[reading.at] === '=' ? readAfterSign(reading) : { is: true }
    if (key === undefined || !given) return undefined
    parameters.set(key, given.is)
  }
  return { text: typeof value.is === 'string' ? value.is : undefined, parameters }
}

function readAfterSign(reading: Reading) {
  reading.at += 1
  return readValue(reading)
}

function readValue(reading: Reading): { is: string | boolean | undefined } | undefined {
  const token = take(reading, TOKEN)
  if (token) return { is: token[0] }
  const quoted = take(reading, STRING)
  if (quoted) return { is: quoted[1]!.replaceAll(/\\(["\\])/g, '$1') }
  const flag = take(reading, BOOLEAN)
  if (flag) return { is: flag[1] === '1' }
  return take(reading, OTHER) && { is: undefined }
}

function take(reading: Reading, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reading.at
  const found = pattern.exec(reading.text)
  if (found) reading.at = pattern.lastIndex
  return found ?? undefined
}
