// Members' likes and follows in order of arrival: of one timeline, or of all.

import type { Db } from '../../../../data/store/read/id-list.ts'
import type { ActArrival } from '../../../../data/store/timelines/act-arrivals.ts'
import type { ArrivalRange } from './arrivals.ts'

/** `at`: milliseconds, our clock. */
export type Act = ActArrival & { seq: number; at: number }

/** `collection`: of the likes or follows, a number of collections.ts. */
type ActTimeline = { uid: number; collection: number }

export type ActArrivals = {
  tip(): number
  /** @param of - undefined: of all members */
  read(of: ActTimeline | undefined, range: ArrivalRange): Act[]
}

const COLUMNS = `seq, uid, collection, rkey, cid, subject_uid AS subjectUid,
  subject_collection AS subjectCollection, subject_rkey AS subjectRkey, created_at AS createdAt, at`

export function prepareActArrivals(db: Db): ActArrivals {
  const tip = db.prepare<[], number>('SELECT max(seq) FROM act_arrivals').pluck()
  const select = (where: string, beyond: string, order: string) =>
    db.prepare<number[], Act>(
      `SELECT ${COLUMNS} FROM act_arrivals ${where} seq ${beyond} +? ORDER BY seq ${order} LIMIT +?`,
    )
  const own = 'INDEXED BY act_arrivals_by_timeline WHERE uid = +? AND collection = +? AND'
  const ofOne = { up: select(own, '>', ''), down: select(own, '<', 'DESC') }
  const ofAll = { up: select('WHERE', '>', ''), down: select('WHERE', '<', 'DESC') }
  return {
    tip: () => tip.get() ?? 0,
    read(of, { at, limit, isForward }) {
      const way = isForward ? 'up' : 'down'
      if (of === undefined) return ofAll[way].all(at, limit)
      return ofOne[way].all(of.uid, of.collection, at, limit)
    },
  }
}
