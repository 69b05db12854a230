// A public AppView that is asked for what is not here (src/features/README.md).

import type { ListedFeature } from '../listed-feature.ts'
import { fallbackSettings } from './settings.ts'

export const fallbackFeature: ListedFeature = {
  name: 'fallback',
  settings: fallbackSettings,
  dependencies({ fallbackAppview: origin }: { fallbackAppview: string }) {
    if (origin === 'none') return []
    return [
      {
        what: 'a public AppView',
        hosts: [new URL(origin).host],
        askedBy: 'server',
        gives:
          'data that PDSs can’t give quickly: strangers’ counts, feeds and threads, and network-wide search',
        without: 'strangers’ pages show local data; answers wait at most 1.5 seconds for it',
        setting: 'SLIPSTREAM_FALLBACK_APPVIEW=none',
        origins: [origin],
      },
    ]
  },
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
