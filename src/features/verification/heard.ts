// What a Jetstream host said of members and those they follow: each account's last revision, and the newest
// writes that may be proved. Both are bounded.

import type { CommitEvent, StreamBatch, StreamItem } from '@slipstream/jetstream'
import { LruMap } from '../../base/util/lru.ts'
import type { ActorWriter } from '../../data/graph/types.ts'
import { isInCircle } from '../../ingest/indexing/index-context.ts'

export type Said = {
  host: string
  did: string
  collection: string
  rkey: string
  /** undefined: deleted. */
  cid: string | undefined
  rev: string
  /** By our clock. */
  atMs: number
}

export type Heard = {
  note(batch: StreamBatch): void
  /** Takes one that has been known for so long. */
  takeOne(beforeMs: number): Said | undefined
  /** The latest that was said of the key since the start, as far as it is remembered. */
  latest(did: string, key: string): Said | undefined
  /** The last revision of the account since the start. */
  revOf(did: string): string | undefined
  /** It is known otherwise that the account is at this revision. */
  correct(did: string, rev: string): void
  /** Accounts heard of lately. */
  accounts(): string[]
  host(): string
  /** The host is catching up: what is newer has yet to come. */
  isBehind(): boolean
}

const MAX_ACCOUNTS = 50_000
const MAX_KEYS = 50_000
/** Waiting to be proved; if more is written, the oldest are not. */
const MAX_WAITING = 500
const MAX_RECENT = 200
const BEHIND_MS = 30_000

export function createHeard(options: {
  actors: ActorWriter
  isOurs: (did: string) => boolean
}): Heard {
  const { actors, isOurs } = options
  const revs = new LruMap<string, string>(MAX_ACCOUNTS)
  const keys = new LruMap<string, Said>(MAX_KEYS)
  const waiting: Said[] = []
  const recent = new Set<string>()
  let host = ''
  let isBehind = false

  function commitIn(item: StreamItem): CommitEvent | undefined {
    if (item.kind === 'unread') {
      return isInCircle(actors, actors.uidOfPlc(item.bytes, item.creatorAt))
        ? item.read()
        : undefined
    }
    return item.kind === 'commit' && isOurs(item.did) ? item : undefined
  }

  function note({ events, cursor }: StreamBatch): void {
    host = cursor.host
    isBehind = Date.now() - cursor.timeUs / 1000 > BEHIND_MS
    for (const item of events) {
      const event = commitIn(item)
      if (event) add(event)
    }
  }

  function add(event: CommitEvent): void {
    const { did, collection, rkey, rev } = event
    const cid = event.operation === 'delete' ? undefined : event.cid
    const said = { host, did, collection, rkey, cid, rev, atMs: Date.now() }
    const key = keyOf(did, `${collection}/${rkey}`)
    if ((keys.get(key)?.rev ?? '') <= rev) keys.set(key, said)
    if ((revs.get(did) ?? '') < rev) revs.set(did, rev)
    if (!isBehind) waiting.push(said)
    if (waiting.length > MAX_WAITING) waiting.shift()
    recent.delete(did)
    recent.add(did)
    if (recent.size > MAX_RECENT) recent.delete(recent.values().next().value!)
  }

  return {
    note,
    takeOne: (beforeMs) =>
      waiting[0] && waiting[0].atMs <= beforeMs ? waiting.shift() : undefined,
    latest: (did, key) => keys.get(keyOf(did, key)),
    revOf: (did) => revs.get(did),
    correct: (did, rev) => void revs.set(did, rev),
    accounts: () => [...recent],
    host: () => host,
    isBehind: () => isBehind,
  }
}

function keyOf(did: string, key: string): string {
  return `${did}/${key}`
}
