// Slipstream that reads nothing but the streams of these hosts, all verified.

import { CONFIGURED_APPVIEW_DID, type Network } from './network.ts'

/** Where a server was away, or answers late on a busy machine, it is asked again later. */
export const PATIENCE = { withinMs: 400_000, pollMs: 200 }

/** @param urls - http: of PDSs or relays. @returns the settings */
export function onlyHosts(
  { plcUrl }: Pick<Network, 'plcUrl'>,
  urls: readonly string[],
): Record<string, string> {
  return {
    SLIPSTREAM_PLC_URL: plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
    SLIPSTREAM_JETSTREAM_HOSTS: 'off',
    SLIPSTREAM_VERIFY: 'all',
    SLIPSTREAM_RELAY_HOSTS: urls.map((url) => url.replace('http', 'ws')).join(','),
    SLIPSTREAM_RELAY_USE: 'always',
    SLIPSTREAM_METRICS: 'open',
  }
}
