import { serviceEndpoint } from './did-document.ts'
import type { Resolver } from './resolver.ts'

export type LabelerIdentity = {
  /** Origin, http or https, without a trailing slash. */
  origin: string
  /** A did:key. */
  key: string
}

/** @returns undefined if it is not a labeler, or can't be looked up now. */
export async function findLabeler(
  resolver: Pick<Resolver, 'resolve'>,
  did: string,
  options?: { forceRefresh?: boolean },
): Promise<LabelerIdentity | undefined> {
  const identity = await resolver.resolve(did, options).catch(() => undefined)
  const endpoint = identity && serviceEndpoint(identity, '#atproto_labeler', 'AtprotoLabeler')
  if (!identity?.labelKey || !endpoint) return undefined
  return { origin: new URL(endpoint).origin, key: identity.labelKey }
}
