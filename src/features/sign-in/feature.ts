// Signing in with the account one has: what a PDS needs to know of this server's own client (docs/CLIENT.md).

import type { ListedFeature } from '../listed-feature.ts'
import { signInSettings } from './settings.ts'

export const signInFeature: ListedFeature = {
  name: 'sign-in',
  settings: signInSettings,
  serve: async () => (await import('./serve.ts')).serve,
}
