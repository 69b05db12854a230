// The setting of the public AppView that is asked: none in a tree without that feature.

import { features } from '../../src/base/feature.ts'

export const asksPublicAppview = features.some(({ name }) => name === 'fallback')

/** @param address - its origin, or `none` */
export function publicAppview(address: string): Record<string, string> {
  return asksPublicAppview ? { FALLBACK_APPVIEW: address } : {}
}
