// The settings of pushes: which push services members' devices may be registered with, and what a push says.

import { flag, list, Unfit } from './parsers.ts'
import { setting } from './setting.ts'

/** Hosts, `*.host` for all below one; `any`: whichever. None: no pushes. */
export type PushServices = readonly string[]

const ANY = 'any'
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/

export const pushSettings = {
  pushServices: setting<PushServices>(
    'PUSH_SERVICES',
    'off',
    pushServices,
    'Push services (WebPush, UnifiedPush) that members’ devices may be registered with: hosts such as updates.push.services.mozilla.com or *.push.apple.com, separated by commas; any; or off: no pushes (docs/PUSH.md).',
  ),
  pushText: setting(
    'PUSH_TEXT',
    'off',
    flag,
    'Whether a push says who did what, and quotes it. off: only what happened to which record. Pushes are encrypted for the device in any case.',
  ),
}

function pushServices(value: string): PushServices {
  const hosts = list(value.toLowerCase())
  if (hosts.length === 1 && ['off', 'none'].includes(hosts[0]!)) return []
  const unfit = hosts.find((host) => host !== ANY && !HOST.test(host))
  if (unfit === undefined && hosts.length > 0) return hosts
  throw new Unfit(
    'hosts such as updates.push.services.mozilla.com or *.push.apple.com, separated by commas; any; or off',
  )
}

/** `host` with its port, where it is not the protocol's own. */
export function isAllowedService(services: PushServices, host: string): boolean {
  return services.some(
    (one) => one === ANY || one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))),
  )
}
