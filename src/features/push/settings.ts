// The settings of pushes: the push services with which members' devices may be registered, and the content of
// a push.

import { flag, list, Unfit } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

/** Hosts, `*.host` for all subdomains of one; `any`: all hosts. Empty: no pushes. */
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
    'Whether a push names the account and quotes the text. off: only the kind of event and the record. Pushes are always encrypted for the device.',
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

/** `host` includes its port unless it is the protocol's default. */
export function isAllowedService(services: PushServices, host: string): boolean {
  return services.some(
    (service) =>
      service === ANY ||
      service === host ||
      (service.startsWith('*.') && host.endsWith(service.slice(1))),
  )
}
