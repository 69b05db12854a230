// Computes the result of an event history in the most obvious way: for each key the event with the highest
// rev wins, deleting an account removes all of its records, and every count is recounted. Nothing here
// depends on how the store does it.

import type { AccountEvent, CommitEvent, StreamEvent, WriteEvent } from '@slipstream/jetstream'
import { tidTimeMs } from '../../src/base/atproto/tid.ts'

const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/
const NETWORK_BEGAN_AT = Date.parse('2022-11-01')

export type NaiveIndex = ReturnType<typeof createNaiveIndex>

export type NaiveItem = { uri: string; originator: string; sortAt: number; cid: string }

type Entry = [uri: string, event: WriteEvent]
type Ref = { subject: { uri: string } }
type Post = { reply?: { parent: { uri: string } }; embed?: { record: { uri: string } } }

const LIKE = 'app.bsky.feed.like'
const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const FOLLOW = 'app.bsky.graph.follow'

export function createNaiveIndex() {
  const { apply, records, hidden, deleted } = createRepositories()

  /** Distinct pairs of DIDs. */
  function follows(): Set<string> {
    return new Set(records(FOLLOW).map(([, { did, record }]) => `${did} ${record['subject']}`))
  }

  /** Posts and reposts by these accounts, newest first, ties by CID. */
  function feed(originators: Set<string>): NaiveItem[] {
    const items = [POST, REPOST]
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
    likes: () => countCreators(records(LIKE)),
    reposts: () => countCreators(records(REPOST)),
    replies: () => countPosts(records(POST), ({ reply }) => reply?.parent.uri),
    quotes: () => countPosts(records(POST), ({ embed }) => embed?.record.uri),
    /** The timeline of one viewer. */
    timeline(did: string): NaiveItem[] {
      const followed = [...follows()].filter((pair) => pair.startsWith(`${did} `))
      return feed(new Set([did, ...followed.map((pair) => pair.split(' ')[1]!)]))
    },
  }
}

/** The latest event for each key, and the accounts that are away. */
function createRepositories() {
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
  function records(collection: string): Entry[] {
    const found: Entry[] = []
    for (const [uri, event] of latest) {
      if (event.collection === collection && event.operation !== 'delete') found.push([uri, event])
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  return { apply, records, hidden, deleted }
}

function sortAt(event: WriteEvent): number {
  const createdAt = Date.parse(event.record['createdAt'] as string)
  const seenAt = Math.floor(event.timeUs / 1000)
  if (createdAt <= seenAt) return createdAt
  // A date in the future is replaced by the time in the record key, if that is plausible.
  const madeAt = TID.test(event.rkey) ? Math.floor(tidTimeMs(event.rkey)) : Number.NaN
  return madeAt >= NETWORK_BEGAN_AT && madeAt <= seenAt ? madeAt : seenAt
}

/** Counts the distinct creators of the likes or reposts of each subject. */
function countCreators(reactions: Entry[]): Map<string, number> {
  const creators = new Map<string, Set<string>>()
  for (const [, { did, record }] of reactions) {
    const { uri } = (record as unknown as Ref).subject
    if (!creators.has(uri)) creators.set(uri, new Set())
    creators.get(uri)!.add(did)
  }
  return new Map([...creators].map(([subject, dids]) => [subject, dids.size]))
}

/** Counts the posts that refer to each other post. */
function countPosts(
  posts: Entry[],
  uriOf: (post: Post) => string | undefined,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, { record }] of posts) {
    const uri = uriOf(record as Post)
    if (uri !== undefined) counts.set(uri, (counts.get(uri) ?? 0) + 1)
  }
  return counts
}
