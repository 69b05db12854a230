// `slipstream report`: what someone who helps needs to know, without names and secrets.

import type { ListedFeature } from '../listed-feature.ts'

export const supportReportFeature: ListedFeature = {
  name: 'support-report',
  tools: async () => (await import('./tools.ts')).tools,
}
