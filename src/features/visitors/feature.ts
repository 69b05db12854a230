// Pages of profiles, posts and hashtags for people who are not signed in, and for what previews links
// (docs/CLIENT.md).

import type { ListedFeature } from '../listed-feature.ts'
import { visitorSettings } from './settings.ts'

export const visitorsFeature: ListedFeature = {
  name: 'visitors',
  settings: visitorSettings,
  serve: async () => (await import('./serve.ts')).serve,
}
