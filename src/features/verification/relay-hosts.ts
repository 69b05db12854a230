// Which relays are read with these settings.

import { settings as coreSettings } from '../../base/config/settings.ts'
import type { RelayHosts } from './settings.ts'

/**
 * Two operators who are not the company whose Jetstream hosts are the default, then that company’s
 * own relay; docs/SOURCES.md names the list that they are from.
 */
const PUBLIC_RELAYS = [
  'wss://relay.fire.hose.cam',
  'wss://europe.firehose.network',
  'wss://relay1.us-east.bsky.network',
]

export function relaysOf(hosts: RelayHosts, jetstreams: readonly string[]): readonly string[] {
  if (hosts !== 'auto') return hosts
  const isDefault =
    jetstreams.length === 0 || jetstreams.join() === coreSettings.jetstreamHosts.fallback
  return isDefault ? PUBLIC_RELAYS : []
}
