// Pages and the operator's routes.

import type { Request } from './requests.ts'
import { MEMBER } from './worst-rows.ts'

export function pageRequests(actors: readonly string[]): Request[] {
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
