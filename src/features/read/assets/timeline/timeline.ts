// A timeline without end: begins where its reader stopped, on whatever device; tells how much is new above; and
// says where the server itself knows that something is missing.

import { button, el } from '../page/dom.ts'
import { endless } from '../page/endless.ts'
import { t } from '../page/words.ts'
import type { Item } from '../posts/post.ts'
import { watchGaps } from './gaps.ts'
import {
  cursorAt,
  cursorFrom,
  type Position,
  positionOf,
  readPosition,
  savePosition,
} from './place.ts'
import { storePosition } from './position-keeper.ts'
import { createRows, type Rows } from './rows.ts'
import { isVisible } from './tuner.ts'

export type FeedPage = { feed: Item[]; cursor?: string; startCursor?: string }
export type Feed = {
  /** The name under which the position is kept. */
  name: string
  read(query: {
    cursor?: string | undefined
    since?: string | undefined
    limit: number
  }): Promise<FeedPage>
  /** Whether the server says what is missing in it. */
  hasGaps: boolean
}

export type Timeline = {
  node: HTMLElement
  first: Promise<void>
  more: () => Promise<boolean>
  /** Puts in what has arrived among the newest, in whatever order it came. */
  refill(): Promise<void>
  /** Whether it has less than a page. */
  isShort(): boolean
  dispose(): void
}

const PAGE = 30
const MOST_ABOVE = 100
const LOOK_EVERY_MS = 30_000
const AT_TOP = 40
/** What is below it is on the screen. */
const TOP = 80

export function timelineOf(feed: Feed): Timeline {
  const list = el('ol', { class: 'feed' })
  const rows = createRows(list)
  const pill = newAbove()
  /** The place of the newest item that was read. */
  let newest: string | undefined
  /** Where the reader stopped, if anything is newer. */
  let stopped: Stopped | undefined

  const putAbove = (items: readonly Item[]) => pill.add(rows.insertAbove(items))
  async function read(cursor: string | undefined) {
    if (cursor === undefined) stopped = await stoppedAt(feed)
    const from = cursor ?? (stopped && cursorFrom(stopped.position))
    const page = await feed.read({ cursor: from, limit: PAGE })
    if (cursor === undefined) newest = (stopped?.above ?? page).startCursor
    return { nodes: rows.each(page.feed), cursor: page.cursor }
  }
  async function look(query: { since?: string | undefined }): Promise<void> {
    const page = await feed.read({ ...query, limit: MOST_ABOVE })
    newest = page.startCursor ?? newest
    putAbove(page.feed)
  }

  const { node, first, more } = endless(list, read)
  const position = storePosition(feed.name, { list, rows })
  const gaps = feed.hasGaps
    ? watchGaps({ list, rows: rows.all, fill: fillOf(feed, rows) })
    : undefined
  const looking = setInterval(() => {
    if (document.visibilityState === 'visible') void look({ since: newest }).catch(() => {})
  }, LOOK_EVERY_MS)
  /** Shows the place where the reader stopped, with what is new above it. */
  function goOn({ position, above, isAll }: Stopped): void {
    if (!isAll) return pill.tooMany(above.feed.length, () => startOver(feed, above))
    rows.insertAbove(above.feed)
    rows.scrollTo(position)
    pill.add(newSince(left.get(feed.name), rows))
  }
  const visible = first.then(() => {
    if (stopped) goOn(stopped)
    void gaps?.look()
    position.soon()
  })

  return {
    node: el('div', { class: 'timeline' }, pill.node, node),
    first: visible,
    more,
    refill: () => look({}),
    isShort: () => rows.all.length < PAGE,
    dispose() {
      left.set(feed.name, { ms: rows.all[0]?.position.ms ?? 0, unread: pill.count() })
      position.dispose()
      clearInterval(looking)
      gaps?.dispose()
      pill.dispose()
    },
  }
}

/** What of each timeline was on the page when it was left, in this visit. */
const left = new Map<string, { ms: number; unread: number }>()

/** Not again what one has scrolled past. */
function newSince(before: { ms: number; unread: number } | undefined, rows: Rows): number {
  const above = rows.all.filter(({ node }) => node.getBoundingClientRect().bottom < TOP)
  if (!before) return above.length
  const fresh = above.filter(({ position: place }) => place.ms > before.ms).length
  return Math.min(above.length, fresh + before.unread)
}

type Stopped = { position: Position; above: FeedPage; isAll: boolean }

async function stoppedAt(feed: Feed): Promise<Stopped | undefined> {
  const position = await readPosition(feed.name)
  if (!position) return undefined
  const above = await feed.read({ since: cursorAt(position), limit: MOST_ABOVE })
  if (!above.feed.some(isVisible)) return undefined
  const isAll = above.cursor === undefined || above.cursor === cursorAt(position)
  return { position, above, isAll }
}

/** More is new than one page holds: a new list begins at the newest. */
async function startOver(feed: Feed, { feed: items }: FeedPage): Promise<void> {
  await savePosition(feed.name, positionOf(items[0]!), false)
  location.reload()
}

/** Puts in what has arrived between two places since they were read. */
function fillOf(feed: Feed, rows: Rows) {
  return async ({ over, under }: { over: Position | undefined; under: Position | undefined }) => {
    const bounds = { cursor: over && cursorAt(over), since: under && cursorAt(under) }
    rows.insert((await feed.read({ ...bounds, limit: MOST_ABOVE })).feed)
  }
}

/** "12 new above": leads there, and goes when one is there. */
function newAbove() {
  let count = 0
  let onPress = () => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    scrollTo({ top: 0, behavior: isCalm ? 'auto' : 'smooth' })
    forget()
  }
  const node = button(t('toTop'), () => onPress(), { class: 'pill', hidden: true })
  const show = (words: string | number) => {
    node.hidden = count === 0
    node.textContent = count === 0 ? t('toTop') : t('newAbove', { count: words })
  }
  const forget = () => {
    count = 0
    show(0)
  }
  const onScroll = () => {
    if (scrollY < AT_TOP && count > 0) forget()
  }
  addEventListener('scroll', onScroll, { passive: true })
  return {
    node,
    count: () => count,
    add(more: number) {
      // Without anything above the screen there is nothing to lead to.
      if (more === 0 || scrollY < AT_TOP) return
      count += more
      show(count)
    },
    tooMany(some: number, leadThere: () => Promise<void>) {
      count = some
      onPress = () => void leadThere()
      show(`${some}+`)
    },
    dispose: () => removeEventListener('scroll', onScroll),
  }
}
