// A public AppView that is asked for what is not here (src/features/README.md).

import type { ListedFeature } from '../listed-feature.ts'

export const fallbackFeature: ListedFeature = {
  name: 'fallback',
  serve: async () => (await import('./serve.ts')).serve,
}
