// The items of a timeline that are on the page, each once and in order.

import { el } from '../page/dom.ts'
import { type Item, postCard } from '../posts/post.ts'
import { inOrder, keyOf, type Position, positionOf } from './place.ts'
import { isVisible, postOf } from './tuner.ts'

export type Row = { key: string; position: Position; node: HTMLElement }
export type Rows = {
  all: readonly Row[]
  /** Puts items where they belong; those that are here already stay. @returns the new ones, each as it is taken */
  each(items: readonly Item[]): Iterable<HTMLElement>
  /** The same with all of them at once. @returns how many are new */
  insert(items: readonly Item[]): number
  /** The same above what is on the screen, without moving it. @returns how many are new */
  insertAbove(items: readonly Item[]): number
  /** Brings the item at this place, or the next below it, to the top of the screen. */
  scrollTo(position: Position): void
}

/** Height of what covers the top of the page. */
const BAR = 80

export function createRows(list: HTMLElement): Rows {
  const rows: Row[] = []

  function put(row: Row): void {
    const at = rows.findIndex(({ position }) => inOrder(row.position, position) < 0)
    if (at < 0) {
      list.append(row.node)
      rows.push(row)
    } else {
      rows[at]!.node.before(row.node)
      rows.splice(at, 0, row)
    }
  }

  function* each(items: readonly Item[]): Generator<HTMLElement> {
    for (const item of items) {
      if (!isVisible(item) || rows.some(({ key }) => key === keyOf(item))) continue
      const row = rowOf(item)
      put(row)
      yield row.node
    }
  }

  const insert = (items: readonly Item[]) => [...each(items)].length

  return {
    all: rows,
    each,
    insert,
    insertAbove(items) {
      const anchor = rows.find(({ node }) => node.getBoundingClientRect().bottom > BAR)
      const before = anchor?.node.getBoundingClientRect().top ?? 0
      const count = insert(items)
      if (anchor) scrollBy(0, anchor.node.getBoundingClientRect().top - before)
      return count
    },
    scrollTo(to) {
      const row = rows.find(({ position }) => inOrder(position, to) >= 0)
      row?.node.scrollIntoView({ block: 'start' })
    },
  }
}

function rowOf(item: Item): Row {
  const parent = postOf(item.reply?.parent)
  const card = postCard(item.post, { reason: item.reason, parent })
  return { key: keyOf(item), position: positionOf(item), node: el('li', {}, card) }
}
