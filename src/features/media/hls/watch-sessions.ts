// Viewing sessions, carried in playlists so that segments can be counted: a random ID, the time, and a MAC
// over both and the post that shows the video. A session does not identify the viewer. The key lives as long
// as the process, and so do sessions. An address may begin a limited number a day; beyond that, videos play
// uncounted.

import { randomBytes } from 'node:crypto'
import { isSameSecret, macOf } from '../../../base/util/secrets.ts'
import { CountTable, createCountBuffer } from '../../../data/shared-memory/count-table.ts'
import type { BlobName } from '../media-path.ts'
import { SESSION_MS } from '../watches/count-watches.ts'

/** Shared by all serving threads. */
export type SessionSpace = { key: Uint8Array; begun: SharedArrayBuffer }

/** A video as shown by one post. */
export type WatchedVideo = { name: BlobName; rkey: string }

type WatchSession = { session: string; issuedAt: number }

export type WatchSessions = {
  /** @param visitor - the requesting address; undefined lifts the limit. */
  begin(video: WatchedVideo, visitor: string | undefined): string | undefined
  /** Undefined if the token is not ours or has expired. */
  read(video: WatchedVideo, token: string): WatchSession | undefined
}

/** More from one address is likely a program. */
const MOST_OF_A_POST = 20
const MOST_OF_AN_ADDRESS = 5_000
const DAY_SECONDS = 86_400
const ID_BYTES = 9
const TIME_BYTES = 6
const MAC_BYTES = 16
const TOKEN = /^[\w-]{20}[\w-]{22}$/

export function createSessionSpace(): SessionSpace {
  return { key: randomBytes(32), begun: createCountBuffer() }
}

export function createWatchSessions(options: {
  space: SessionSpace
  now: () => number
}): WatchSessions {
  const { space, now } = options
  const begun = new CountTable(space.begun, { windowSeconds: DAY_SECONDS })

  function mayBegin({ name, rkey }: WatchedVideo, visitor: string): boolean {
    const ofAll = begun.add(`all ${visitor}`, 1, now()).spent
    const ofPost = begun.add(`${visitor} ${name.did} ${rkey}`, 1, now()).spent
    return ofAll <= MOST_OF_AN_ADDRESS && ofPost <= MOST_OF_A_POST
  }

  function signatureOf({ name: { did, cid }, rkey }: WatchedVideo, head: string): string {
    const mac = macOf(space.key, `${head} ${did} ${cid} ${rkey}`)
    return mac.toString('base64url', 0, MAC_BYTES)
  }

  return {
    begin(video, visitor) {
      if (visitor !== undefined && !mayBegin(video, visitor)) return undefined
      const head = Buffer.alloc(TIME_BYTES + ID_BYTES, randomBytes(TIME_BYTES + ID_BYTES))
      head.writeUIntBE(now(), 0, TIME_BYTES)
      const text = head.toString('base64url')
      return text + signatureOf(video, text)
    },
    read(video, token) {
      if (!TOKEN.test(token)) return undefined
      const session = token.slice(0, 20)
      if (!isSameSecret(token.slice(20), signatureOf(video, session))) return undefined
      const issuedAt = Buffer.from(session, 'base64url').readUIntBE(0, TIME_BYTES)
      return now() - issuedAt < SESSION_MS ? { session, issuedAt } : undefined
    },
  }
}
