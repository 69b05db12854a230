// Tokens that let the page /read read as one member. The operator creates them for some hours; they are valid
// only for the few queries that the page needs. Each is a MAC over account and expiry, keyed from the
// operator's token, so nothing is stored, and changing the operator's token revokes them all. The key
// derivation is slow, so that a holder of such a token can't guess the operator's. The answers contain nothing
// of the member's private state (answers/hydrate/types.ts, `withoutPrivateState`).

import { scryptSync } from 'node:crypto'
import { isValidDid } from '@atproto/syntax'
import { isSameMac, macOf } from '../../base/util/secrets.ts'

type ReadingTokens = {
  mint(did: string, hours: number): string
  /** @returns undefined unless the token is valid for this method now */
  didOf(token: string, nsid: string): string | undefined
}

const PREFIX = 'read.'
export const MAX_READING_HOURS = 30 * 24
/** Methods that a link may call. */
export const READABLE: ReadonlySet<string> = new Set([
  'app.bsky.actor.getProfile',
  'app.bsky.feed.getAuthorFeed',
  'app.bsky.feed.getPostThread',
  'app.bsky.feed.getTimeline',
  'app.bsky.graph.getKnownFollowers',
  'io.slipstream.graph.getSocialProof',
])
const SALT = 'slipstream reading tokens'
const KEY_BYTES = 32
const MAX_LENGTH = 4_096
const FORM = /^read\.([\w-]+)\.([\w-]+)$/
const HOUR_SECONDS = 3_600

export function isReadingToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

export function createReadingTokens(
  operatorToken: string,
  now: () => number = Date.now,
): ReadingTokens {
  let key: Buffer | undefined

  /** Derives the key on first use, since that takes some ten milliseconds. */
  function signatureOf(payload: string): Buffer {
    key ??= scryptSync(operatorToken, SALT, KEY_BYTES)
    return macOf(key, payload)
  }

  return {
    mint(did, hours) {
      const claims = { did, exp: Math.floor(now() / 1000) + hours * HOUR_SECONDS }
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
      return `${PREFIX}${payload}.${signatureOf(payload).toString('base64url')}`
    },
    didOf(token, nsid) {
      const [, payload = '', mac = ''] = token.length <= MAX_LENGTH ? (FORM.exec(token) ?? []) : []
      if (payload === '' || !READABLE.has(nsid)) return undefined
      if (!isSameMac(Buffer.from(mac, 'base64url'), signatureOf(payload))) return undefined
      const { did, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return isValidDid(did) && exp * 1000 > now() ? did : undefined
    },
  }
}
