// Computes the result of an event history in the most obvious way: for each key the event with the highest
// rev wins, deleting an account removes all of its records, and every count is recounted. Nothing here
// depends on how the store does it.

import { tidTimeMs } from '../../src/base/atproto/tid.ts'
import type { AccountEvent, CommitEvent, StreamEvent, WriteEvent } from '../../src/base/event.ts'

const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/
const NETWORK_BEGAN_AT = Date.parse('2022-11-01')

export type NaiveIndex = ReturnType<typeof createNaiveIndex>

export type NaiveItem = { uri: string; originator: string; sortAt: number; cid: string }

export function createNaiveIndex() {
  const latest = new Map<string, CommitEvent>()
  const deleted = new Set<string>()
  const removedAt = new Map<string, number>()
  const hidden = new Set<string>()

  function apply(event: StreamEvent): void {
    if (event.kind === 'commit') applyCommit(event)
    if (event.kind === 'account') applyAccount(event)
  }

  function applyCommit(event: CommitEvent): void {
    if (deleted.has(event.did) || event.timeUs <= (removedAt.get(event.did) ?? 0)) return
    const uri = `at://${event.did}/${event.collection}/${event.rkey}`
    const known = latest.get(uri)
    if (!known || event.rev > known.rev) latest.set(uri, event)
  }

  function applyAccount({ did, active, status, timeUs }: AccountEvent): void {
    if (active) hidden.delete(did)
    else hidden.add(did)
    if (status !== 'deleted') {
      deleted.delete(did)
      return
    }
    deleted.add(did)
    removedAt.set(did, timeUs)
    for (const [uri, event] of latest) if (event.did === did) latest.delete(uri)
  }

  /** Present records of a collection, by URI. */
  function records(collection: string): [string, WriteEvent][] {
    const found: [string, WriteEvent][] = []
    for (const [uri, event] of latest) {
      if (event.collection === collection && event.operation !== 'delete') found.push([uri, event])
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  function sortAt(event: WriteEvent): number {
    const createdAt = Date.parse(event.record['createdAt'] as string)
    const seenAt = Math.floor(event.timeUs / 1000)
    if (createdAt <= seenAt) return createdAt
    // A date in the future is replaced by the time in the record key, if that is plausible.
    const madeAt = TID.test(event.rkey) ? Math.floor(tidTimeMs(event.rkey)) : Number.NaN
    return madeAt >= NETWORK_BEGAN_AT && madeAt <= seenAt ? madeAt : seenAt
  }

  /** Counts the distinct creators whose record's `field` refers to each subject. */
  function countSubjects(collection: string, uriOf: (event: WriteEvent) => string | undefined) {
    const creators = new Map<string, Set<string>>()
    for (const [, event] of records(collection)) {
      const subject = uriOf(event)
      if (subject === undefined) continue
      if (!creators.has(subject)) creators.set(subject, new Set())
      creators.get(subject)!.add(event.did)
    }
    return new Map([...creators].map(([subject, dids]) => [subject, dids.size]))
  }

  /** Counts the present posts that refer to each other post. */
  function countPosts(uriOf: (event: WriteEvent) => string | undefined): Map<string, number> {
    const counts = new Map<string, number>()
    for (const [, event] of records('app.bsky.feed.post')) {
      const uri = uriOf(event)
      if (uri !== undefined) counts.set(uri, (counts.get(uri) ?? 0) + 1)
    }
    return counts
  }

  type Ref = { subject: { uri: string } }
  type Post = { reply?: { parent: { uri: string } }; embed?: { record: { uri: string } } }

  /** Distinct pairs of DIDs. */
  function follows(): Set<string> {
    return new Set(
      records('app.bsky.graph.follow').map(([, { did, record }]) => `${did} ${record['subject']}`),
    )
  }

  /** Posts and reposts by these accounts, newest first, ties by CID. */
  function feed(originators: Set<string>): NaiveItem[] {
    const items = ['app.bsky.feed.post', 'app.bsky.feed.repost']
      .flatMap(records)
      .filter(([, { did }]) => originators.has(did))
      .map(([uri, event]) => ({
        uri,
        originator: event.did,
        sortAt: sortAt(event),
        cid: event.cid,
      }))
    return items.sort((a, b) => b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : -1))
  }

  return {
    apply,
    records,
    sortAt,
    follows,
    feed,
    hidden,
    deleted,
    likes: () =>
      countSubjects('app.bsky.feed.like', ({ record }) => (record as unknown as Ref).subject.uri),
    reposts: () =>
      countSubjects('app.bsky.feed.repost', ({ record }) => (record as unknown as Ref).subject.uri),
    replies: () => countPosts(({ record }) => (record as Post).reply?.parent.uri),
    quotes: () => countPosts(({ record }) => (record as Post).embed?.record.uri),
    /** The timeline of one viewer. */
    timeline(did: string): NaiveItem[] {
      const followed = [...follows()].filter((pair) => pair.startsWith(`${did} `))
      return feed(new Set([did, ...followed.map((pair) => pair.split(' ')[1]!)]))
    },
  }
}
