// Computes what must be visible from the final repositories, by plain loops and without any of Slipstream's
// code. An AppView that starts listening at some moment can't know everything: it need not know earlier likes
// and follows by strangers. So counts and follower lists have a lower and an upper bound, which are equal
// where everything happened while it was listening.

import type { SimulatedAccount, SimulatedRecord } from '../simulated-network/repository.ts'
import type { Deeds } from './deeds.ts'
import type { World } from './world.ts'

export type Bounds = { least: number; most: number }

export type Row = {
  uri: string
  cid: string
  sortAt: number
  originator: string
  /** The post that is shown: itself, or the one it reposts. */
  post: string
}

export type Counts = { likes: Bounds; reposts: Bounds; replies: Bounds; quotes: Bounds }

export type Oracle = {
  account(did: string): SimulatedAccount | undefined
  isHidden(did: string): boolean
  follows(did: string): Set<string>
  /** Rows of the accounts that the member follows, and the member's own, newest first. */
  timeline(viewer: string): { followed: Row[]; own: Row[] }
  /** undefined if it can't be known. */
  isVisible(viewer: string, row: Row): boolean | undefined
  isBlocked(a: string, b: string): boolean
  post(uri: string): { author: string; value: Record<string, unknown> } | undefined
  counts(uri: string): Counts
  followers(subject: string): { must: Set<string>; may: Set<string> }
  everybody(): string[]
  /** Records of one collection, by account. */
  records(did: string, collection: string): SimulatedRecord[]
  /** Created while Slipstream was listening, and known since then. */
  isMarked(uri: string): boolean
  /** Everything about the post happened while Slipstream was listening. */
  isWitnessed(uri: string): boolean
  isGated(root: string): boolean
  isBlockedBy(subject: string, creator: string): boolean
  isMuted(viewer: string, did: string): boolean
  isSteady(did: string): boolean
  /** Direct replies to the post. */
  replies(uri: string): { creator: string; uri: string }[]
  /** The member's own record about the post. */
  hasReacted(viewer: string, collection: string, uri: string): boolean
}

type Ref = { uri: string }
type Reaction = { creator: string; uri: string }

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const LIKE = 'app.bsky.feed.like'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
const GATE = 'app.bsky.feed.threadgate'

