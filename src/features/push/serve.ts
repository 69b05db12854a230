// Pushes, if the operator allows push services: every serving thread takes registrations, the main one sends.

import { createNotifications } from '../../answers/skeleton/notifications.ts'
import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeContext, ServeFeature, ServePart } from '../../http/feature.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { getPushKey } from './getPushKey.ts'
import { membersOfNodes } from './members-of-nodes.ts'
import { pushMetrics } from './metrics.ts'
import { createPushes } from './pushes.ts'
import { getQuietHours, putQuietHours } from './quiet-hours-methods.ts'
import { type PushRules, registrationMethods } from './registration-methods.ts'
import { pushSettings } from './settings.ts'

export const serve: ServeFeature = {
  methods(config) {
    const rules = rulesOf(config)
    const key = getPushKey({ isOn: rules !== undefined })
    return [...registrationMethods(rules), key, getQuietHours, putQuietHours]
  },
  metrics: pushMetrics,
  /** The service to which a PDS forwards device registrations. */
  didServices(config) {
    if (!rulesOf(config)) return []
    const type = 'BskyNotificationService'
    return [{ id: '#bsky_notif', type, serviceEndpoint: config.publicOrigin }]
  },
  start(parts) {
    const rules = rulesOf(parts.config)
    return rules && parts.thread === 0 ? startPushes(parts, rules) : {}
  },
}

function rulesOf(config: Config): PushRules | undefined {
  const { serviceDid, altAudiences, allowPrivateHosts } = config
  const { pushServices: services } = settingsOf(config, pushSettings)
  if (services.length === 0) return undefined
  const rules = { services, allowsHttp: allowPrivateHosts !== false }
  return { serviceDids: [serviceDid, ...altAudiences], rules }
}

function startPushes(context: ServeContext, { rules }: PushRules): ServePart {
  const { config, db, graph, log, ingest } = context
  const { allowPrivateHosts, publicOrigin, serviceDid } = config
  const pushes = createPushes({
    ...context,
    rules,
    withText: settingsOf(config, pushSettings).pushText,
    serviceDid,
    now: Date.now,
    notifications: createNotifications({ db, graph, tagRules: config }),
    fetch: createGuardedFetch({ allowPrivateHosts, log }),
    subject: contactOf(publicOrigin),
    writer: ingest.writer,
    members: membersOfNodes(context.sharedByNodes),
  })
  return {
    gauges() {
      const { sent, gone, refused, failed, dropped } = pushes.counts()
      return {
        'push.sent': sent,
        'push.gone': gone,
        'push.refused': refused,
        'push.failed': failed,
        'push.dropped': dropped,
        'push.pending': pushes.pending(),
      }
    },
    close: pushes.close,
  }
}

/**
 * Returns the sender's https or mailto address (RFC 8292, section 2.1); a test machine at home has
 * neither.
 */
function contactOf(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' ? origin : `mailto:slipstream@${hostname}`
}
