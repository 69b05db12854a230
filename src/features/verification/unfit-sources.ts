// Which settings of the sources contradict each other.

import { relaysOf } from './relay-hosts.ts'
import type { RelayHosts } from './settings.ts'

/** @returns the problem and how to fix it; undefined if there is none. */
export function unfitSources({
  jetstreamHosts,
  relayHosts,
  verify,
}: {
  jetstreamHosts: readonly string[]
  relayHosts: RelayHosts
  verify: 'off' | 'members' | 'all'
}): { message: string; hint: string } | undefined {
  if (jetstreamHosts.length === 0 && relaysOf(relayHosts, jetstreamHosts).length === 0) {
    return {
      message:
        'SLIPSTREAM_JETSTREAM_HOSTS and SLIPSTREAM_RELAY_HOSTS are both off: nothing would bring events.',
      hint: 'Name relays in SLIPSTREAM_RELAY_HOSTS, or Jetstream hosts (docs/SOURCES.md).',
    }
  }
  if (verify !== 'all' || jetstreamHosts.length === 0) return undefined
  return {
    message:
      'SLIPSTREAM_VERIFY is all, but SLIPSTREAM_JETSTREAM_HOSTS is not off: what Jetstream brings is not signed.',
    hint: 'Set SLIPSTREAM_JETSTREAM_HOSTS=off, or SLIPSTREAM_VERIFY=members to check what Jetstream says of members and those they follow.',
  }
}
