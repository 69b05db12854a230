// The recorded procedures, in order: the private state that the answers depend on first, then each procedure
// with right and wrong input. What they wrote shows in the queries of the members' own state behind them.

import type { Recorded } from './ask.ts'
import { type Cast, NOBODY } from './cast.ts'
import { BLOCKER, KEEN, QUIET, uri } from './member-acts.ts'
import type { KnownMethod } from './tree.ts'

type Cid = (uri: string) => string

const app = (name: string) => `app.bsky.${name}`

function write(viewer: string | undefined, method: string, body: unknown): Recorded {
  return { method, viewer, path: `/xrpc/${method}`, body, about: 'write' }
}

/** Private state before the second half of the events, so that notifications and counts show it. */
export function earlyWrites({ people, lists }: Cast): Recorded[] {
  const mute = (viewer: string, actor: string, more: object = {}) =>
    write(viewer, app('graph.muteActor'), { actor, ...more })
  const like = { include: 'all', list: true, push: true }
  return [
    mute(BLOCKER, people[10]!),
    mute(BLOCKER, 'account11.test'),
    mute(KEEN, people[12]!),
    write(BLOCKER, app('graph.muteActorList'), { list: lists[0] }),
    write(people[0], app('graph.muteActorList'), { list: lists[1] }),
    write(KEEN, app('notification.putActivitySubscription'), {
      subject: people[1],
      activitySubscription: { post: true, reply: false },
    }),
    write(QUIET, app('notification.putActivitySubscription'), {
      subject: KEEN,
      activitySubscription: { post: true, reply: true },
    }),
    write(QUIET, app('notification.putPreferencesV2'), { like }),
    write(BLOCKER, app('notification.putPreferences'), { priority: true }),
    write(KEEN, app('actor.putPreferences'), {
      preferences: [
        { $type: 'app.bsky.actor.defs#adultContentPref', enabled: true },
        { $type: 'app.bsky.actor.defs#interestsPref', tags: ['cats'] },
      ],
    }),
  ]
}

/** Bookmarks and muted threads, once the posts are there. */
export function laterWrites({ posts }: Cast, cid: Cid): Recorded[] {
  const [root = '', own = ''] = posts
  const bookmark = (viewer: string, at: string) =>
    write(viewer, app('bookmark.createBookmark'), { uri: at, cid: cid(at) })
  return [
    ...posts.slice(0, 12).map((at) => bookmark(KEEN, at)),
    ...posts.slice(2, 6).map((at) => bookmark(BLOCKER, at)),
    write(QUIET, app('graph.muteThread'), { root }),
    write(BLOCKER, app('graph.muteThread'), { root: own }),
  ]
}

/** Each procedure, undone where that is possible. */
export function lastWrites({ people, lists, posts, feeds }: Cast, cid: Cid): Recorded[] {
  const [root = ''] = posts
  const none = uri(NOBODY, 'graph.list', 'none')
  const event = 'app.bsky.feed.defs#interactionSeen'
  const push = { serviceDid: 'did:web:push.test', token: 'x', platform: 'ios', appId: 'app' }
  const draft = { posts: [{ text: 'a draft' }] }
  const pair = (name: string, bodies: unknown[]): Recorded[] =>
    [KEEN, BLOCKER, undefined].flatMap((viewer) =>
      bodies.map((body) => write(viewer, app(name), body)),
    )
  return [
    ...pair('graph.unmuteActor', [{ actor: people[10] }, { actor: NOBODY }, { actor: 'no one' }]),
    ...pair('graph.muteActor', [{ actor: 'nobody.test' }, { actor: NOBODY }, { actor: KEEN }]),
    ...pair('graph.unmuteActorList', [{ list: lists[0] }, { list: none }, { list: root }]),
    ...pair('graph.muteActorList', [{ list: none }, { list: root }, { list: lists[3] }]),
    ...pair('graph.muteThread', [{ root: posts[5] }, { root: lists[0] }, { root: 'at://x' }]),
    ...pair('graph.unmuteThread', [{ root: posts[5] }, { root }, { root: '' }]),
    ...pair('bookmark.deleteBookmark', [{ uri: posts[2] }, { uri: none }, { uri: 'x' }]),
    ...pair('bookmark.createBookmark', [{ uri: none, cid: cid(root) }, { uri: root }]),
    ...pair('draft.createDraft', [{ draft }, { draft: { posts: [] } }, { draft: 'x' }]),
    ...pair('draft.updateDraft', [{ draft: { id: '3kzzzzzzzzz2z', draft } }]),
    ...pair('draft.deleteDraft', [{ id: '3kzzzzzzzzz2z' }, { id: 'x' }]),
    ...pair('feed.sendInteractions', [
      { interactions: [{ item: root, event }] },
      { feed: feeds[0], interactions: [{ item: root, event }] },
      { interactions: 'x' },
    ]),
    ...pair('notification.putActivitySubscription', [
      { subject: people[1], activitySubscription: { post: false, reply: false } },
      { subject: KEEN, activitySubscription: { post: true, reply: true } },
      { subject: NOBODY, activitySubscription: { post: true, reply: true } },
    ]),
    ...pair('notification.putPreferences', [{ priority: false }, { priority: 'x' }, {}]),
    ...pair('notification.putPreferencesV2', [{}, { like: { include: 'follows' } }, { like: 1 }]),
    ...pair('notification.registerPush', [push, {}]),
    ...pair('notification.unregisterPush', [push, {}]),
    ...pair('notification.updateSeen', [{ seenAt: '2026-01-01T00:00:00.000Z' }, { seenAt: 'x' }]),
    ...pair('actor.putPreferences', [{ preferences: [] }, { preferences: [{ a: 1 }] }, {}]),
    write(KEEN, 'io.slipstream.server.redeemInvite', { code: 'no such code' }),
    write(undefined, 'com.atproto.admin.updateSubjectStatus', { subject: {} }),
  ]
}

/** Input that no procedure takes. */
export function wrongWrites(methods: readonly KnownMethod[]): Recorded[] {
  const bodies = ['', '{', '[]', 'null', '{"a":1}', '{"actor":1,"uri":2,"list":3}']
  return methods.flatMap(({ nsid }) => [
    ...bodies.map((body) => ({ ...write(KEEN, nsid, body), about: 'wrong input' })),
    {
      ...write(KEEN, nsid, '{}'),
      headers: { 'content-type': 'text/plain' },
      about: 'wrong content type',
    },
    { method: nsid, viewer: KEEN, path: `/xrpc/${nsid}`, about: 'wrong verb' },
  ])
}
