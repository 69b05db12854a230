// Reads an adjacency list: one follow per line, `did,did` or `did,did,rkey` (follower, subject, record key).
// Skips blank lines, lines that begin with # and a header; counts unreadable lines by reason, and keeps the
// first of them with their line numbers.

import { isValidDid } from '@atproto/syntax'
import type { FollowLine } from '../../../data/store/records/follows.ts'

type BadLineReason = 'columns' | 'did' | 'rkey' | 'too-long'

export type BadLine = { line: number; reason: BadLineReason; text: string }

type FollowReader = {
  /** Returns the follows of the next piece of text, as far as its lines are complete. */
  take(text: string): FollowLine[]
  /** Returns the last line, if it has no line break. */
  finish(): FollowLine[]
  /** Lines so far, and how many were bad. */
  readonly lines: number
  readonly bad: number
  /** The first bad lines. */
  readonly badLines: readonly BadLine[]
}

const MAX_LINE_LENGTH = 2_048
const MAX_BAD_LINES = 20
const PRESENTED_LENGTH = 80
const PLC = /^did:plc:[a-z2-7]{24}$/
/** Record keys may not begin like our made-up keys (data/store/records/keyless-follows.ts). */
const RKEY = /^(?!\.\.?$)[A-Za-z0-9._:~][A-Za-z0-9._:~-]{0,511}$/
const HEADERS = ['did', 'creator', 'actor', 'follower', 'author', 'source', 'from']

/** @param firstLine - number of the first line; only line 1 can be a header */
export function createFollowReader(firstLine = 1): FollowReader {
  const badLines: BadLine[] = []
  let lines = firstLine - 1
  let bad = 0
  let rest = ''
  /** Inside a line that is too long to be kept. */
  let isSkipping = false

  function note(reason: BadLineReason, text: string): undefined {
    bad++
    if (badLines.length < MAX_BAD_LINES) {
      badLines.push({ line: lines, reason, text: text.slice(0, PRESENTED_LENGTH) })
    }
  }

  function read(line: string): FollowLine | undefined {
    lines++
    if (isSkipping) {
      isSkipping = false
      return note('too-long', line)
    }
    if (line.length > MAX_LINE_LENGTH) return note('too-long', line)
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text.trim() === '' || text.startsWith('#')) return undefined
    const parsed = parseFollow(text)
    if (typeof parsed !== 'string') return parsed
    if (lines === 1 && isHeader(text)) return undefined
    return note(parsed, text)
  }

  return {
    take(text) {
      const found: FollowLine[] = []
      const complete = rest === '' ? text : rest + text
      let start = 0
      for (let end = complete.indexOf('\n'); end >= 0; end = complete.indexOf('\n', start)) {
        const follow = read(complete.slice(start, end))
        if (follow) found.push(follow)
        start = end + 1
      }
      rest = complete.slice(start)
      if (rest.length > MAX_LINE_LENGTH) {
        isSkipping = true
        rest = ''
      }
      return found
    },
    finish() {
      if (rest === '' && !isSkipping) return []
      const follow = read(rest)
      rest = ''
      return follow ? [follow] : []
    },
    get lines() {
      return lines
    },
    get bad() {
      return bad
    },
    badLines,
  }
}

function parseFollow(text: string): FollowLine | BadLineReason {
  const first = text.indexOf(',')
  if (first < 0) return 'columns'
  const second = text.indexOf(',', first + 1)
  const did = plain(text.slice(0, first))
  const subject = plain(second < 0 ? text.slice(first + 1) : text.slice(first + 1, second))
  const key = second < 0 ? '' : text.slice(second + 1)
  if (key.includes(',')) return 'columns'
  if (!isAccount(did) || !isAccount(subject)) return 'did'
  const rkey = plain(key)
  if (rkey === '') return { did, subject, rkey: undefined }
  return RKEY.test(rkey) ? { did, subject, rkey } : 'rkey'
}

function plain(cell: string): string {
  const text = cell.trim()
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"')
  return isQuoted ? text.slice(1, -1) : text
}

function isAccount(did: string): boolean {
  return PLC.test(did) || isValidDid(did)
}

/** Whether the first of several columns is named like a follower's column. */
function isHeader(text: string): boolean {
  const [first, ...others] = text.split(',')
  if (others.length === 0 || text.includes('did:')) return false
  const name = first!.toLowerCase()
  return /^"?[a-z_ -]+"?$/.test(name) && HEADERS.some((value) => name.includes(value))
}
