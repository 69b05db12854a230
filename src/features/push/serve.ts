// Pushes, if the operator allows push services: every serving thread takes registrations, the main one sends.

import { createNotifications } from '../../answers/skeleton/notifications.ts'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { AppParts } from '../../http/xrpc/app-context.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { DuePushesParts } from './due-pushes.ts'
import { createPushes } from './pushes.ts'
import type { PushCounts } from './send-pushes.ts'

type Parts = { config: Config; log: Logger; ingest: { writer: Writer }; thread: number } & Pick<
  AppParts,
  'graph'
> &
  Omit<DuePushesParts, 'notifications' | 'withText' | 'now'>

/** Rules for registrations; undefined if there are no pushes. */
export function pushRules(config: Config): AppParts['push'] {
  const { pushServices: services, serviceDid, altAudiences, allowPrivateHosts } = config
  if (services.length === 0) return undefined
  const rules = { services, allowsHttp: allowPrivateHosts !== false }
  return { serviceDids: [serviceDid, ...altAudiences], rules }
}

export type PushFigures = PushCounts & { pending: number }

const NONE: PushFigures = { sent: 0, gone: 0, refused: 0, failed: 0, dropped: 0, pending: 0 }

export function servePushes(parts: Parts): { figures(): PushFigures; close(): void } {
  const { config, log, ingest, thread, db, graph } = parts
  const push = pushRules(config)
  if (!push || thread !== 0) return { figures: () => NONE, close: () => undefined }
  const { allowPrivateHosts, pushText, publicOrigin, serviceDid } = config
  const pushes = createPushes({
    ...parts,
    rules: push.rules,
    withText: pushText,
    serviceDid,
    log,
    now: Date.now,
    notifications: createNotifications({ db, graph, tagRules: config }),
    fetch: createGuardedFetch({ allowPrivateHosts, log }),
    subject: contactOf(publicOrigin),
    writer: ingest.writer,
  })
  const figures = () => ({ ...pushes.counts(), pending: pushes.pending() })
  return { figures, close: pushes.close }
}

/**
 * Returns the sender's https or mailto address (RFC 8292, section 2.1); a test machine at home has
 * neither.
 */
function contactOf(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' ? origin : `mailto:slipstream@${hostname}`
}
