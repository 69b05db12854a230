// A member's own items fill the slots that the followed accounts leave, at most ten per page. So an own item
// may be missing, but only where ten newer own items may be on the same page.

import { newestFirst, type Row } from './oracle.ts'

const OWN_ITEMS_A_PAGE = 10

/** Own items that a page of this size may skip. Both lists are newest first. */
export function ownThatMayHide(
  { followed, own }: { followed: Row[]; own: Row[] },
  pageSize: number,
): Set<Row> {
  const isPacked = (row: Row, i: number) => {
    const newer = own[i - OWN_ITEMS_A_PAGE]
    if (!newer) return false
    const between = followed.filter(
      (item) => newestFirst(newer, item) <= 0 && newestFirst(item, row) <= 0,
    )
    return between.length < pageSize - OWN_ITEMS_A_PAGE
  }
  return new Set(own.filter(isPacked))
}
