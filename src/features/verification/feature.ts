// Events from anywhere, verified (docs/SOURCES.md): relays beside Jetstream, and proofs of what Jetstream says.

import type { ListedFeature } from '../listed-feature.ts'
import { KEYS_FILE } from './keys-file.ts'
import { relaysOf } from './relay-hosts.ts'
import { type RelayHosts, verificationSettings } from './settings.ts'
import { unfitSources } from './unfit-sources.ts'

type RelaySettings = { relayHosts: RelayHosts; jetstreamHosts: readonly string[] }

const BESIDE_JETSTREAM = {
  gives: 'all new events once no Jetstream host brings any; one is enough',
  without: 'nothing, as long as one Jetstream host is there',
}
const ALONE = {
  gives: 'all new events, live and signed; one is enough',
  without: 'no new events; missed ones are fetched once one is back',
}

export const verificationFeature: ListedFeature = {
  name: 'verification',
  settings: verificationSettings,
  unfit: unfitSources,
  dataFiles: [KEYS_FILE],
  dependencies({ relayHosts, jetstreamHosts }: RelaySettings) {
    const hosts = relaysOf(relayHosts, jetstreamHosts).map((host) => new URL(host).host)
    if (hosts.length === 0) return []
    return [
      {
        what: 'relays',
        hosts,
        askedBy: 'server',
        isSource: true,
        ...(jetstreamHosts.length > 0 ? BESIDE_JETSTREAM : ALONE),
        setting: 'SLIPSTREAM_RELAY_HOSTS (others, or off)',
      },
    ]
  },
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
