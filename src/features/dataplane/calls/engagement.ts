// Likes, reposts and quotes: the accounts that made them, and one account's own.

import { createKnownLikers } from '../../../answers/hydrate/known-likers.ts'
import { createRecordLikes } from '../../../answers/skeleton/record-likes.ts'
import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import { idsOf } from '../reading/names.ts'
import type { Reading } from '../reading/reading.ts'
import { answerOf, type EncodedRpcs, NO_FIELDS, texts } from '../wire/encoded.ts'
import { bounded, cursorOf, pageSize, type Rpcs } from '../wire/messages.ts'
import { recordRows } from './records.ts'

const LIKE = 'app.bsky.feed.like'
const REPOST = 'app.bsky.feed.repost'

type Page = { subject?: { uri: string } | undefined; limit: number; cursor: string }
type Refs = { actorDid: string; refs: readonly { uri: string }[] }
type UriPage = { uris: string[]; cursor?: string | undefined }

export function engagementRpcs(reading: Reading): Rpcs {
  const { actors, engagement } = reading
  const likesOf = likesBySubject(reading)
  const knownLikers = createKnownLikers(reading)
  return {
    getLikesBySubject: likesOf,
    getLikesBySubjectSorted: likesOf,

    getRepostsBySubject(request) {
      const page = ofPost(reading, request, engagement.reposts)
      return { ...page, uris: repostUris(reading, page.items) }
    },

    getActorReposts({ actorDid, limit, cursor }) {
      const creator = actors.uidOf(actorDid)
      if (creator === 0) return {}
      const request = { creator, limit: pageSize(limit), cursor: cursorOf(cursor) }
      const page = engagement.repostsBy(request)
      return { ...page, uris: repostUris(reading, page.items) }
    },

    getQuotesBySubjectSorted(request) {
      const page = ofPost(reading, request, engagement.quotes)
      const uris = reading.postUris(page.items)
      return { ...page, uris: page.items.flatMap((id) => uris.get(id) ?? []) }
    },

    getActorLikes({ actorDid, limit, cursor }) {
      const creator = actors.uidOf(actorDid)
      if (creator === 0) return {}
      const page = engagement.likedPosts({
        creator,
        limit: pageSize(limit),
        cursor: cursorOf(cursor),
      })
      const keys = likeEdges.keysAmong(reading.db, { creator, subjects: page.items })
      const uris = reading.postUris(page.items)
      const likes = page.items.flatMap((id) => {
        const [rkey, subject] = [keys.get(id), uris.get(id)]
        return rkey && subject ? [{ uri: recordUri(actorDid, LIKE, rkey), subject }] : []
      })
      return { likes, cursor: page.cursor }
    },

    getKnownLikers({ actorDid, subjectUris, limit }) {
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0 || limit <= 0) {
        return { results: bounded(subjectUris).map((subjectUri) => ({ subjectUri })) }
      }
      const ids = idsOf(reading.postsOf(bounded(subjectUris)))
      const posts = [...new Set(ids.filter((id) => id !== 0))]
      const found = knownLikers.of(viewer, posts, pageSize(limit))
      return {
        results: subjectUris.map((subjectUri, i) => {
          const known = found.get(ids[i]!)
          if (!known) return { subjectUri }
          return {
            subjectUri,
            count: known.count,
            dids: known.uids.map((uid) => actors.didOf(uid)),
          }
        }),
      }
    },
  }
}

/** One account's likes and reposts of many posts, with encoded answers. */
export function viewerActivityRpcs(reading: Reading): EncodedRpcs {
  return {
    getLikesByActorAndSubjects: (request) => answerOf({ 1: texts(likesByActor(reading, request)) }),

    getRepostsByActorAndSubjects({ actorDid, refs }) {
      const uid = reading.actors.uidOf(actorDid)
      if (uid === 0) return answerOf({ 1: refs.map(() => NO_FIELDS) })
      const ids = idsOf(reading.postsOf(bounded(refs).map(({ uri }) => uri)))
      const made = reading.memory.viewers.about(uid, ids, {
        of: ({ reposts }) => reposts,
        none: '',
        read: (unknown) =>
          reading.postViewers
            .reposts(uid, unknown)
            .map(({ post, rkey }) => [post, recordUri(actorDid, REPOST, rkey)] as const),
      })
      return answerOf({ 1: texts(ids.map((id) => made.get(id) ?? '')) })
    },
  }
}

function ofPost(
  { postsByUri }: Reading,
  { subject, limit, cursor }: Page,
  read: Reading['engagement']['reposts'],
): { items: number[]; cursor?: string | undefined } {
  const post = subject ? postsByUri([subject.uri]).get(subject.uri)?.id : undefined
  if (post === undefined) return { items: [] }
  return read({ post, limit: pageSize(limit), cursor: cursorOf(cursor) })
}

/** Likes of a post, feed generator, labeler or starter pack. */
function likesBySubject(reading: Reading) {
  const { actors, engagement } = reading
  const ofRecord = createRecordLikes(reading)
  const likeUri = ({ uid, rkey }: { uid: number; rkey: PackedRkey }) =>
    recordUri(actors.didOf(uid), LIKE, rkey)
  return ({ subject, limit, cursor }: Page): UriPage => {
    const key = parseRecordUri(subject?.uri)
    const uid = key ? actors.uidOf(key.did) : 0
    if (!key || uid === 0) return { uris: [] }
    const request = { limit: pageSize(limit), cursor: cursorOf(cursor) }
    if (key.collection === 'app.bsky.feed.post') {
      const post = reading.postsByUri([subject!.uri]).get(subject!.uri)?.id
      if (post === undefined) return { uris: [] }
      const page = engagement.likes({ post, ...request })
      return { uris: page.items.map(likeUri), cursor: page.cursor }
    }
    const { collection, rkey } = key
    const page = ofRecord({ record: { uid, collection, rkey }, ...request })
    return { uris: page.items.map(likeUri), cursor: page.cursor }
  }
}

/** Likes of posts, feed generators, labelers and starter packs. */
function likesByActor(reading: Reading, { actorDid, refs }: Refs): string[] {
  const { actors, db, memory, records } = reading
  const uid = actors.uidOf(actorDid)
  if (uid === 0) return refs.map(() => '')
  const uris = bounded(refs).map(({ uri }) => uri)
  const postIds = idsOf(reading.postsOf(uris))
  const ofPosts = memory.viewers.about(uid, postIds, {
    of: ({ likes }) => likes,
    none: '',
    read: (subjects) =>
      Array.from(
        likeEdges.keysAmong(db, { creator: uid, subjects }),
        ([post, rkey]) => [post, recordUri(actorDid, LIKE, rkey)] as const,
      ),
  })
  const others = recordRows(
    reading,
    uris.filter((_, i) => postIds[i] === 0),
  )
  const ids = [...others.values()].map(({ id }) => id)
  const likes = ids.length > 0 ? records.likesBy(uid, ids) : []
  const ofRecords = new Map(likes.map(({ id, rkey }) => [id, rkey]))
  return uris.map((uri, i) => {
    if (postIds[i] !== 0) return ofPosts.get(postIds[i]!) ?? ''
    return uriOf(actorDid, LIKE, ofRecords.get(others.get(uri)?.id ?? 0))
  })
}

function repostUris(reading: Reading, ids: readonly number[]): string[] {
  const reposts = reading.repostsById(ids)
  return ids.flatMap((id) => reposts.get(id)?.uri ?? [])
}

function uriOf(did: string, collection: string, rkey: PackedRkey | undefined): string {
  return rkey === undefined ? '' : recordUri(did, collection, rkey)
}
