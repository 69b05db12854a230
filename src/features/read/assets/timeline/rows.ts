// The items of a timeline that are on the page, each once and in order.

import { el } from '../page/dom.ts'
import { type Item, postCard } from '../posts/post.ts'
import { inOrder, keyOf, type Place, placeOf } from './place.ts'
import { isShown, postOf } from './tuner.ts'

export type Row = { key: string; place: Place; node: HTMLElement }
export type Rows = {
  all: readonly Row[]
  /** Puts items where they belong; those that are here already stay. @returns the new ones */
  insert(items: readonly Item[]): Row[]
  /** The same above what is on the screen, without moving it. @returns how many are new */
  insertAbove(items: readonly Item[]): number
  /** Brings the item at this place, or the next below it, to the top of the screen. */
  scrollTo(place: Place): void
}

/** Height of what covers the top of the page. */
const BAR = 80

export function createRows(list: HTMLElement): Rows {
  const rows: Row[] = []

  function put(row: Row): void {
    const at = rows.findIndex(({ place }) => inOrder(row.place, place) < 0)
    if (at < 0) {
      list.append(row.node)
      rows.push(row)
    } else {
      rows[at]!.node.before(row.node)
      rows.splice(at, 0, row)
    }
  }

  function insert(items: readonly Item[]): Row[] {
    const known = new Set(rows.map(({ key }) => key))
    const fresh = items
      .filter((item) => isShown(item) && !known.has(keyOf(item)))
      .map((item) => rowOf(item))
    for (const row of fresh) put(row)
    return fresh
  }

  return {
    all: rows,
    insert,
    insertAbove(items) {
      const anchor = rows.find(({ node }) => node.getBoundingClientRect().bottom > BAR)
      const before = anchor?.node.getBoundingClientRect().top ?? 0
      const fresh = insert(items)
      if (anchor) scrollBy(0, anchor.node.getBoundingClientRect().top - before)
      return fresh.length
    },
    scrollTo(to) {
      const row = rows.find(({ place }) => inOrder(place, to) >= 0)
      row?.node.scrollIntoView({ block: 'start' })
    },
  }
}

function rowOf(item: Item): Row {
  const parent = postOf(item.reply?.parent)
  const card = postCard(item.post, { reason: item.reason, parent })
  return { key: keyOf(item), place: placeOf(item), node: el('li', {}, card) }
}
