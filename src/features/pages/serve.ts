// The pages for people in front of one serving thread, and where a person redeems an invite.

import { createAccounts } from '../../data/store/read/accounts/accounts.ts'
import type { ServeContext, ServeFeature, ServePart } from '../../http/feature.ts'
import { inviteRoutes } from './invites/invite-page.ts'
import { pagesMetrics } from './metrics.ts'
import { createPage } from './page.ts'

export const serve: ServeFeature = { metrics: pagesMetrics, start: startPages }

function startPages(context: ServeContext): ServePart {
  const { app, config, features, ingest, log, resolver } = context
  const page = createPage({
    ...context,
    status: ingest.status,
    forms: (language) => features.flatMap((feature) => feature.firstPage?.(config, language) ?? []),
  })
  const known = knownBy(context)
  return {
    routes: [
      ...inviteRoutes({ us: config, invites: app.invites, resolver, known, log }),
      ...page.routes,
    ],
    notFound: page.notFound,
    gauges: () => ({ 'pages.listeners': page.listeners() }),
    close: page.close,
  }
}

/** Returns the DID of an account that the index knows by this handle or DID. */
function knownBy({ db, actors }: Pick<ServeContext, 'db' | 'actors'>) {
  const accounts = createAccounts(db)
  return (actor: string): string | undefined => {
    const uid = actor.startsWith('did:') ? actors.uidOf(actor) : accounts.uidOfHandle(actor)
    return uid === 0 ? undefined : actors.didOf(uid)
  }
}
