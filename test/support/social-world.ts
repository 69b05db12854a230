// A small social network as plain records, for tests of reads: accounts, records by at-URI, mutes, bookmarks.
// It has no rows; `writeRows` (world-rows.ts) puts it into a database, and `reference-appview.ts` exposes it
// to the reference implementation.

import { createHash } from 'node:crypto'
import type { AccountStatus } from '@slipstream/jetstream'
import { unpackCid } from '../../src/base/atproto/keys.ts'

export type WorldRecord = {
  did: string
  collection: string
  rkey: string
  uri: string
  cid: string
  /** With `$type`, as JSON. */
  value: Record<string, unknown>
  /** Milliseconds. */
  indexedAt: number
}

export type WorldAccount = {
  did: string
  /** Undefined if it could not be verified. */
  handle: string | undefined
  status: AccountStatus | undefined
}

/** Writes and deletions, in order, as a stream of events would carry them. */
export type WorldAction = { kind: 'create' | 'update' | 'delete'; record: WorldRecord }

export type World = ReturnType<typeof createWorld>

type Records = ReturnType<typeof createRecords>

/** 2026-01-01; each record is a minute later than the one before. */
const START_MS = Date.UTC(2026, 0, 1)
const STEP_MS = 60_000

export function createWorld() {
  const records = createRecords()
  return {
    ...createAccounts(),
    ...records,
    ...createPrivateState(),
    /** Post flags that indexing would set, by at-URI. */
    flags: new Map<string, number>(),
    ...graphActs(records),
    ...postActs(records),
    ...gateActs(records),
  }
}

function createAccounts() {
  const accounts = new Map<string, WorldAccount>()
  return {
    accounts,
    /** @returns the new account's DID. */
    account(name: string, given: Partial<WorldAccount> = {}): string {
      const did = `did:plc:${name.padEnd(24, '2').slice(0, 24)}`
      accounts.set(did, { did, handle: `${name}.test`, status: undefined, ...given })
      return did
    },
  }
}

function createRecords() {
  const records = new Map<string, WorldRecord>()
  const actions: WorldAction[] = []
  let made = 0

  /** Writes or replaces a record; `createdAt` is filled in. @returns its at-URI. */
  function put(
    did: string,
    collection: string,
    given: Record<string, unknown>,
    options: { rkey?: string; indexedAt?: number } = {},
  ): string {
    made++
    const indexedAt = options.indexedAt ?? START_MS + made * STEP_MS
    const rkey = options.rkey ?? tid(made)
    const createdAt = new Date(START_MS + made * STEP_MS).toISOString()
    const value = { $type: collection, createdAt, ...given }
    const uri = `at://${did}/${collection}/${rkey}`
    const cid = cidOf(value)
    const record = { did, collection, rkey, uri, cid, value, indexedAt }
    actions.push({ kind: records.has(uri) ? 'update' : 'create', record })
    records.set(uri, record)
    return uri
  }

  function remove(uri: string): void {
    const record = records.get(uri)
    if (!record) return
    actions.push({ kind: 'delete', record })
    records.delete(uri)
  }

  return {
    records,
    deeds: actions,
    put,
    remove,
    removeAllOf: (did: string) => {
      for (const { uri } of records.values()) if (uri.startsWith(`at://${did}/`)) remove(uri)
    },
    ref: (uri: string) => ({ uri, cid: records.get(uri)?.cid ?? cidOf({ uri }) }),
    of: (collection: string) => [...records.values()].filter((r) => r.collection === collection),
  }
}

function createPrivateState() {
  /** Scopes (data/store/private/mutes.ts), keyed by both DIDs. */
  const mutes = new Map<string, number>()
  /** DID and at-URI of the list or post. */
  const listMutes = new Set<string>()
  const bookmarks = new Set<string>()
  return {
    mutes,
    listMutes,
    bookmarks,
    mute: (did: string, subject: string, scope = 0) => void mutes.set(`${did} ${subject}`, scope),
    muteList: (did: string, list: string) => void listMutes.add(`${did} ${list}`),
    bookmark: (did: string, post: string) => void bookmarks.add(`${did} ${post}`),
  }
}

function graphActs({ put }: Records) {
  return {
    profile: (did: string, value: Record<string, unknown> = {}) =>
      put(did, 'app.bsky.actor.profile', value, { rkey: 'self' }),
    follow: (did: string, subject: string) => put(did, 'app.bsky.graph.follow', { subject }),
    block: (did: string, subject: string) => put(did, 'app.bsky.graph.block', { subject }),
    list: (did: string, value: Record<string, unknown> = {}) =>
      put(did, 'app.bsky.graph.list', {
        name: 'a list',
        purpose: 'app.bsky.graph.defs#modlist',
        ...value,
      }),
    listItem: (list: string, subject: string) =>
      put(didIn(list), 'app.bsky.graph.listitem', { list, subject }),
    listBlock: (did: string, list: string) =>
      put(did, 'app.bsky.graph.listblock', { subject: list }),
  }
}

function postActs({ put, ref }: Records) {
  return {
    post: (did: string, value: Record<string, unknown> = {}) =>
      put(did, 'app.bsky.feed.post', { text: 'hello', ...value }),
    reply: (did: string, to: { root: string; parent: string }, value = {}) =>
      put(did, 'app.bsky.feed.post', {
        text: 'reply',
        reply: { root: ref(to.root), parent: ref(to.parent) },
        ...value,
      }),
    quote: (did: string, uri: string, value = {}) =>
      put(did, 'app.bsky.feed.post', {
        text: 'quote',
        embed: { $type: 'app.bsky.embed.record', record: ref(uri) },
        ...value,
      }),
    like: (did: string, uri: string) => put(did, 'app.bsky.feed.like', { subject: ref(uri) }),
    repost: (did: string, uri: string) => put(did, 'app.bsky.feed.repost', { subject: ref(uri) }),
  }
}

function gateActs({ put }: Records) {
  const gate = (collection: string) => {
    return (post: string, value: Record<string, unknown> = {}) =>
      put(didIn(post), collection, { post, ...value }, { rkey: rkeyOf(post) })
  }
  return {
    threadgate: gate('app.bsky.feed.threadgate'),
    postgate: gate('app.bsky.feed.postgate'),
  }
}

export function cidOf(value: unknown): string {
  return unpackCid(createHash('sha256').update(JSON.stringify(value)).digest())
}

export function blobCidOf(seed: string): string {
  return cidOf(seed).replace('bafyrei', 'bafkrei')
}

/** A picture as a record's JSON refers to it. */
export function blob(seed: string, mimeType = 'image/jpeg') {
  return { $type: 'blob', ref: { $link: blobCidOf(seed) }, mimeType, size: 1000 }
}

function didIn(uri: string): string {
  return uri.split('/')[2]!
}

function rkeyOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

/** Record keys of the usual form, ascending. */
function tid(n: number): string {
  const digits = '234567abcdefghijklmnopqrstuvwxyz'
  let text = ''
  for (let rest = n; text.length < 6; rest = Math.floor(rest / 32)) text = digits[rest % 32] + text
  return `3aaaaaa${text}`
}
