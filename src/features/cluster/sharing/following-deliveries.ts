// Assigns this node's arrivals to the timelines of given members, whose buckets this node holds. Hidden and
// blocked items are filtered on reading, so that they reappear if that ends.

import { forEachOpenFollower } from '@slipstream/follow-graph'
import {
  openFollowing,
  type Readers,
  type SourceContext,
} from '../../timelines/sources/open-sources.ts'
import type { Arrival } from '../../timelines/store/read/arrivals.ts'
import type { NamedItem } from '../../timelines/store/read/logged-items.ts'

/** An arrival, by the name that it has on every node. */
export type Delivered = NamedItem & Pick<Arrival, 'seq' | 'at'>

type Members = { readonly size: number; has(uid: number): boolean; keys(): Iterable<number> }

export type Deliveries = {
  /** Arrivals by member, in order: all after `at`, up to `reached`. */
  after(at: number, members: Members): { to: Map<number, Delivered[]>; reached: number }
  /** The newest items of a member's timeline, up to this number. */
  newest(uid: number, reached: number): Delivered[]
}

const ARRIVALS_AT_ONCE = 1_000
/** A soft limit: the last arrival's deliveries may exceed it. */
const MAX_DELIVERIES = 20_000
const NEWEST = 500

export function createDeliveries(context: SourceContext, readers: Readers): Deliveries {
  const { graph, isDrawn } = context
  const { arrivals, logged } = readers

  function named(rows: readonly Arrival[]): Delivered[] {
    const found = logged.byItem(rows.map(({ item }) => item))
    return rows.flatMap(({ seq, at, item }) => {
      const namedItem = found.get(item)
      return namedItem ? [{ ...namedItem, seq, at }] : []
    })
  }

  /** The members who follow the account, and the account itself if it is a member. */
  function ownersOf({ uid, item }: Arrival, members: Members): number[] {
    const owners = members.has(uid) ? [uid] : []
    const timelines = {
      isOpen: (owner: number) => members.has(owner),
      openCount: members.size,
      owners: () => members.keys(),
    }
    forEachOpenFollower({ graph, timelines }, uid, (owner) => {
      if (isDrawn(owner, item)) owners.push(owner)
    })
    return owners
  }

  return {
    after(at, members) {
      const rows = arrivals.all({ at, isForward: true, limit: ARRIVALS_AT_ONCE })
      const pairs: (readonly [number, Arrival])[] = []
      let reached = at
      for (const row of rows) {
        for (const owner of ownersOf(row, members)) pairs.push([owner, row])
        reached = row.seq
        if (pairs.length >= MAX_DELIVERIES) break
      }
      const items = new Map(named(rows).map((delivered) => [delivered.seq, delivered]))
      const cache = Map.groupBy(pairs, ([owner]) => owner)
      const to = [...cache].map(([owner, own]) => {
        return [owner, own.flatMap(([, { seq }]) => items.get(seq) ?? [])] as const
      })
      return { to: new Map(to), reached }
    },
    newest(uid, reached) {
      const source = openFollowing(context, readers, { key: '', uid })
      const slice = source.read({ at: reached + 1, isForward: false, limit: NEWEST })
      return slice instanceof Promise ? [] : named(slice.events.toReversed())
    },
  }
}
