// The settings of the second kind of source, and of what is verified.

import { integer, jetstreamHosts, oneOf, originsOrOff, Unfit } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

/** `auto`: see `relaysOf` (relays.ts). */
export type RelayHosts = 'auto' | readonly string[]

export const verificationSettings = {
  verify: setting(
    'VERIFY',
    'off',
    oneOf('off', 'members', 'all'),
    'members: what Jetstream says of members and those they follow is checked against what they signed, by proofs from their own servers, within VERIFY_REQUESTS_MINUTE. What a relay says of them is checked in any case. all: of everybody, each commit must be signed; only relays are read (JETSTREAM_HOSTS=off). off: Jetstream is believed (docs/SOURCES.md).',
  ),
  verifyRequestsMinute: setting(
    'VERIFY_REQUESTS_MINUTE',
    '120',
    integer(1, 100_000),
    'Requests a minute to members’ and followed accounts’ servers for VERIFY=members; where more is written, a sample is checked.',
  ),
  verifyLookupsMinute: setting(
    'VERIFY_LOOKUPS_MINUTE',
    '600',
    integer(1, 1_000_000),
    'For VERIFY=all: strangers’ keys looked up a minute. What strangers write whose keys are not known yet is left out, and counted.',
  ),
  relayHosts: setting<RelayHosts>(
    'RELAY_HOSTS',
    'auto',
    relayHosts,
    'Relays or PDSs to read by com.atproto.sync.subscribeRepos, as ws:// or wss:// origins in order of preference, separated by commas; auto: public relays if JETSTREAM_HOSTS is unset or off; off: none.',
  ),
  relayUse: setting(
    'RELAY_USE',
    'reserve',
    oneOf('reserve', 'always'),
    'reserve: a relay is read once all Jetstream hosts have been silent for a minute, until they are back; without Jetstream, one at a time is read. always: all of them are read; what comes first counts (uncompressed and the whole network: by our estimate 250 GB a day from each relay).',
  ),
  repoMirrors: setting(
    'REPO_MIRRORS',
    'off',
    originsOrOff,
    'Hosts that answer com.atproto.sync.getRepo for other servers’ accounts (relays with an archive, mirrors), as origins in order of preference, separated by commas: read while an account’s own server is away, and believed only if the account signed it. off: none.',
  ),
}

function relayHosts(value: string): RelayHosts {
  const word = value.trim().toLowerCase()
  if (word === 'auto') return 'auto'
  if (['off', 'none'].includes(word)) return []
  try {
    return jetstreamHosts(value)
  } catch {
    throw new Unfit('ws:// or wss:// origins, separated by commas; auto; or off')
  }
}
