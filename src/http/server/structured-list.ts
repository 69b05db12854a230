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
const UNESCAPED = /[\x20-\x21\x23-\x5b\x5d-\x7e]*/y
const ESCAPED = /\\["\\]/y
const BOOLEAN = /\?([01])/y
const INTEGER = /-?\d{1,15}/y
const MOST_BEFORE_POINT = 12
const FRACTION = /\.\d{1,3}/y
const KEY = /[a-z*][a-z0-9_\-.*]*/y
const BLANKS = /[ \t]*/y
const SPACES = / */y
const BASE64 = /[A-Za-z0-9+/=]*/y

/** @returns undefined if the header is no such list; an empty one is an empty list */
export function parseList(header: string): ListItem[] | undefined {
  const reading: Reading = { text: withoutSpaces(header), at: 0 }
  const items: ListItem[] = []
  while (reading.at < reading.text.length) {
    if (items.length > 0 && !takeComma(reading)) return undefined
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
  while (takeText(reading, ';')) {
    take(reading, SPACES)
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
  if (takeText(reading, '"')) return readString(reading)
  const flag = take(reading, BOOLEAN)
  if (flag) return { is: flag[1] === '1' }
  return takeOther(reading) ? { is: undefined } : undefined
}

/** Behind the first quotation mark. */
function readString(reading: Reading): { is: string } | undefined {
  let is = ''
  while (!takeText(reading, '"')) {
    const plain = take(reading, UNESCAPED)![0]
    const escaped = take(reading, ESCAPED)?.[0] ?? ''
    if (plain === '' && escaped === '') return undefined
    is += plain + escaped.slice(1)
  }
  return { is }
}

/** Numbers, dates, bytes and display strings, none of which mean anything here. */
function takeOther(reading: Reading): boolean {
  if (takeText(reading, ':')) return takeEnclosed(reading, BASE64, ':')
  if (takeText(reading, '%"')) return takeUpTo(reading, '"')
  const isDate = takeText(reading, '@')
  const integer = take(reading, INTEGER)?.[0]
  if (integer === undefined) return false
  if (!isDate && integer.replace('-', '').length <= MOST_BEFORE_POINT) take(reading, FRACTION)
  return !/[\d.]/.test(reading.text[reading.at] ?? '')
}

function takeEnclosed(reading: Reading, pattern: RegExp, end: string): boolean {
  take(reading, pattern)
  return takeText(reading, end)
}

function takeUpTo(reading: Reading, end: string): boolean {
  const at = reading.text.indexOf(end, reading.at)
  if (at >= 0) reading.at = at + end.length
  return at >= 0
}

function takeComma(reading: Reading): boolean {
  take(reading, BLANKS)
  const isThere = takeText(reading, ',')
  take(reading, BLANKS)
  return isThere
}

function takeText(reading: Reading, text: string): boolean {
  const isThere = reading.text.startsWith(text, reading.at)
  if (isThere) reading.at += text.length
  return isThere
}

function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

function take(reading: Reading, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reading.at
  const found = pattern.exec(reading.text)
  if (found) reading.at = pattern.lastIndex
  return found ?? undefined
}
