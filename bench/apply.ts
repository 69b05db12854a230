// Measures how many decoded events per second are applied: rows, cursor and memory. A synthetic stream with
// the public stream's mix (likes, posts, reposts, follows, deletions; popular posts get most likes) is
// generated beforehand and applied in batches, as the ingest thread does. In the community scope, a hundred
// members follow a hundred authors each, among twenty times as many accounts, and most events are dropped by
// the first check.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../src/base/util/json-object.ts'
import { openWriter } from '../src/data/store/db.ts'
import { applyBatch } from '../src/ingest/indexing/apply-batch.ts'
import type { IndexScope } from '../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../src/ingest/indexing/members/members.ts'
import { openTimeline } from '../src/ingest/indexing/memory/open-timeline.ts'
import { createWriter } from '../src/ingest/indexing/writer.ts'
import { createMemoryParts } from '../test/support/memory-parts.ts'
import { createRandom, type Random } from '../test/support/random.ts'
import { cidOf, didOf, tidAt } from '../test/support/records.ts'
import type { BenchResult } from './runner/result.ts'

const CID = cidOf('some record')
const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const BATCH = 1000
const MEMBERS = 100
const FOLLOWS_EACH = 100

export function bench({ full }: { full: boolean }): BenchResult[] {
  const events = full ? 1_000_000 : 100_000
  const accounts = full ? 300_000 : 30_000
  return [
    ...measure('community', { events, accounts: accounts * 20 }),
    ...measure('network', { events, accounts }),
  ]
}

function measure(scope: IndexScope, size: { events: number; accounts: number }): BenchResult[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const db = openWriter(dataDir)
  const memory = createMemoryParts({
    timelineLength: 1000,
    reasonableLimit: 2000,
    celebrityThreshold: 10_000,
  })
  const now = () => START_MS + 86_400_000
  const writer = createWriter({ db, memory, scope, now })
  const stream = createStream(size.accounts)
  for (let i = 0; i < MEMBERS; i++) {
    writer.commit((ctx) => memberSeen(ctx, stream.dids[i]!))
    openTimeline(db, memory, memory.actors.uidOf(stream.dids[i]!), now())
  }
  apply(stream.memberFollows())
  apply(stream.events(size.events / 10))

  function apply(events: StreamEvent[]): number {
    let applied = 0
    for (let at = 0; at < events.length; at += BATCH) {
      const batch = events.slice(at, at + BATCH)
      const { timeUs } = batch.at(-1)!
      const cursor = { host: 'wss://bench', wire: 'v2', seq: at, timeUs } as const
      applied += writer.commit((ctx) => applyBatch(ctx, { events: batch, cursor })).applied
    }
    return applied
  }

  const events = stream.events(size.events)
  const startedAt = process.hrtime.bigint()
  const cpuBefore = process.cpuUsage()
  const applied = apply(events)
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
  const cpuUs = (cpu.user + cpu.system) / events.length
  return [
    { name: `apply.${scope}.events_per_s`, value: events.length / seconds, unit: 'events/s' },
    { name: `apply.${scope}.cpu_per_event`, value: cpuUs, unit: 'µs' },
    { name: `apply.${scope}.kept_share`, value: applied / events.length, unit: 'of 1' },
  ]
}

/** Events with the public stream's mix. */
function createStream(accounts: number) {
  const random = createRandom(7)
  const dids = Array.from({ length: accounts }, (_, i) => didOf(`account ${i}`))
  const posts: { uri: string; cid: string }[] = []
  const likes: { did: string; rkey: string }[] = []
  const stream = createEventWriter(random)
  const { write } = stream
  const someone = () => random.pick(dids)
  const somePost = () => posts[posts.length - 1 - random.zipf(posts.length)]!

  function post(): void {
    const did = someone()
    const subject = posts.length > 0 ? somePost() : undefined
    const isReply = subject && random.chance(0.49)
    const isQuote = subject && !isReply && random.chance(0.16)
    const rkey = write(did, 'app.bsky.feed.post', {
      text: 'A post of ordinary length, with a few words in it and no great news at all. '.repeat(
        2,
      ),
      langs: ['en'],
      ...(isReply && { reply: { root: subject, parent: subject } }),
      ...(isQuote && { embed: { $type: 'app.bsky.embed.record', record: subject } }),
    })
    posts.push({ uri: `at://${did}/app.bsky.feed.post/${rkey}`, cid: CID })
    if (posts.length > 50_000) posts.splice(0, 25_000)
  }

  function act(): void {
    const dice = random.next()
    if (posts.length === 0 || dice < 0.12) return post()
    if (dice < 0.74) {
      const did = someone()
      likes.push({ did, rkey: write(did, 'app.bsky.feed.like', { subject: somePost() }) })
      return
    }
    if (dice < 0.84) return void write(someone(), 'app.bsky.feed.repost', { subject: somePost() })
    if (dice < 0.95) return void write(someone(), 'app.bsky.graph.follow', { subject: someone() })
    if (dice < 0.97) return void write(someone(), 'app.bsky.graph.block', { subject: someone() })
    stream.removeLike(likes[random.below(likes.length)]!)
  }

  return {
    dids,
    events: (count: number) =>
      stream.take(() => {
        while (stream.count() < count) act()
      }),
    memberFollows: () =>
      stream.take(() => {
        for (const did of dids.slice(0, MEMBERS)) {
          for (let i = 0; i < FOLLOWS_EACH; i++) {
            write(did, 'app.bsky.graph.follow', { subject: dids[random.below(accounts)] })
          }
        }
      }),
  }
}

function createEventWriter(random: Random) {
  let timeUs = START_MS * 1000
  let pending: StreamEvent[] = []

  function write(did: string, collection: string, record: JsonObject): string {
    timeUs += 1500
    const rkey = tidAt(timeUs, random.below(1024))
    const createdAt = new Date(timeUs / 1000).toISOString()
    pending.push({
      kind: 'commit',
      did,
      timeUs,
      seq: undefined,
      operation: 'create',
      rev: tidAt(timeUs, 1),
      collection,
      rkey,
      cid: `${CID.slice(0, 45)}${rkey}a`,
      record: { $type: collection, ...record, createdAt },
    })
    return rkey
  }

  function removeLike(like: { did: string; rkey: string }): void {
    timeUs += 1500
    pending.push({
      kind: 'commit',
      ...like,
      timeUs,
      seq: undefined,
      operation: 'delete',
      rev: tidAt(timeUs, 1),
      collection: 'app.bsky.feed.like',
    })
  }

  /** The events that `make` writes. */
  function take(make: () => void): StreamEvent[] {
    pending = []
    make()
    return pending
  }

  return { write, removeLike, take, count: () => pending.length }
}
