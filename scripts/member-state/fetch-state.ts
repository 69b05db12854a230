// A member's document from another AppView, as far as AppViews expose it: no method lists muted threads or
// the scopes of mutes, and only bookmarks and drafts have times, so list order replaces the others.

import { emptyState, type MemberState } from '../../src/ingest/indexing/member-state/document.ts'
import { type AppView, allOf } from './appview.ts'

type Subscribed = { did: string; viewer?: { activitySubscription?: Flags } }
type Flags = { post: boolean; reply: boolean }
type Bookmarked = { subject: { uri: string; cid: string }; createdAt?: string }
type Draft = MemberState['drafts'][number]

/** Calls `skipped` for everything that the AppView does not have, and continues. */
export async function fetchState(
  appView: AppView,
  skipped: (what: string) => void,
): Promise<MemberState> {
  const all = async <T>(nsid: string, field: string): Promise<T[]> => {
    try {
      // The AppView lists the latest first.
      return (await allOf<T>(appView, nsid, field)).reverse()
    } catch (error) {
      skipped((error as Error).message)
      return []
    }
  }
  const mutes = await all<{ did: string }>('app.bsky.graph.getMutes', 'mutes')
  const lists = await all<{ uri: string }>('app.bsky.graph.getListMutes', 'lists')
  const bookmarks = await all<Bookmarked>('app.bsky.bookmark.getBookmarks', 'bookmarks')
  const drafts = await all<Draft>('app.bsky.draft.getDrafts', 'drafts')
  const subscribed = await all<Subscribed>(
    'app.bsky.notification.listActivitySubscriptions',
    'subscriptions',
  )
  return {
    ...emptyState(appView.did),
    mutes: mutes.map(({ did }) => ({ did })),
    listMutes: lists.map(({ uri }) => ({ list: uri })),
    bookmarks: bookmarks.map(({ subject: { uri, cid }, createdAt }) => ({
      uri,
      cid,
      ...(createdAt && { createdAt }),
    })),
    drafts: drafts.map(({ id, draft, createdAt, updatedAt }) => {
      return { id, draft, ...(createdAt && { createdAt }), ...(updatedAt && { updatedAt }) }
    }),
    activitySubscriptions: subscribed.flatMap(({ did, viewer }) => {
      const flags = viewer?.activitySubscription
      return flags ? [{ did, post: flags.post, reply: flags.reply }] : []
    }),
    notifications: await fetchNotifications(appView, skipped),
    ...(await fetchFeatures(appView, skipped)),
  }
}

/** Only another Slipstream has them. It lists no positions; that of the home timeline is asked for. */
async function fetchFeatures(
  appView: AppView,
  skipped: (what: string) => void,
): Promise<Pick<MemberState, 'features'>> {
  try {
    const quietHours = await appView.get('io.slipstream.notification.getQuietHours')
    const timeline = 'following'
    const position = await appView.get('io.slipstream.feed.getPosition', { timeline })
    const features = {
      ...(quietHours['from'] !== undefined && { push: { quietHours } }),
      ...(position['position'] !== undefined && {
        read: { positions: [{ timeline, ...position }] },
      }),
    }
    return Object.keys(features).length > 0 ? { features } : {}
  } catch (error) {
    skipped((error as Error).message)
    return {}
  }
}

async function fetchNotifications(
  appView: AppView,
  skipped: (what: string) => void,
): Promise<MemberState['notifications']> {
  try {
    const { preferences } = await appView.get('app.bsky.notification.getPreferences')
    const latest = await appView.get('app.bsky.notification.listNotifications', { limit: '1' })
    const { priority, seenAt } = latest as { priority?: boolean; seenAt?: string }
    return {
      preferences: preferences as Record<string, unknown>,
      ...(priority !== undefined && { priority }),
      ...(seenAt !== undefined && { seenAt }),
    }
  } catch (error) {
    skipped((error as Error).message)
    return {}
  }
}
