// Stream events of the costly world's accounts, each with a later time than the one before.

import type { WriteEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { cidOf, didOf, tidAt } from '../records.ts'

export type RecordId = { uri: string; cid: string }
export type Acts = ReturnType<typeof createActs>

/** Both in microseconds, `startUs` since 1970. */
export function createActs({ startUs, stepUs }: { startUs: number; stepUs: number }) {
  let clockUs = startUs
  const collected: WriteEvent[] = []

  function create(did: string, collection: string, record: JsonObject, key?: string): RecordId {
    clockUs += stepUs
    const timeUs = clockUs
    const rkey = key ?? tidAt(timeUs)
    const full = { $type: collection, createdAt: isoOf(timeUs), ...record }
    const cid = cidOf([did, rkey])
    const commit = { kind: 'commit', did, timeUs, seq: undefined, rev: tidAt(timeUs, 1) } as const
    collected.push({ ...commit, operation: 'create', collection, rkey, cid, record: full })
    return { uri: `at://${did}/${collection}/${rkey}`, cid }
  }

  return {
    create,
    /** The same time for all records that name it. */
    isoNow: () => isoOf(clockUs),
    /** @returns the events made since the last call */
    take: (): WriteEvent[] => collected.splice(0),
    isAtLeast: (events: number): boolean => collected.length >= events,
    post: (did: string, text: string, more: JsonObject = {}) =>
      create(did, 'app.bsky.feed.post', { text, ...more }),
    like: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.like', { subject }),
    repost: (did: string, subject: RecordId) => create(did, 'app.bsky.feed.repost', { subject }),
    block: (did: string, subject: string) => create(did, 'app.bsky.graph.block', { subject }),
    follow: (did: string, subject: string) => create(did, 'app.bsky.graph.follow', { subject }),
    list: (did: string, name: string, purpose = 'curatelist') =>
      create(did, 'app.bsky.graph.list', { name, purpose: `app.bsky.graph.defs#${purpose}` }),
    item: (did: string, list: RecordId, subject: string) =>
      create(did, 'app.bsky.graph.listitem', { list: list.uri, subject }),
  }
}

/** The i-th of the many accounts that do nothing remarkable. */
export function crowd(i: number): string {
  return didOf(`crowd ${i}`)
}

function isoOf(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1000)).toISOString()
}
