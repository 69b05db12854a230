// Creates the context from the settings, with real network access.

import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import type { Config, ConfigError } from '../../../base/config/config.ts'
import { createGuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import {
  createPublicLookup,
  type LookupAddresses,
} from '../../../sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../sources/identity/resolver.ts'
import type { DoctorContext } from '../context.ts'
import { openOrigins } from '../independence.ts'
import { createAsk } from './ask.ts'

const CONNECT_MS = 4_000

type DoctorOptions = Pick<DoctorContext, 'server' | 'dotenvPath'> & {
  config: Config
  problems: readonly ConfigError[]
  processBytes?: number
  setKeys: Pick<ReadonlySet<string>, 'has'>
  socket?: DoctorContext['socket']
  /** Replaces public DNS in tests. */
  addressesOf?: LookupAddresses
  now?: () => number
}

export function createDoctorContext(
  options: DoctorOptions,
): DoctorContext & { close(): Promise<void> } {
  const { config, setKeys, socket = {}, now = Date.now, ...rest } = options
  const { allowPrivateHosts, plcUrl } = config
  const ask = createAsk(socket)
  const fetch = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [plcUrl] })
  let online: Promise<boolean> | undefined
  return {
    ...rest,
    processBytes: options.processBytes ?? 0,
    config,
    now,
    ask,
    fetch,
    socket,
    resolver: createResolver({ allowPrivateHosts, plcUrl, fetch }),
    isSet: (key) => setKeys.has(key),
    addressesOf: options.addressesOf ?? publicThenSystem(createPublicLookup()),
    isOnline: () => (online ??= reachesAny(config, socket)),
    close: () => ask.close(),
  }
}

/** Falls back to the system's resolver on machines that can't query name servers themselves. */
function publicThenSystem(byDns: LookupAddresses): LookupAddresses {
  return async (name) => {
    const found = await byDns(name)
    if (found.length > 0) return found
    const own = await lookup(name, { all: true }).catch(() => [])
    return own.map(({ address }) => address)
  }
}

/** Whether a connection to any of the required hosts succeeds. */
async function reachesAny(config: Config, socket: DoctorContext['socket']): Promise<boolean> {
  const attempts = openOrigins(config).map((url) => reaches(new URL(url), socket))
  return Promise.any(attempts).then(
    () => true,
    () => false,
  )
}

function reaches(
  { hostname, port, protocol }: URL,
  { lookup: by }: DoctorContext['socket'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const at = Number(port || (protocol === 'https:' ? 443 : 80))
    const tcp = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: at,
      ...(by && { lookup: by }),
    })
    tcp.setTimeout(CONNECT_MS, () => tcp.destroy(new Error('no answer')))
    tcp.once('connect', () => {
      tcp.destroy()
      resolve()
    })
    tcp.once('error', reject)
  })
}