export function createOracle(world: World, deeds: Deeds): Oracle {
  const accounts = new Map(world.network.repositories.map((one) => [one.did, one]))
  const blocks = new Set<string>()
  const followers = new Map<string, Map<string, string[]>>()
  const reactions = { [LIKE]: indexBySubject(LIKE), [REPOST]: indexBySubject(REPOST) }
  const replies = indexPosts((value) => (value['reply'] as { parent: Ref } | undefined)?.parent.uri)
  const quotes = indexPosts(
    (value) => (value['embed'] as { record?: Ref } | undefined)?.record?.uri,
  )
  for (const { did } of accounts.values()) {
    for (const { value } of records(did, BLOCK)) blocks.add(`${did} ${value['subject']}`)
    for (const { value, rkey } of records(did, FOLLOW)) {
      const of = followers.get(value['subject'] as string) ?? new Map<string, string[]>()
      followers.set(value['subject'] as string, of)
      of.set(did, [...(of.get(did) ?? []), `at://${did}/${FOLLOW}/${rkey}`])
    }
  }

  function records(did: string, collection: string): SimulatedRecord[] {
    return [...(accounts.get(did)?.collections.get(collection)?.values() ?? [])]
  }

  function indexBySubject(collection: string): Map<string, Reaction[]> {
    const found = new Map<string, Reaction[]>()
    for (const { did } of accounts.values()) {
      for (const { value, rkey } of records(did, collection)) {
        const { uri } = value['subject'] as Ref
        const reaction = { creator: did, uri: `at://${did}/${collection}/${rkey}` }
        found.set(uri, [...(found.get(uri) ?? []), reaction])
      }
    }
    return found
  }

  function indexPosts(target: (value: Record<string, unknown>) => string | undefined) {
    const found = new Map<string, Reaction[]>()
    for (const { did } of accounts.values()) {
      for (const { value, rkey } of records(did, POST)) {
        const uri = target(value)
        if (!uri) continue
        const reaction = { creator: did, uri: `at://${did}/${POST}/${rkey}` }
        found.set(uri, [...(found.get(uri) ?? []), reaction])
      }
    }
    return found
  }

  function post(uri: string) {
    const [did = '', collection = '', rkey = ''] = uri.slice('at://'.length).split('/')
    const record = accounts.get(did)?.collections.get(collection)?.get(rkey)
    return record && { author: did, value: record.value }
  }

  const isHidden = (did: string) => accounts.get(did)?.state !== undefined
  const isMuted = (viewer: string, did: string) => deeds.muted(viewer).has(did)
  const isMarked = (uri: string) => (world.madeAt(uri) ?? -1) >= world.markedAt()
  const isBlocked = (a: string, b: string) =>
    a !== b && (blocks.has(`${a} ${b}`) || blocks.has(`${b} ${a}`))
  const follows = (did: string) =>
    new Set(records(did, FOLLOW).map(({ value }) => value['subject'] as string))

  function rowsOf(did: string): Row[] {
    const row = (collection: string, { rkey, cid, value }: SimulatedRecord): Row => {
      const uri = `at://${did}/${collection}/${rkey}`
      const shown = collection === POST ? uri : (value['subject'] as Ref).uri
      const sortAt = Date.parse(value['createdAt'] as string)
      return { uri, cid, sortAt, originator: did, post: shown }
    }
    return [POST, REPOST].flatMap((collection) =>
      records(did, collection).map((record) => row(collection, record)),
    )
  }

  function parentOf(uri: string): string | undefined {
    return (post(uri)?.value['reply'] as { parent: Ref } | undefined)?.parent.uri
  }

  function isVisible(viewer: string, row: Row): boolean | undefined {
    const shown = post(row.post)
    if (!shown || isHidden(shown.author) || isHidden(row.originator)) return false
    const parent = parentOf(row.post)
    const grandparent = parent && parentOf(parent)
    if (isMuted(viewer, shown.author) || isMuted(viewer, row.originator)) return false
    const near = [row.originator, shown.author, ...(parent ? [didOf(parent)] : [])]
    if (near.some((did) => isBlocked(viewer, did))) return false
    // It is unknown which a host sends first: the reply, or the deletion of its parent's account.
    if (parent && accounts.get(didOf(parent))?.state === 'deleted') return undefined
    if (!grandparent || !isBlocked(viewer, didOf(grandparent))) return true
    // If the parent could never be read, the author it replies to is unknown.
    return isHidden(didOf(parent!)) ? undefined : false
  }

  /** Whether everything about the post happened while Slipstream was listening. */
  function isWitnessed(uri: string): boolean {
    return isMarked(uri) && world.steadyAuthors().has(didOf(uri))
  }

  /** Possibly gated if the owner is gone, and the gate with it. */
  function isGated(root: string): boolean {
    const owner = accounts.get(didOf(root))
    const isGone = owner?.state === 'deleted'
    return isGone || owner?.collections.get(GATE)?.has(root.split('/').at(-1)!) === true
  }

  /** A reply that a gate forbids does not count, unless it was indexed before the gate. */
  function replyBounds(uri: string): Bounds {
    const all = replies.get(uri) ?? []
    if (!isWitnessed(uri)) return { least: 0, most: all.length }
    const allowed = all.filter(({ uri: reply, creator }) => {
      const { root } = post(reply)!.value['reply'] as { root: Ref }
      return !isGated(root.uri) || didOf(root.uri) === creator
    })
    return { least: allowed.length, most: all.length }
  }

  function reactionBounds(found: Reaction[], uri: string, perCreator: boolean): Bounds {
    const most = perCreator ? new Set(found.map(({ creator }) => creator)).size : found.length
    return { least: isWitnessed(uri) ? most : 0, most }
  }

  return {
    account: (did) => accounts.get(did),
    isHidden,
    isBlocked,
    isVisible,
    everybody: () => [...accounts.keys()],
    records,
    isMarked,
    isWitnessed,
    isGated,
    isMuted,
    isBlockedBy: (subject, creator) => blocks.has(`${creator} ${subject}`),
    isSteady: (did) => world.steadyAuthors().has(did),
    replies: (uri) => replies.get(uri) ?? [],
    follows,
    post,
    timeline: (viewer) => ({
      followed: [...follows(viewer)]
        .filter((did) => did !== viewer && !isHidden(did))
        .flatMap(rowsOf)
        .sort(newestFirst),
      own: rowsOf(viewer).sort(newestFirst),
    }),
    counts: (uri) => ({
      likes: reactionBounds(reactions[LIKE].get(uri) ?? [], uri, true),
      reposts: reactionBounds(reactions[REPOST].get(uri) ?? [], uri, true),
      replies: replyBounds(uri),
      quotes: reactionBounds(quotes.get(uri) ?? [], uri, false),
    }),
    followers: (subject) => {
      const all = followers.get(subject) ?? new Map<string, string[]>()
      const isKnown = (did: string, uris: string[]) =>
        world.steadyAuthors().has(did) ||
        (world.steadyAuthors().has(subject) && uris.some(isMarked))
      const must = [...all].filter(([did, uris]) => isKnown(did, uris)).map(([did]) => did)
      return { must: new Set(must), may: new Set(all.keys()) }
    },
    hasReacted: (viewer, collection, uri) =>
      records(viewer, collection).some(({ value }) => (value['subject'] as Ref).uri === uri),
  }
}

export function newestFirst(a: Row, b: Row): number {
  return b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : a.cid > b.cid ? -1 : 0)
}

export function didOf(uri: string): string {
  return uri.split('/')[2]!
}
