// Relations between accounts: follows, blocks and mutes, directly and by list, and which of an account's
// follows follow others.

import { createReader } from '../../../answers/hydrate/reader.ts'
import { createAccountLists } from '../../../answers/skeleton/follow-lists.ts'
import { recordUri } from '../../../base/atproto/at-uri.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { inTurns } from '../../../base/util/turn.ts'
import { blockEdges, followEdges } from '../../../data/store/edges/all-edges.ts'
import { muteScopes, ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../../data/store/private/mutes.ts'
import { type Pair, prepareBlockPairs } from '../../../data/store/read/accounts/block-pairs.ts'
import { prepareRelations, type RelationRow } from '../../../data/store/read/accounts/relations.ts'
import {
  BlockExistenceSchema,
  FollowsFollowingSchema,
  RelationshipsSchema,
} from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { answerOf, type EncodedRpcs, encode, NO_FIELDS, packed } from '../wire/encoded.ts'
import { bounded, cursorOf, pageSize, type Rpcs } from '../wire/messages.ts'

const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
/** Limit over all accounts of a call: their DIDs fill half of the largest answer. */
const MAX_KNOWN = 1_000_000
const KNOWN_AT_ONCE = 2_000

type Page = { actorDid: string; limit: number; cursor: string }

export function relationRpcs(reading: Reading): Rpcs {
  const relationsOf = prepareRelations(reading.db)
  return {
    ...blockRpcs(reading),
    ...followRpcs(reading),
    ...muteRpcs(reading, relationsOf),
  }
}

type RelationsOf = ReturnType<typeof prepareRelations>

/** Relations to many accounts at once, with encoded answers. */
export function relationshipRpcs(reading: Reading): EncodedRpcs {
  const relationsOf = prepareRelations(reading.db)
  const pairs = prepareBlockPairs(reading.db)
  return {
    getRelationships({ actorDid, targetDids }) {
      const viewer = reading.actors.uidOf(actorDid)
      const uids = bounded(targetDids).map((did) => reading.actors.uidOf(did))
      if (viewer === 0) return answerOf({ 1: targetDids.map(() => NO_FIELDS) })
      return answerOf({ 1: relationships(reading, relationsOf, { viewer, actorDid, uids }) })
    },

    async getFollowsFollowing({ actorDid, targetDids }) {
      const viewer = reading.actors.uidOf(actorDid)
      return answerOf({ 1: await inTurns(followsFollowing(reading, viewer, bounded(targetDids))) })
    },

    getBlockExistence({ pairs: requested }) {
      const named = bounded(requested).map(
        ({ a, b }): Pair => [reading.actors.uidOf(a), reading.actors.uidOf(b)],
      )
      const known = named.filter(([a, b]) => a !== 0 && b !== 0)
      const { has } = reading.memory.blocks.among(known, createReader(undefined))
      const blocked = known.filter(([a, b]) => has(a, b))
      const blocks = blocked.length === 0 ? undefined : blocksBetween(reading, pairs, blocked)
      const found = named.map(([a, b]) => blocks?.get(`${a} ${b}`))
      return answerOf({
        1: packed(found.map((item) => Number(item !== undefined))),
        2: found.map((item) => (item ? encode(BlockExistenceSchema, item) : NO_FIELDS)),
      })
    },
  }
}

/**
 * In the order of `uids`. Relations by list are read each time, since lists change without any
 * invalidation of the relation.
 */
function relationships(
  reading: Reading,
  relationsOf: RelationsOf,
  { viewer, actorDid, uids }: { viewer: number; actorDid: string; uids: readonly number[] },
): Uint8Array[] {
  const { actors, memory } = reading
  const byList: number[] = []
  const known = memory.viewers.about(viewer, uids, {
    of: ({ relations }) => relations,
    none: NO_FIELDS,
    read(unknown) {
      const rows = relationsOf(viewer, unknown)
      const listUris = urisOfLists(
        reading,
        rows.flatMap(([, , , , , a, b, c]) => [a, b, c]),
      )
      return rows.filter(isAny).map((row) => {
        const [uid, , , , , ...lists] = row
        if (lists.slice(0, 3).some((list) => list !== null)) byList.push(uid)
        const relation = relationOf(row, { actorDid, did: actors.didOf(uid), listUris })
        return [uid, encode(RelationshipsSchema, relation)] as const
      })
    },
  })
  const found = uids.map((uid) => known.get(uid) ?? NO_FIELDS)
  for (const uid of byList) memory.viewers.forgetRelation(viewer, uid)
  return found
}

function isAny(row: RelationRow): boolean {
  return row.some((value, i) => i > 0 && value !== null)
}

function requestOf({ actors }: Reading, { actorDid, limit, cursor }: Page) {
  return { actor: actors.uidOf(actorDid), limit: pageSize(limit), cursor: cursorOf(cursor) }
}

function blockRpcs(reading: Reading): Rpcs {
  const { db, actors } = reading
  const pairs = prepareBlockPairs(db)
  const lists = createAccountLists({ db, actors })
  return {
    getBidirectionalBlock({ actorDid, targetDid }) {
      const pair: Pair = [actors.uidOf(actorDid), actors.uidOf(targetDid)]
      const [block] = directBlocks(reading, [pair])
      return { blockUri: block?.blocking ?? block?.blockedBy ?? '' }
    },

    getBidirectionalBlockViaList({ actorDid, targetDid }) {
      const pair: Pair = [actors.uidOf(actorDid), actors.uidOf(targetDid)]
      const list = pairs.lists([pair])[0]?.[2]
      return { listUri: urisOfLists(reading, [list ?? null]).get(list ?? 0) ?? '' }
    },

    getBlocks(request) {
      const { items: uids, cursor } = lists.blocks(requestOf(reading, request))
      const creator = actors.uidOf(request.actorDid)
      const keys = blockEdges.keysAmong(db, { creator, subjects: uids })
      return {
        blockUris: uids.flatMap((uid) => uriOf(request.actorDid, BLOCK, keys.get(uid))),
        cursor,
      }
    },
  }
}

function followRpcs(reading: Reading): Rpcs {
  const { db, actors } = reading
  const lists = createAccountLists({ db, actors })
  return {
    getFollows(request) {
      const { items: uids, cursor } = lists.follows(requestOf(reading, request))
      const creator = actors.uidOf(request.actorDid)
      const keys = followEdges.keysAmong(db, { creator, subjects: uids })
      const follows = uids.flatMap((uid) =>
        uriOf(request.actorDid, FOLLOW, keys.get(uid)).map((uri) => ({
          uri,
          actorDid: request.actorDid,
          subjectDid: actors.didOf(uid),
        })),
      )
      return { follows, cursor }
    },

    getFollowers(request) {
      const { items: uids, cursor } = lists.followers(requestOf(reading, request))
      const subject = actors.uidOf(request.actorDid)
      const keys = followEdges.keysTo(db, { creators: uids, subject })
      const followers = uids.flatMap((uid) => {
        const did = actors.didOf(uid)
        const named = { actorDid: did, subjectDid: request.actorDid }
        return uriOf(did, FOLLOW, keys.get(uid)).map((uri) => ({ uri, ...named }))
      })
      return { followers, cursor }
    },

    getActorFollowsActors({ actorDid, targetDids }) {
      const uids = bounded(targetDids).map((did) => actors.uidOf(did))
      const creator = actors.uidOf(actorDid)
      const subjects = uids.filter((uid) => uid !== 0)
      const keys = creator === 0 ? new Map() : followEdges.keysAmong(db, { creator, subjects })
      return { uris: uids.map((uid) => uriOf(actorDid, FOLLOW, keys.get(uid))[0] ?? '') }
    },
  }
}

/** In the order of `targetDids`; one that is named again and again is read once. */
function* followsFollowing(
  reading: Reading,
  viewer: number,
  targetDids: readonly string[],
): Generator<void, Uint8Array[]> {
  let left = MAX_KNOWN
  const read = new Map<string, Known>()
  const results: Uint8Array[] = []
  for (const targetDid of targetDids) {
    let found = read.get(targetDid)
    if (!found || found.count > left) {
      found = yield* followersAmong(reading, viewer, { targetDid, limit: left })
      read.set(targetDid, found)
    }
    left -= found.count
    results.push(found.encoded)
    yield
  }
  return results
}

type Known = { count: number; encoded: Uint8Array }

/** An account may have any number of followers: they are encoded some at a time. */
function* followersAmong(
  { actors, graph }: Reading,
  viewer: number,
  { targetDid, limit }: { targetDid: string; limit: number },
): Generator<void, Known> {
  const subject = actors.uidOf(targetDid)
  const parts = [encode(FollowsFollowingSchema, { targetDid })]
  let [count, last] = [0, 0]
  while (viewer !== 0 && subject !== 0 && count < limit) {
    const some = new Uint32Array(Math.min(limit - count, KNOWN_AT_ONCE))
    const found = some.subarray(0, graph.knownFollowers(viewer, subject, last, some))
    const dids = Array.from(found, (uid) => actors.didOf(uid))
    // What is encoded apart and then joined is one list.
    parts.push(encode(FollowsFollowingSchema, { dids }))
    count += found.length
    if (found.length < some.length) break
    last = found.at(-1)!
    yield
  }
  return { count, encoded: parts.length === 1 ? parts[0]! : Buffer.concat(parts) }
}

function muteRpcs(reading: Reading, relationsOf: RelationsOf): Rpcs {
  const { actors, db } = reading
  const lists = createAccountLists({ db, actors })
  return {
    getMutes(request) {
      const requested = requestOf(reading, request)
      const { items: uids, cursor } = lists.mutesOfAnyScope(requested)
      const scopes = muteScopes(db, requested.actor, uids)
      const mutes = uids.map((uid) => {
        const bits = scopes.get(uid) ?? 0
        const onlyReposts = (bits & ONLY_REPOSTS) !== 0
        const onlyQuoteposts = (bits & ONLY_QUOTE_POSTS) !== 0
        return { did: actors.didOf(uid), onlyReposts, onlyQuoteposts }
      })
      return { dids: mutes.map(({ did }) => did), mutes, cursor }
    },

    getActorMutesActor({ actorDid, targetDid }) {
      const [viewer, uid] = [actors.uidOf(actorDid), actors.uidOf(targetDid)]
      const scope = viewer && uid ? relationsOf(viewer, [uid])[0]?.[8] : null
      return muteOf(scope ?? null)
    },

    getActorMutesActorViaList({ actorDid, targetDid }) {
      const [viewer, uid] = [actors.uidOf(actorDid), actors.uidOf(targetDid)]
      const list = viewer && uid ? relationsOf(viewer, [uid])[0]?.[7] : null
      return { listUri: urisOfLists(reading, [list ?? null]).get(list ?? 0) ?? '' }
    },
  }
}

function relationOf(
  row: RelationRow,
  { actorDid, did, listUris }: { actorDid: string; did: string; listUris: Map<number, string> },
) {
  const [, following, followedBy, blocking, blockedBy, ...rest] = row
  const [blockingByList, blockedByList, mutedByList, muted] = rest
  const { muted: isMuted, ...scoped } = muteOf(muted)
  const listUri = (id: number | null) => (id === null ? '' : (listUris.get(id) ?? ''))
  return {
    muted: isMuted,
    ...scoped,
    mutedByList: listUri(mutedByList),
    blockingByList: listUri(blockingByList),
    blockedByList: listUri(blockedByList),
    following: uriOf(actorDid, FOLLOW, following)[0] ?? '',
    followedBy: uriOf(did, FOLLOW, followedBy)[0] ?? '',
    blocking: uriOf(actorDid, BLOCK, blocking)[0] ?? '',
    blockedBy: uriOf(did, BLOCK, blockedBy)[0] ?? '',
  }
}

/** @param scope - the mute's scope plus one, or null */
function muteOf(scope: number | null) {
  const bits = scope === null ? 0 : scope - 1
  return {
    muted: scope !== null && bits === 0,
    mutedOnlyReposts: (bits & ONLY_REPOSTS) !== 0,
    mutedOnlyQuoteposts: (bits & ONLY_QUOTE_POSTS) !== 0,
  }
}

function uriOf(did: string, collection: string, rkey: PackedRkey | null | undefined): string[] {
  return rkey === null || rkey === undefined ? [] : [recordUri(did, collection, rkey)]
}

function urisOfLists(reading: Reading, ids: readonly (number | null)[]): Map<number, string> {
  const known = new Set(ids.filter((id) => id !== null))
  return known.size === 0 ? new Map() : reading.listUris(known)
}

type Block = Partial<
  Record<'blocking' | 'blockedBy' | 'blockingByList' | 'blockedByList', string | undefined>
>

/** Blocks of the pairs that have one, by both uids. Reads records only for those pairs. */
function blocksBetween(
  reading: Reading,
  reader: ReturnType<typeof prepareBlockPairs>,
  requested: readonly Pair[],
): Map<string, Block> {
  const { direct, byList } = reader.blocked(requested)
  const lists = byList.length > 0 ? reader.lists(byList.map(([a, b]) => [a, b])) : []
  const uris = urisOfLists(
    reading,
    lists.map(([, , list]) => list),
  )
  const blocks = new Map<string, Block>()
  const add = ([a, b]: Pair, more: Block) =>
    blocks.set(`${a} ${b}`, { ...blocks.get(`${a} ${b}`), ...more })
  for (const [a, b, list, isFirst] of lists)
    add([a, b], { [isFirst ? 'blockingByList' : 'blockedByList']: uris.get(list) ?? '' })
  const found = directBlocks(reading, direct)
  for (const [i, pair] of direct.entries()) add(pair, found[i]!)
  return blocks
}

/** Blocks in both directions, in the order of `pairs`. */
function directBlocks(
  { db, actors }: Reading,
  pairs: readonly Pair[],
): Pick<Block, 'blocking' | 'blockedBy'>[] {
  const backwards = pairs.map(([a, b]): Pair => [b, a])
  const uris = blockEdges
    .findPairs(db, [...pairs, ...backwards])
    .map((edge) => edge && recordUri(actors.didOf(edge.uid), BLOCK, edge.rkey))
  return pairs.map((_, i) => ({ blocking: uris[i], blockedBy: uris[i + pairs.length] }))
}
