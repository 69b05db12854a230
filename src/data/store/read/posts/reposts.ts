// Repost records, many at a time: small scalars, with keys and CIDs read separately, as for posts (posts.ts).
// A repost's row never changes: another record under its key gets its own row and id.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Db, idList } from '../id-list.ts'

export type RepostRow = [id: number, uid: number, subject: number, sortAt: number]

export type RepostTextRow = [id: number, rkey: PackedRkey, cid: Buffer]

type RepostReader = {
  rows(ids: Iterable<number>): RepostRow[]
  texts(ids: Iterable<number>): RepostTextRow[]
}

export function prepareReposts(db: Db): RepostReader {
  const rows = db.prepare<[string], RepostRow>(select('r.id, r.uid, r.subject, r.sort_at')).raw()
  const texts = db.prepare<[string], RepostTextRow>(select('r.id, r.rkey, r.cid')).raw()
  return {
    rows: (ids) => rows.all(idList(ids)) as unknown as RepostRow[],
    texts: (ids) => texts.all(idList(ids)) as unknown as RepostTextRow[],
  }
}

function select(columns: string): string {
  return /* sql */ `
SELECT ${columns} FROM json_each(?) ids CROSS JOIN reposts r ON r.id = ids.value`
}
