// Posts named by at-URI: which of them have a row here, and in what state, many at a time.

import { packRkey, unpackRkey } from '../../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../graph/types.ts'
import type { Db } from '../../db.ts'
import { isWithoutRecord, PRESENT } from '../../posts/posts.ts'
import { keyColumn, keyJson } from '../key-list.ts'

export type PostByUri = {
  id: number
  /** `gone`: deleted, or known to be missing. */
  is: 'present' | 'stub' | 'gone'
}

type Row = { id: number; uid: number; rkey: Buffer | string; state: number }

const AT_URI = /^at:\/\/(did:[^/]+)\/app\.bsky\.feed\.post\/([^/?#]+)$/

const POSTS = /* sql */ `
SELECT p.id, p.uid, p.rkey, p.state FROM json_each(?) k
CROSS JOIN posts p ON p.uid = k.value ->> 0 AND p.rkey = ${keyColumn('k.value', 1)}`

/** @returns a function that finds these; unknown posts have no entry */
export type PostsByUri = ReturnType<typeof createPostsByUri>

export function createPostsByUri({ db, actors }: { db: Db; actors: ActorReader }) {
  const select = db.prepare<[string], Row>(POSTS)
  return (uris: Iterable<string>): Map<string, PostByUri> => {
    const keys = [...uris].flatMap((uri) => {
      const [, did = '', rkey = ''] = AT_URI.exec(uri) ?? []
      const uid = did === '' ? 0 : actors.uidOf(did)
      return uid === 0 ? [] : [[uid, ...keyJson(packRkey(rkey))]]
    })
    const rows = keys.length > 0 ? select.all(JSON.stringify(keys)) : []
    return new Map(
      rows.map(({ id, uid, rkey, state }) => [
        `at://${actors.didOf(uid)}/app.bsky.feed.post/${unpackRkey(rkey)}`,
        { id, is: kindOfPost(state) },
      ]),
    )
  }
}

export function kindOfPost(state: number): PostByUri['is'] {
  return state === PRESENT ? 'present' : isWithoutRecord(state) ? 'stub' : 'gone'
}
