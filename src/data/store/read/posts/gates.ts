import { type Db, idList } from '../id-list.ts'

export type GateRow = { post: number; cid: Buffer; record: string }

type GateReader = {
  threadgates(postIds: Iterable<number>): GateRow[]
  postgates(postIds: Iterable<number>): GateRow[]
}

export function prepareGates(db: Db): GateReader {
  const threadgates = db.prepare<[string], GateRow>(selectFrom('threadgates'))
  const postgates = db.prepare<[string], GateRow>(selectFrom('postgates'))
  return {
    threadgates: (postIds) => threadgates.all(idList(postIds)),
    postgates: (postIds) => postgates.all(idList(postIds)),
  }
}

function selectFrom(table: string): string {
  return /* sql */ `
SELECT g.post, g.cid, CAST(g.record AS TEXT) AS record
FROM json_each(?) ids CROSS JOIN ${table} g ON g.post = ids.value`
}
