// The differences between two answers, as places in their JSON. Items of a list are paired by what they are
// about, not by their index: an item that one tree lacks is one difference, and does not shift all others.

import { type Answer, parsed } from './ask.ts'

export type Difference = {
  /** Where, with `[]` for any index: `feed[].post.likeCount`. */
  path: string
  kind: 'changed' | 'only before' | 'only now' | 'order'
  before: string
  now: string
}

export type Verdict =
  | { same: 'bytes' | 'cursors' | 'json' }
  | { same: undefined; differences: readonly Difference[] }

type Json = Record<string, unknown>

/** Opaque to clients, so only their presence is compared; the pages behind them are. */
const OPAQUE = new Set(['cursor', 'startCursor', 'next_cursor', 'prev_cursor'])
const MAX_PRESENTED = 160
const MAX_DIFFERENCES = 200

/** @param normalise - applied to both bodies; removes what differs between two runs of one tree */
export function compareAnswers(
  before: Answer,
  now: Answer,
  normalise: (text: string) => string = (text) => text,
): Verdict {
  const found: Difference[] = []
  const note = (path: string, a: unknown, b: unknown) => {
    if (a !== b) found.push({ path, kind: 'changed', before: format(a), now: format(b) })
  }
  note('(status)', before.status, now.status)
  note('(content-type)', before.type, now.type)
  for (const name of new Set([...Object.keys(before.headers), ...Object.keys(now.headers)])) {
    note(`(${name})`, before.headers[name], now.headers[name])
  }
  const [a, b] = [normalise(before.text), normalise(now.text)]
  if (a === b) return found.length > 0 ? { same: undefined, differences: found } : { same: 'bytes' }
  const [left, right] = [parsed(a), parsed(b)]
  if (left === undefined || right === undefined) note('(body)', a, b)
  else compareValues(left, right, '', found)
  if (found.length === 0) return { same: masked(left) === masked(right) ? 'cursors' : 'json' }
  return { same: undefined, differences: found.slice(0, MAX_DIFFERENCES) }
}

/** As JSON in the order of its keys, without what clients can't read. */
function masked(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (OPAQUE.has(name) ? '…' : inner))
}

function compareValues(a: unknown, b: unknown, path: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES) return
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b, `${path}[]`, found)
  if (isObject(a) && isObject(b)) return compareObjects(a, b, path, found)
  if (a !== b) found.push({ path, kind: 'changed', before: format(a), now: format(b) })
}

function compareObjects(a: Json, b: Json, path: string, found: Difference[]): void {
  // Views of two types have nothing in common: one difference, not one for each name.
  const types = [a['$type'], b['$type']]
  if (types.every((type) => typeof type === 'string') && types[0] !== types[1]) {
    const [before, now] = types.map(format) as [string, string]
    found.push({ path: `${path}.$type`, kind: 'changed', before, now })
    return
  }
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const at = path ? `${path}.${name}` : name
    if (!(name in b)) found.push(onlyBefore(at, a[name]))
    else if (!(name in a)) found.push(onlyNow(at, b[name]))
    else if (!OPAQUE.has(name)) compareValues(a[name], b[name], at, found)
  }
}

function compareLists(a: unknown[], b: unknown[], path: string, found: Difference[]): void {
  const [left, right] = [byName(a), byName(b)]
  for (const [name, item] of left) {
    const other = right.get(name)
    if (right.has(name)) compareValues(item, other, path, found)
    else found.push(onlyBefore(path, item))
  }
  for (const [name, item] of right) {
    if (!left.has(name)) found.push(onlyNow(path, item))
  }
  const order = (map: Map<string, unknown>, other: Map<string, unknown>) =>
    [...map.keys()].filter((name) => other.has(name)).join(' ')
  const [before, now] = [order(left, right), order(right, left)]
  if (before !== now) found.push({ path, kind: 'order', before: format(before), now: format(now) })
}

function onlyBefore(path: string, value: unknown): Difference {
  return { path, kind: 'only before', before: format(value), now: '' }
}

function onlyNow(path: string, value: unknown): Difference {
  return { path, kind: 'only now', before: '', now: format(value) }
}

/** Items by what they are about; repeated ones are numbered. */
function byName(items: readonly unknown[]): Map<string, unknown> {
  const named = new Map<string, unknown>()
  for (const item of items) {
    const name = nameOf(item)
    let unique = name
    for (let i = 2; named.has(unique); i++) unique = `${name} (${i})`
    named.set(unique, item)
  }
  return named
}

const NAMES = ['entity_id', 'uri', 'did', 'id', 'tid', 'topic', 'tag', 'cid', '$type']
const PARTS = ['post', 'list', 'starterPack', 'reason', 'subject', 'item', 'actor', 'creator', 'by']

function nameOf(item: unknown): string {
  if (!isObject(item)) return JSON.stringify(item) ?? ''
  // A label is one of a value and a source, not of its subject alone.
  if ('val' in item && 'src' in item) return `${item['src']} ${item['val']} ${item['uri']}`
  const own = NAMES.find((name) => typeof item[name] === 'string')
  if (own) return item[own] as string
  const parts = PARTS.filter((name) => isObject(item[name])).map((name) => nameOf(item[name]))
  return parts.length > 0 ? parts.join(' ') : JSON.stringify(item)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function format(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > MAX_PRESENTED ? `${text.slice(0, MAX_PRESENTED)}…` : text
}
