// Events from anywhere, verified (docs/SOURCES.md): relays beside Jetstream, and proofs of what Jetstream says.

import type { ListedFeature } from '../listed-feature.ts'
import { verificationSettings } from './settings.ts'

export const verificationFeature: ListedFeature = {
  name: 'verification',
  settings: verificationSettings,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
