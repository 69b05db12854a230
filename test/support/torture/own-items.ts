// A member's own items take what places the followed accounts leave, but up to ten a page. So an own
// item may be left out, yet only where ten newer own ones may stand on the same page.

import { newestFirst, type Row } from './oracle.ts'

const OWN_ITEMS_A_PAGE = 10

/** Those that a page of this size may pass over. Both lists newest first. */
export function ownThatMayHide(
  { followed, own }: { followed: Row[]; own: Row[] },
  pageSize: number,
): Set<Row> {
  const isPacked = (row: Row, i: number) => {
    const newer = own[i - OWN_ITEMS_A_PAGE]
    if (!newer) return false
    const between = followed.filter(
      (one) => newestFirst(newer, one) <= 0 && newestFirst(one, row) <= 0,
    )
    return between.length < pageSize - OWN_ITEMS_A_PAGE
  }
  return new Set(own.filter(isPacked))
}
