// What this page asks a member's PDS to allow (https://atproto.com/specs/permission): the smallest set with
// which it can read here and write what it offers to write. Moving private state in or away needs calls to
// another AppView; they are asked for only then.

import type { Scopes } from './setup.ts'

const WRITTEN = [
  'app.bsky.feed.like',
  'app.bsky.feed.post',
  'app.bsky.feed.repost',
  'app.bsky.graph.block',
  'app.bsky.graph.follow',
]
/** Kept by the PDS itself, whatever AppView it is configured with. */
const ON_PDS = ['app.bsky.actor.getPreferences', 'app.bsky.actor.putPreferences']
/** What the AppView used before knows and no repository has. */
const READ_THERE = [
  'app.bsky.bookmark.getBookmarks',
  'app.bsky.draft.getDrafts',
  'app.bsky.graph.getListMutes',
  'app.bsky.graph.getMutes',
  'app.bsky.notification.getPreferences',
  'app.bsky.notification.getUnreadCount',
  'app.bsky.notification.listActivitySubscriptions',
  'app.bsky.notification.listNotifications',
]
const WRITTEN_THERE = [
  'app.bsky.bookmark.createBookmark',
  'app.bsky.draft.createDraft',
  'app.bsky.graph.muteActor',
  'app.bsky.graph.muteActorList',
  'app.bsky.notification.putActivitySubscription',
  'app.bsky.notification.putPreferencesV2',
  'app.bsky.notification.updateSeen',
]

const EVERYTHING = 'transition:generic'

/** @param previous - the AppView used before, as DID#service */
export function scopesFor(serviceDid: string, previous: string): Scopes {
  const use = [
    'atproto',
    repeated('repo', 'collection', WRITTEN),
    'blob:image/*',
    rpc(['*'], `${serviceDid}#bsky_appview`),
    rpc(
      ['app.bsky.notification.registerPush', 'app.bsky.notification.unregisterPush'],
      notifOf(serviceDid),
    ),
    rpc(ON_PDS, '*'),
  ]
  const read = rpc(READ_THERE, previous)
  const written = rpc(WRITTEN_THERE, previous)
  return {
    use: use.join(' '),
    bring: [...use, read].join(' '),
    leave: [...use, read, written].join(' '),
    everything: ['atproto', EVERYTHING].join(' '),
    all: [...use, read, written, EVERYTHING].join(' '),
  }
}

function notifOf(serviceDid: string): string {
  return `${serviceDid}#bsky_notif`
}

function rpc(methods: readonly string[], audience: string): string {
  const aud = audience === '*' ? '*' : encodeURIComponent(audience)
  return `${repeated('rpc', 'lxm', methods)}${methods.length > 1 ? '&' : '?'}aud=${aud}`
}

/** One value stands behind a colon, several as parameters. */
function repeated(resource: string, name: string, values: readonly string[]): string {
  if (values.length === 1) return `${resource}:${values[0]}`
  return `${resource}?${values.map((value) => `${name}=${value}`).join('&')}`
}
