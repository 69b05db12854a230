// Pages for people: the status page, the operator's explore view and reading links, and where an invite is redeemed.

import type { ListedFeature } from '../listed-feature.ts'

export const pagesFeature: ListedFeature = {
  name: 'pages',
  gauges: ['pages.listeners'],
  webRoutes: ['invite'],
  serve: async () => (await import('./serve.ts')).serve,
}
