// Fills a page up as `filledPage` does, where reading may take until later.

import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import { type FilledPage, MAX_READS } from './paged-method.ts'

/**
 * @param read - reads one filtered page; its cursor follows the items read, not those that are left
 */
export function fillPageLater<T>(
  { limit, cursor }: { limit: number; cursor: string | undefined },
  read: (cursor: string | undefined, limit: number) => MaybeLater<FilledPage<T>>,
): MaybeLater<FilledPage<T>> {
  const goOn = (page: FilledPage<T>, reads: number): MaybeLater<FilledPage<T>> => {
    const isOver = page.isCut || page.items.length >= limit || page.cursor === undefined
    if (isOver || reads === MAX_READS) return { items: page.items, cursor: page.cursor }
    return andThen(read(page.cursor, limit - page.items.length), (next) => {
      const items = [...page.items, ...next.items]
      const isStuck = next.cursor === page.cursor
      return goOn({ ...next, items, cursor: isStuck ? undefined : next.cursor }, reads + 1)
    })
  }
  return andThen(read(cursor, limit), (first) => goOn(first, 1))
}
