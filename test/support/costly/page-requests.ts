// Pages and the operator's routes.

import { parseRecordUri } from '../../../src/base/atproto/at-uri.ts'
import type { Request } from './requests.ts'
import { type Cast, MEMBER } from './worst-rows.ts'

/** Of whoever is signed in nowhere: profiles, posts, lists and hashtags, and their feeds. */
function visitorPages({ actors, posts, lists }: Cast): Request[] {
  const records = [...posts, ...lists].map((uri) => parseRecordUri(uri)!)
  const ofRecords = records.flatMap(({ did, collection, rkey }) => {
    if (collection === 'app.bsky.feed.post') return [`/profile/${did}/post/${rkey}`]
    return ['', '/feed.atom'].map((feed) => `/profile/${did}/lists/${rkey}${feed}`)
  })
  const ofActors = actors.flatMap((did) => [`/profile/${did}`, `/profile/${did}/feed.atom`])
  return [...ofActors, ...ofRecords, '/hashtag/tag1', '/hashtag/many'].map((path) => ({
    method: `/${path.split('/')[1]}`,
    path,
  }))
}

export function pageRequests(cast: Cast): Request[] {
  return [...visitorPages(cast), ...ownPages(cast.actors)]
}

function ownPages(actors: readonly string[]): Request[] {
  const operator = { token: 'operator' as const }
  const explore = ['overview', 'figures', 'history/hour', 'newcomers', 'videos', 'slow']
  return [
    ...['/', '/read', '/explore', '/invite', '/figures', '/metrics', '/xrpc/_health'].map(
      (path) => ({ method: path, path }),
    ),
    ...[
      'status',
      'gaps',
      'members',
      `members/${MEMBER}/state`,
      'moderation',
      'tokens',
      'invites',
    ].map((name) => ({
      method: `/operator/${name}`,
      path: `/operator/${name}`,
      ...operator,
    })),
    ...explore.map((name) => ({
      method: `/explore/${name}`,
      path: `/explore/api/${name}`,
      ...operator,
    })),
    ...actors.slice(0, 4).flatMap((did) =>
      [
        `account?actor=${did}`,
        `timeline?actor=${did}`,
        `proof?viewer=${MEMBER}&subject=${did}`,
      ].map((name) => ({
        method: `/explore/${name.split('?')[0]}`,
        path: `/explore/api/${name}`,
        ...operator,
      })),
    ),
  ]
}
