// A reader's session: the choices of its first page, which its further pages continue, so that they are stable and
// no post comes twice. Sessions are in the memory of one thread; a cursor of one that is gone begins a new one,
// from which all that was shown is left out.

import { randomBytes } from 'node:crypto'
import { LruMap } from '../../base/util/lru.ts'

export type Session = {
  id: string
  /** DID; undefined for visitors. */
  reader: string | undefined
  choices: readonly Choice[]
  /** Authors of the posts shown last, the latest last. */
  visibleAuthors: number[]
  /** Posts shown so far, and those of them by accounts that the reader follows. */
  visible: number
  followed: number
}

/** A post as the engine names it, and why it was chosen. */
export type Choice = { uri: string; reason: string }

const MAX_SESSIONS = 300
const CURSOR = /^([0-9a-f]{16})\.(\d{1,4})$/

export function createSessions() {
  const sessions = new LruMap<string, Session>(MAX_SESSIONS)
  return {
    begin(reader: string | undefined, choices: readonly Choice[]): Session {
      const id = randomBytes(8).toString('hex')
      const session = { id, reader, choices, visibleAuthors: [], visible: 0, followed: 0 }
      sessions.set(id, session)
      return session
    },

    /** The session and place of a cursor, if both are still known to be the reader's. */
    at(cursor: string | undefined, reader: string | undefined) {
      const [, id = '', start] = CURSOR.exec(cursor ?? '') ?? []
      const session = sessions.get(id)
      return session && session.reader === reader ? { session, start: Number(start) } : undefined
    },
  }
}

export function cursorOf({ id }: Session, rank: number): string {
  return `${id}.${rank}`
}
