// A reader's stored position in a timeline: GET answers it as a cursor, PUT replaces it.

import { z } from 'zod'
import { forbidden, invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { type Answer, jsonAnswer } from '../../../http/server/http-answer.ts'
import type { CursorOutcome, CursorReader, TimelineWriter } from '../requests.ts'
import type { Cursors } from '../sources/signed-cursor.ts'
import { CURSOR_LIMITS, type CursorOwner, findStoredCursor } from '../store/timeline-cursors.ts'
import { type Asker, checkMay, TOKEN_PREFIX } from './access.ts'
import type { Handler } from './call.ts'
import { readJson } from './request-parts.ts'

/** The body of a request that stores a reading position. */
export const putCursorSchema = z.object({ cursor: z.string() }).strict()

type CursorContext = {
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
  cursors: Cursors
  ingest: Pick<TimelineWriter, 'storeCursor'>
  /** Waits for the engine's keys, if several nodes share them. */
  upToDate: () => Promise<unknown>
}

export function getCursor(context: CursorContext): Handler {
  return ({ asker, keys, key }) => {
    checkMay(asker, 'read', keys)
    const answer = storedCursor(context, asker, key)
    if (!answer) throw new XRPCError(404, 'NoCursor', 'You have no stored cursor for this timeline')
    return answer
  }
}

export function putCursor(context: CursorContext): Handler {
  const { cursors, ingest, upToDate } = context
  return async ({ request, asker, keys, key }) => {
    checkMay(asker, 'read', keys)
    const cursor = cursorIn(await readJson(request))
    await upToDate()
    const position = cursors.read(key, cursor)
    const outcome = await ingest.storeCursor({ reader: readerOf(asker), timeline: key, position })
    return (outcome === 'stored' && storedCursor(context, asker, key)) || refuse(asker, outcome)
  }
}

/** Signed again, so it is valid however long ago it was stored. */
function storedCursor(
  { db, actors, cursors }: CursorContext,
  asker: Asker,
  key: string,
): Answer | undefined {
  const found = findStoredCursor(db, ownerOf(actors, readerOf(asker)), key)
  if (!found) return undefined
  return jsonAnswer({ cursor: cursors.write(key, found), updated_at: isoTime(found.updatedAt) })
}

/** @throws XRPCError 429, or 403 if the membership or token ended meanwhile */
function refuse({ isMember }: Asker, outcome: CursorOutcome): never {
  if (outcome !== 'full') throw forbidden('Your access to these timelines has ended', 'OutOfScope')
  const { rows, bytes } = isMember ? CURSOR_LIMITS.member : CURSOR_LIMITS.token
  const message = `At most ${rows} cursors of ${bytes >> 10} kB together are stored; one that is not stored again for 90 days is dropped`
  throw new XRPCError(429, 'TooManyCursors', message)
}

function readerOf({ name, isMember }: Asker): CursorReader {
  return isMember ? { did: name } : { token: name.slice(TOKEN_PREFIX.length) }
}

function ownerOf(actors: CursorContext['actors'], reader: CursorReader): CursorOwner {
  if ('token' in reader) return { uid: 0, token: reader.token }
  return { uid: actors.uidOf(reader.did), token: '' }
}

function cursorIn(body: unknown): string {
  const parsed = putCursorSchema.safeParse(body)
  if (parsed.success) return parsed.data.cursor
  throw invalidRequest('The body must look like {"cursor": "…"}')
}
