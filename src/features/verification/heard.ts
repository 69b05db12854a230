// What a Jetstream host said of members and those they follow: each account's last revision, and the newest
// writes that may be proved. Both are bounded.

import type { CommitEvent, StreamBatch, StreamItem } from '@slipstream/jetstream'
import { LruMap } from '../../base/util/lru.ts'
import type { ActorWriter } from '../../data/graph/types.ts'
import { isInCircle } from '../../ingest/indexing/index-context.ts'

export type HeardCommit = {
  host: string
  did: string
  collection: string
  rkey: string
  /** undefined: deleted. */
  cid: string | undefined
  rev: string
  /** By our clock. */
  atMs: number
  /** The revision by which its key first had something else; later writes of it are heard of by now. */
  overtakenBy?: string
}

export type Heard = {
  note(batch: StreamBatch): void
  /** Takes one that has been known for so long, or that is due again. */
  takeOne(beforeMs: number): HeardCommit | undefined
  /** It is due again once the host has reached this time. */
  again(commit: HeardCommit, whenMs: number): void
  /** The latest that was said of the key since the start, as far as it is remembered. */
  latest(did: string, key: string): HeardCommit | undefined
  /** The last revision of the account since the start. */
  revOf(did: string): string | undefined
  /** It is known otherwise that the account is at this revision. */
  correct(did: string, rev: string): void
  /** Accounts heard of lately. */
  accounts(): string[]
  host(): string
  /** What accounts wrote before has been brought by now, unless the host keeps it back. */
  reachedMs(): number
}

const MAX_ACCOUNTS = 50_000
const MAX_KEYS = 50_000
/** Waiting to be proved; if more is written, the oldest are not. */
const MAX_WAITING = 500
const MAX_RECENT = 200
const BEHIND_MS = 30_000
/** A host that catches up gains so much within a minute. What gains less is late, or says so in order not to be checked. */
const GAIN_MS = 5_000
const GAIN_WITHIN_MS = 60_000

export function createHeard(options: {
  actors: ActorWriter
  isOurs: (did: string) => boolean
}): Heard {
  const { actors, isOurs } = options
  const revs = new LruMap<string, string>(MAX_ACCOUNTS)
  const keys = new LruMap<string, HeardCommit>(MAX_KEYS)
  const waiting: HeardCommit[] = []
  const recent = new Set<string>()
  const later: { commit: HeardCommit; whenMs: number }[] = []
  let host = ''
  /** Of the last batch. */
  let [cursorMs, lagMs] = [0, 0]
  let gained = { lagMs: Number.POSITIVE_INFINITY, atMs: 0 }

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
    noteTime(cursor.timeUs / 1000)
    for (const item of events) {
      const event = commitIn(item)
      if (event) add(event)
    }
  }

  function noteTime(ms: number): void {
    cursorMs = ms
    const atMs = Date.now()
    lagMs = atMs - ms
    if (lagMs <= BEHIND_MS) gained = { lagMs: Number.POSITIVE_INFINITY, atMs }
    else if (lagMs < gained.lagMs - GAIN_MS) gained = { lagMs, atMs }
  }

  function reachedMs(): number {
    const nowMs = Date.now()
    const isCatchingUp = lagMs > BEHIND_MS && nowMs - gained.atMs < GAIN_WITHIN_MS
    return isCatchingUp ? cursorMs : nowMs
  }

  function takeDue(): HeardCommit | undefined {
    const index = later.findIndex(({ whenMs }) => whenMs <= reachedMs())
    return index < 0 ? undefined : later.splice(index, 1)[0]!.commit
  }

  function add(event: CommitEvent): void {
    const { did, collection, rkey, rev } = event
    const cid = event.operation === 'delete' ? undefined : event.cid
    const commit = { host, did, collection, rkey, cid, rev, atMs: Date.now() }
    const key = keyOf(did, `${collection}/${rkey}`)
    if ((keys.get(key)?.rev ?? '') <= rev) keys.set(key, commit)
    if ((revs.get(did) ?? '') < rev) revs.set(did, rev)
    waiting.push(commit)
    if (waiting.length > MAX_WAITING) waiting.shift()
    recent.delete(did)
    recent.add(did)
    if (recent.size > MAX_RECENT) recent.delete(recent.values().next().value!)
  }

  return {
    note,
    takeOne: (beforeMs) =>
      takeDue() ?? (waiting[0] && waiting[0].atMs <= beforeMs ? waiting.shift() : undefined),
    again(commit, whenMs) {
      later.push({ commit, whenMs })
      if (later.length > MAX_WAITING) later.shift()
    },
    latest: (did, key) => keys.get(keyOf(did, key)),
    revOf: (did) => revs.get(did),
    correct: (did, rev) => void revs.set(did, rev),
    accounts: () => [...recent],
    host: () => host,
    reachedMs,
  }
}

function keyOf(did: string, key: string): string {
  return `${did}/${key}`
}
