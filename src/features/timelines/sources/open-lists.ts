// The members of the lists that a page or stream reads, some at a time: a list may have a hundred thousand, and
// a merge sixteen lists. Afterwards they are cached until the list changes, so that a source finds them at once.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { findList } from '../../../data/store/records/lists.ts'
import type { Members } from './cached-timelines.ts'
import type { Readers } from './open-sources.ts'
import type { TimelineKey } from './timeline-key.ts'

/** Of all lists of a merge together. */
const MAX_MEMBERS = 100_000
const MEMBERS_AT_ONCE = 4_000

type ListReading = (keys: readonly TimelineKey[]) => Generator<void, void>

/** @returns a function that @throws XRPCError 400 if the lists have too many members together */
export function createListReading(
  { db, actors }: { db: Db; actors: Pick<ActorReader, 'uidOf'> },
  readers: Readers,
): ListReading {
  const { kept: cached, begin } = readers

  function idOf({ kind, name }: TimelineKey): number | undefined {
    const uri = kind === 'list' ? parseRecordUri(name) : undefined
    const owner = uri ? actors.uidOf(uri.did) : 0
    return owner === 0 ? undefined : findList(db, owner, packRkey(uri!.rkey))?.id
  }

  return function* (keys) {
    if (!cached) return
    begin()
    let left = MAX_MEMBERS
    for (const key of keys) {
      const list = idOf(key)
      if (list === undefined) continue
      const members = cached.knownList(list) ?? (yield* read(readers, list, left))
      left -= members.all.length
      if (left < 0) throw tooMany()
      cached.addList(list, members)
    }
  }
}

function* read({ lists }: Readers, list: number, most: number): Generator<void, Members> {
  const all: number[] = []
  const set = new Set<number>()
  for (let above = 0; ; ) {
    const some = lists.someMembers(list, { above, limit: MEMBERS_AT_ONCE })
    for (const uid of some) {
      all.push(uid)
      set.add(uid)
    }
    if (some.length < MEMBERS_AT_ONCE || all.length > most) return { all, set }
    above = some.at(-1)!
    yield
  }
}

function tooMany() {
  return invalidRequest(
    `The lists of a merge may have ${MAX_MEMBERS} accounts together`,
    'TooManyAccounts',
  )
}
