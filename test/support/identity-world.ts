// A PLC double, guarded fetch, resolver and service auth wired together with a simulated clock, for tests
// that need real tokens of real accounts.

import { createGuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createResolver, type Resolver } from '../../src/sources/identity/resolver.ts'
import { createServiceAuth, type ServiceAuth } from '../../src/sources/identity/service-jwt.ts'
import { type PlcDouble, startPlcDouble } from './plc-double.ts'

export const SERVICE_DID = 'did:web:appview.example.org'

export type IdentityWorld = {
  plc: PlcDouble
  resolver: Resolver
  serviceAuth: ServiceAuth
  /** Moves the clock of resolver and service auth. */
  advance(milliseconds: number): void
  now(): number
  close(): Promise<void>
}

export async function startIdentityWorld({
  audiences = [SERVICE_DID],
}: {
  audiences?: string[]
} = {}): Promise<IdentityWorld> {
  const plc = await startPlcDouble()
  let ahead = 0
  const now = () => Date.now() + ahead
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const resolver = createResolver({ fetch, plcUrl: plc.url, now })
  return {
    plc,
    resolver,
    serviceAuth: createServiceAuth({ resolver, audiences, now }),
    advance(milliseconds) {
      ahead += milliseconds
    },
    now,
    close: () => plc.close(),
  }
}
