// State outside of repositories: bookmarks, drafts and activity subscriptions. Bookmarks and subscriptions
// have keys made here (private-keys.ts), which bsync accepts back (bsync.ts).

import { createBookmarkPages } from '../../../answers/skeleton/bookmarks.ts'
import { createDraftPages } from '../../../answers/skeleton/drafts.ts'
import { createAccountLists } from '../../../answers/skeleton/follow-lists.ts'
import { bookmarksAmong } from '../../../data/store/private/bookmarks.ts'
import { prepareActivitySubscriptions } from '../../../data/store/read/accounts/activity-subscriptions.ts'
import { BookmarkSchema } from '../generated/bsky-pb.ts'
import { idsOf } from '../reading/names.ts'
import type { Reading } from '../reading/reading.ts'
import { answerOf, type EncodedRpcs, encode, NO_FIELDS } from '../wire/encoded.ts'
import { bounded, cursorOf, pageSize, type Rpcs, timestamp } from '../wire/messages.ts'
import { privateKey } from './private-keys.ts'

export const NAMESPACES = {
  bookmark: 'app.bsky.bookmark.defs#bookmark',
  draft: 'app.bsky.draft.defs#draftWithId',
  subscription: 'app.bsky.notification.defs#subjectActivitySubscription',
  preferences: 'app.bsky.notification.defs#preferences',
  age: 'app.bsky.ageassurance.defs#event',
  earlierAge: 'app.bsky.unspecced.defs#ageAssuranceEvent',
} as const

export function privateStateRpcs(reading: Reading): Rpcs {
  return { ...storedRpcs(reading), ...subscriptionRpcs(reading) }
}

/** Bookmarks among given posts, with encoded answers. */
export function bookmarkRpcs({ actors, db, memory, postsOf }: Reading): EncodedRpcs {
  return {
    getBookmarksByActorAndSubjects({ actorDid, uris }) {
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0) return answerOf({ 1: uris.map(() => NO_FIELDS) })
      const ids = idsOf(postsOf(bounded(uris)))
      const found = memory.viewers.about(viewer, ids, {
        of: ({ bookmarks }) => bookmarks,
        none: NO_FIELDS,
        read(unknown) {
          const named = new Map(ids.map((id, i) => [id, uris[i]!]))
          return bookmarksAmong(db, viewer, unknown).map(({ post, cid, createdAt }) => {
            const ref = {
              actorDid,
              namespace: NAMESPACES.bookmark,
              key: privateKey(createdAt, post),
            }
            const subject = { subjectUri: named.get(post)!, subjectCid: cid }
            const bookmark = { ref, ...subject, indexedAt: timestamp(createdAt) }
            return [post, encode(BookmarkSchema, bookmark)] as const
          })
        },
      })
      return answerOf({ 1: ids.map((id) => found.get(id) ?? NO_FIELDS) })
    },
  }
}

function storedRpcs(reading: Reading): Rpcs {
  const { db, actors } = reading
  const bookmarks = createBookmarkPages(db)
  const drafts = createDraftPages(db)
  return {
    getActorBookmarks({ actorDid, limit, cursor }) {
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0) return {}
      const page = bookmarks.page({ viewer, limit: pageSize(limit), cursor: cursorOf(cursor) })
      const uris = reading.postUris(page.items.map(({ post }) => post))
      const named = page.items.map(({ post, createdAt }) => ({
        key: privateKey(createdAt, post),
        subject: uris.get(post) ?? '',
      }))
      return { bookmarks: named, cursor: page.cursor }
    },

    getActorDrafts({ actorDid, limit, cursor }) {
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0) return {}
      const page = drafts.page({ viewer, limit: pageSize(limit), cursor: cursorOf(cursor) })
      return {
        drafts: page.items.map(({ id, draft, createdAt, updatedAt }) => ({
          key: id,
          payload: Buffer.from(`{"id":${JSON.stringify(id)},"draft":${draft}}`),
          createdAt: timestamp(createdAt),
          updatedAt: timestamp(updatedAt),
        })),
        cursor: page.cursor,
      }
    },
  }
}

function subscriptionRpcs(reading: Reading): Rpcs {
  const { db, actors } = reading
  const lists = createAccountLists({ db, actors })
  const subscriptions = prepareActivitySubscriptions(db)
  return {
    getActivitySubscriptionDids({ actorDid, limit, cursor }) {
      const actor = actors.uidOf(actorDid)
      if (actor === 0) return {}
      const page = lists.subscriptions({ actor, limit: pageSize(limit), cursor: cursorOf(cursor) })
      return { dids: page.items.map((uid) => actors.didOf(uid)), cursor: page.cursor }
    },

    getActivitySubscriptionsByActorAndSubjects({ actorDid, subjectDids }) {
      const uids = bounded(subjectDids).map((did) => actors.uidOf(did))
      const known = uids.filter((uid) => uid !== 0)
      const found = subscriptions(actors.uidOf(actorDid), known)
      return {
        subscriptions: uids.map((uid, i) => {
          const named = { actorDid, namespace: NAMESPACES.subscription }
          const item = found.get(uid)
          if (!item) return named
          const subjectDid = subjectDids[i]!
          return {
            ...named,
            key: privateKey(item.createdAt, subjectDid),
            subjectDid,
            ...(item.post && { post: {} }),
            ...(item.reply && { reply: {} }),
          }
        }),
      }
    },
  }
}
