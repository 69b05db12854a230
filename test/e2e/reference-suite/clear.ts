// Deletes private state of every account, as tests do between themselves in the reference's Postgres: what clients
// wrote to Slipstream is listed through its dataplane and deleted through its bsync.

import type { TestBsky } from '@atproto/dev-env'

export type Tables = TestBsky['db']['db']
type Entry = { namespace: string; key: string }

const DELETE = 3
const PAGE = 500

const NAMESPACES = {
  bookmark: 'app.bsky.bookmark.defs#bookmark',
  draft: 'app.bsky.draft.defs#draftWithId',
  subscription: 'app.bsky.notification.defs#subjectActivitySubscription',
  preferences: 'app.bsky.notification.defs#preferences',
}

export async function clearPrivateState(
  { bsky, db }: { bsky: TestBsky; db: Tables },
  table: string,
): Promise<void> {
  const rows = await db.selectFrom('actor').select('did').execute()
  for (const { did } of rows) {
    for (const { namespace, key } of await entriesOf(bsky, table, did)) {
      await bsky.ctx.bsyncClient.putOperation({ actorDid: did, namespace, key, method: DELETE })
    }
  }
}

async function entriesOf(bsky: TestBsky, table: string, actorDid: string): Promise<Entry[]> {
  const { dataplane } = bsky.ctx
  const request = { actorDid, limit: PAGE }
  if (table === 'draft')
    return keyed(NAMESPACES.draft, (await dataplane.getActorDrafts(request)).drafts)
  if (table === 'activity_subscription') {
    const { dids } = await dataplane.getActivitySubscriptionDids(request)
    return dids.map((key: string) => ({ namespace: NAMESPACES.subscription, key }))
  }
  const { bookmarks } = await dataplane.getActorBookmarks(request)
  const stored = keyed(NAMESPACES.bookmark, bookmarks)
  // In the reference, bookmarks are in this table, too.
  return table === 'private_data'
    ? [...stored, { namespace: NAMESPACES.preferences, key: 'self' }]
    : stored
}

function keyed(namespace: string, entries: readonly { key: string }[]): Entry[] {
  return entries.map(({ key }) => ({ namespace, key }))
}
