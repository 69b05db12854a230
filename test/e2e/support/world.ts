// Everything the end-to-end test runs on: PLC, PDS, a Jetstream and Slipstream as separate processes, and the
// accounts created there.

import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type Account, createAccount } from './account.ts'
import { freePort } from './free-port.ts'
import { type Jetstream, type JetstreamKind, startJetstream } from './jetstream.ts'
import { createLatencies, type Latencies } from './latencies.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './network.ts'
import { createSlipstream, type Slipstream } from './slipstream.ts'

type Check = () => void | Promise<void>

export type World = {
  network: Network
  jetstream: Jetstream
  slipstream: Slipstream
  latencies: Latencies
  person: (name: string) => Promise<Account>
  /** Waits until the check holds, and keeps it, because it must hold after every restart, too. */
  stands: (what: string, check: Check) => Promise<void>
  /**
   * Repeats all kept checks.
   * @throws the first error, naming the check
   */
  everythingStands: () => Promise<void>
  stop: () => Promise<void>
}

/** `before` runs while the network is up and Slipstream has not started yet. */
export async function startWorld<T>(
  kind: JetstreamKind,
  before: (person: World['person']) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<{ world: World; early: T }> {
  const port = await freePort()
  const network = await startNetwork(port)
  const person = (name: string) =>
    createAccount(network, { name, appViewDid: `did:web:localhost%3A${port}` })
  const early = await before(person)
  const jetstream = await startJetstream(kind, network)
  const slipstream = createSlipstream(port, {
    ...jetstream.settings,
    SLIPSTREAM_PLC_URL: network.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
    SLIPSTREAM_IMAGES: 'own',
    SLIPSTREAM_VIDEOS: 'own',
    ...settings,
  })
  await slipstream.start().catch(async (error) => {
    await stop({ network, jetstream, slipstream })
    throw error
  })
  const world = { network, jetstream, slipstream, person, latencies: createLatencies() }
  return { world: { ...world, ...saver(), stop: () => stop(world) }, early }
}

/** Creates one account for each name. */
export function people<const Names extends string[]>(
  { person }: World,
  ...names: Names
): Promise<{ [K in keyof Names]: Account }> {
  return Promise.all(names.map(person)) as Promise<{ [K in keyof Names]: Account }>
}

function saver(): Pick<World, 'stands' | 'everythingStands'> {
  const cache = new Map<string, Check>()
  return {
    async stands(what, check) {
      if (cache.has(what)) throw new Error(`"${what}" is checked twice`)
      await eventually(check)
      cache.set(what, check)
    },
    async everythingStands() {
      expect(cache.size).toBeGreaterThan(0)
      for (const [what, check] of cache) {
        await eventually(check).catch((error: Error) => {
          error.message = `no longer so: ${what}\n${error.message}`
          throw error
        })
      }
    },
  }
}

async function stop(world: Pick<World, 'network' | 'jetstream' | 'slipstream'>): Promise<void> {
  await world.slipstream.dispose()
  await world.jetstream.stop()
  await world.network.stop()
}
