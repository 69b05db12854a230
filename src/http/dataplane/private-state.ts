// What lives in no repository: bookmarks, drafts, subscriptions to somebody's posts. Our rows have no keys
// of the frontend's: a bookmark is named by its post's row, a subscription by its account, and bsync takes
// those names back (bsync.ts).

import { createBookmarkPages } from '../../answers/skeleton/bookmarks.ts'
import { createDraftPages } from '../../answers/skeleton/drafts.ts'
import { createAccountLists } from '../../answers/skeleton/follow-lists.ts'
import { bookmarksAmong } from '../../data/store/bookmarks.ts'
import { prepareActivitySubscriptions } from '../../data/store/read/activity-subscriptions.ts'
import { bounded, cursorOf, pageSize, type Rpcs, timestamp } from './messages.ts'
import type { Reading } from './reading.ts'

export const NAMESPACES = {
  bookmark: 'app.bsky.bookmark.defs#bookmark',
  draft: 'app.bsky.draft.defs#draftWithId',
  subscription: 'app.bsky.notification.defs#subjectActivitySubscription',
  preferences: 'app.bsky.notification.defs#preferences',
} as const

export function privateStateRpcs(reading: Reading): Rpcs {
  return { ...keptRpcs(reading), ...subscriptionRpcs(reading) }
}

function keptRpcs(reading: Reading): Rpcs {
  const { db, actors } = reading
  const bookmarks = createBookmarkPages(db)
  const drafts = createDraftPages(db)
  return {
    getActorBookmarks({ actorDid, limit, cursor }) {
      const viewer = actors.uidOf(actorDid)
      if (viewer === 0) return {}
      const page = bookmarks.page({ viewer, limit: pageSize(limit), cursor: cursorOf(cursor) })
      const uris = reading.postUris(page.items.map(({ post }) => post))
      const named = page.items.map(({ post }) => ({
        key: String(post),
        subject: uris.get(post) ?? '',
      }))
      return { bookmarks: named, cursor: page.cursor }
    },

    getBookmarksByActorAndSubjects({ actorDid, uris }) {
      const viewer = actors.uidOf(actorDid)
      const posts = reading.postsByUri(bounded(uris))
      const ids = [...posts.values()].map(({ id }) => id)
      const rows = viewer === 0 ? [] : bookmarksAmong(db, viewer, ids)
      const found = new Map(rows.map((row) => [row.post, row]))
      return {
        bookmarks: uris.map((uri) => {
          const row = found.get(posts.get(uri)?.id ?? 0)
          if (!row) return {}
          const ref = { actorDid, namespace: NAMESPACES.bookmark, key: String(row.post) }
          const indexedAt = timestamp(row.createdAt)
          return { ref, subjectUri: uri, subjectCid: row.cid, indexedAt }
        }),
      }
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
          const one = found.get(uid)
          if (!one) return named
          const subjectDid = subjectDids[i]!
          return {
            ...named,
            ...{ key: subjectDid, subjectDid },
            ...(one.post && { post: {} }),
            ...(one.reply && { reply: {} }),
          }
        }),
      }
    },
  }
}
