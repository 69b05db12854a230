// Events from anywhere, verified (docs/SOURCES.md): relays beside Jetstream, and proofs of what Jetstream says.

import type { ListedFeature } from '../listed-feature.ts'
import { KEYS_FILE } from './keys-file.ts'
import { relaysOf } from './relay-hosts.ts'
import { type RelayHosts, verificationSettings } from './settings.ts'
import { unfitSources } from './unfit-sources.ts'

type SourceSettings = {
  relayHosts: RelayHosts
  jetstreamHosts: readonly string[]
  repoMirrors: readonly string[]
}

const BESIDE_JETSTREAM = {
  gives:
    'all new events once no Jetstream host brings any; one relay is enough, a PDS brings its own accounts’',
  without: 'nothing, as long as one Jetstream host is there',
}
const ALONE = {
  gives: 'all new events, live and signed; one relay is enough, a PDS brings its own accounts’',
  without: 'no new events; missed ones are fetched once one is back',
}

export const verificationFeature: ListedFeature = {
  name: 'verification',
  settings: verificationSettings,
  unfit: unfitSources,
  dataFiles: [KEYS_FILE],
  dependencies: (settings: SourceSettings) => [...relays(settings), ...mirrors(settings)],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}

function relays({ relayHosts, jetstreamHosts }: SourceSettings) {
  const hosts = relaysOf(relayHosts, jetstreamHosts).map((host) => new URL(host).host)
  if (hosts.length === 0) return []
  return [
    {
      what: 'relays',
      hosts,
      askedBy: 'server' as const,
      isSource: true,
      ...(jetstreamHosts.length > 0 ? BESIDE_JETSTREAM : ALONE),
      setting: 'SLIPSTREAM_RELAY_HOSTS (others, or off)',
    },
  ]
}

function mirrors({ repoMirrors }: SourceSettings) {
  if (repoMirrors.length === 0) return []
  return [
    {
      what: 'mirrors of repositories',
      hosts: repoMirrors.map((origin) => new URL(origin).host),
      askedBy: 'server' as const,
      gives: 'what an account wrote, while its own server is away',
      without: 'it comes once that server is back',
      setting: 'SLIPSTREAM_REPO_MIRRORS (others, or off)',
    },
  ]
}
