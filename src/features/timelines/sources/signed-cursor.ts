// A reader's position, as a signed cursor: JSON in base64url with an HMAC-SHA-256. It names the timeline and
// the direction, so that it cannot be used for anything else, and the signing key. The two newest keys are
// valid, so a cursor is valid for at least the lifetime of one key.

import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import { isSameMac, macOf } from '../../../base/util/secrets.ts'

type SigningKey = { id: number; secret: Buffer }

export type Position = {
  isForward: boolean
  /** One number per merged timeline, in the order of the key; exclusive. */
  at: readonly number[]
  /** Marks of the records given lately (given.ts); none for most timelines. */
  given?: readonly string[]
}

export type Cursors = {
  write(timeline: string, position: Position): string
  /**
   * @throws XRPCError 400 if the cursor is not ours, was modified, is too old, or is for another
   * timeline.
   */
  read(timeline: string, cursor: string): Position
}

type Content = { k: string; d: 'f' | 'b'; s: string[]; v: number; g?: string }

/** The longest key, a number for each of its timelines, and as many marks as there may be. */
const MAX_LENGTH = 12_288
const MARK = /.{8}/g
export const SIGNED = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/

/** @param keys - the valid keys, newest first. */
export function createCursors(keys: () => readonly SigningKey[]): Cursors {
  return {
    write(timeline, { isForward, at, given = [] }) {
      const key = keys()[0]!
      const content: Content = {
        k: timeline,
        d: isForward ? 'f' : 'b',
        s: at.map(String),
        v: key.id,
        ...(given.length > 0 && { g: given.join('') }),
      }
      const text = Buffer.from(JSON.stringify(content)).toString('base64url')
      return `${text}.${macOf(key.secret, text).toString('base64url')}`
    },
    read(timeline, cursor) {
      const content = checked(cursor, keys())
      if (content?.k !== timeline) throw badCursor()
      const { d, s, g } = content
      const given = g?.match(MARK)
      return { isForward: d === 'f', at: s.map(Number), ...(given && { given }) }
    },
  }
}

/** Verifies the signature before parsing. */
function checked(cursor: string, keys: readonly SigningKey[]): Content | undefined {
  const match = cursor.length > MAX_LENGTH ? null : SIGNED.exec(cursor)
  if (!match) return undefined
  const given = Buffer.from(match[2]!, 'base64url')
  const isOurs = keys.some((key) => isSameMac(given, macOf(key.secret, match[1]!)))
  if (!isOurs) return undefined
  return JSON.parse(Buffer.from(match[1]!, 'base64url').toString()) as Content
}

function badCursor(): Error {
  return invalidRequest(
    'This cursor belongs elsewhere, was altered, or is too old: start without one',
    'BadCursor',
  )
}
