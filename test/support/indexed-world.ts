// Puts a social world into a database through the real indexer, each record as an event, in the order of
// creation. Results that only indexing can work out (replies and quotes that break a gate) are written back
// to the world, so that the reference sees the same.

import { keyOf } from '@slipstream/follow-graph'
import type { StreamEvent } from '@slipstream/jetstream'
import { packRkey } from '../../src/base/atproto/keys.ts'
import type { WriteDb } from '../../src/data/store/db.ts'
import { setActorIdentity } from '../../src/data/store/records/actors.ts'
import { applyBatch } from '../../src/ingest/indexing/apply-batch.ts'
import { memberSeen } from '../../src/ingest/indexing/members/members.ts'
import { bookmark, mute, muteList } from '../../src/ingest/indexing/members/private-state.ts'
import { createWriter } from '../../src/ingest/indexing/writer.ts'
import { createMemoryParts } from './memory-parts.ts'
import type { World, WorldAction } from './social-world.ts'
import type { WrittenWorld } from './world-rows.ts'

const LATE_MS = Date.UTC(2027, 0, 1)

/** @param members - DIDs of accounts that are members from the beginning */
export function indexWorld(
  db: WriteDb,
  world: World,
  members: Iterable<string> = [],
): WrittenWorld {
  const memory = createMemoryParts({
    timelineLength: 100,
    reasonableLimit: 2000,
    celebrityThreshold: 10_000,
  })
  const { actors, graph } = memory
  const writer = createWriter({ db, memory, scope: 'network', now: () => LATE_MS })
  const apply = (event: StreamEvent) => writer.commit((ctx) => applyBatch(ctx, { events: [event] }))
  for (const did of members) writer.commit((ctx) => memberSeen(ctx, did))
  for (const [i, act] of world.deeds.entries()) apply(toEvent(act, i))
  for (const { did, handle, status } of world.accounts.values()) {
    const uid = actors.uidOf(did)
    if (uid === 0) world.accounts.delete(did)
    const identity = { handle: handle ?? null, handleValid: true, pds: null, checkedAt: LATE_MS }
    if (handle) writer.commit(() => setActorIdentity(db, uid, identity))
    if (!status) continue
    const timeUs = LATE_MS * 1000
    apply({ kind: 'account', did, timeUs, seq: undefined, active: false, status })
    if (status === 'deleted') world.removeAllOf(did)
  }
  const split = (pair: string) => pair.split(' ') as [string, string]
  for (const [pair, scope] of world.mutes) {
    const [did, subject] = split(pair)
    const narrow = { onlyReposts: (scope & 1) !== 0, onlyQuoteposts: (scope & 2) !== 0 }
    writer.commit((ctx) => mute(ctx, did, subject, narrow))
  }
  for (const [did, list] of [...world.listMutes].map(split)) {
    writer.commit((ctx) => muteList(ctx, did, list))
  }
  for (const [did, uri] of [...world.bookmarks].map(split)) {
    writer.commit((ctx) => bookmark(ctx, did, { uri, cid: 'whatever' }))
  }
  const idIn = (table: string) => {
    const select = db
      .prepare<[number, Buffer | string], number>(
        `SELECT id FROM ${table} WHERE uid = ? AND rkey = ?`,
      )
      .pluck()
    return (uri: string) => {
      const [, , did, , rkey] = uri.split('/') as [string, string, string, string, string]
      return select.get(actors.uidOf(did), packRkey(rkey)) ?? 0
    }
  }
  const post = idIn('posts')
  const flags = db.prepare<[number], number>('SELECT flags FROM posts WHERE id = ?').pluck()
  world.flags.clear()
  for (const { uri } of world.of('app.bsky.feed.post')) {
    world.flags.set(uri, flags.get(post(uri)) ?? 0)
  }
  const uid = (did: string) => actors.uidOf(did)
  const order = (did: string) => keyOf(uid(did))
  return { uid, order, post, repost: idIn('reposts'), actors, graph }
}

function toEvent({ record, kind }: WorldAction, i: number): StreamEvent {
  const { did, collection, rkey, cid, value } = record
  const event = { kind: 'commit', did, collection, rkey, seq: undefined } as const
  const timeUs = LATE_MS * 1000
  const rev = revOf(i)
  if (kind === 'delete') return { ...event, timeUs, rev, operation: 'delete' }
  return { ...event, timeUs, rev, operation: kind, cid, record: value }
}

/** Returns increasing revisions. */
function revOf(n: number): string {
  const digits = '234567abcdefghijklmnopqrstuvwxyz'
  let text = ''
  for (let rest = n; text.length < 7; rest = Math.floor(rest / 32)) text = digits[rest % 32] + text
  return `3baaaa${text}`
}
