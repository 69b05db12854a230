// The client at /read in a real browser, over a simulated network whose accounts' servers let people sign in: for
// what goes wrong, and for whatever no end-to-end test with a real PDS needs.

import type { Browser, BrowserContextOptions } from 'playwright-core'
import {
  type SimulatedContent,
  type Simulation,
  type SimulationOptions,
  startSimulation,
} from '../../scripts/simulation.ts'
import { freePort } from '../e2e/support/free-port.ts'
import { openReader, type Reader } from '../e2e/support/reader.ts'
import { launchBrowser } from './browser.ts'
import type { Homes } from './simulated-network/homes/homes.ts'
import type { SimulatedAccount } from './simulated-network/repository.ts'
import { freshDataDir, type SlipstreamProcess, startSlipstream } from './slipstream-process.ts'
import { withoutPrefix } from './without-prefix.ts'

export type ClientWorld = {
  readonly simulation: Simulation
  readonly homes: Homes
  readonly slipstream: SlipstreamProcess
  /** Of pages with a session. */
  readonly origin: string
  /** A member who follows some accounts. */
  readonly member: SimulatedAccount
  open(options?: BrowserContextOptions): Promise<Reader>
  /** Leads through the servers' pages to the client with that account. */
  signIn(reader: Reader, account?: SimulatedAccount): Promise<void>
  close(): Promise<void>
}

const SMALL = { seed: 5, accounts: 40, follows: 12, past: 900, pastHours: 4, rate: 0 }

export async function startClientWorld(
  how: {
    /** Without their prefix. */
    settings?: Record<string, string>
    network?: Partial<SimulationOptions>
    /** By CID. */
    blobs?: ReadonlyMap<string, Buffer>
    /** What people write, instead of made-up words. */
    words?: SimulatedContent['words']
    /** Changes repositories before the server reads them. */
    prepare?: (simulation: Simulation, member: SimulatedAccount) => void
  } = {},
): Promise<ClientWorld> {
  const { settings = {}, network = {}, words, blobs = new Map<string, Buffer>() } = how
  const simulation = await startSimulation({ ...SMALL, ...network }, { blobs, words })
  const member = simulation.network.repositories.at(-1)!
  how.prepare?.(simulation, member)
  const port = await freePort()
  const slipstream = startSlipstream({
    ...withoutPrefix(simulation.env),
    DATA_DIR: freshDataDir(),
    PORT: String(port),
    HOSTNAME: `localhost:${port}`,
    MEMBERS: member.did,
    ...settings,
  })
  await slipstream.port()
  const origin = `http://127.0.0.1:${port}`
  const homes = simulation.servers.homes!
  homes.appview = { did: `did:web:localhost%3A${port}`, origin }
  const browser: Browser = await launchBrowser()
  return {
    simulation,
    homes,
    slipstream,
    origin,
    member,
    open: (how) => openReader(browser, how),
    async signIn({ page }, { did } = member) {
      await page.goto(`${origin}/read?name=${did}`)
      await page.locator('#nav:not([hidden])').waitFor()
    },
    async close() {
      await browser.close()
      await slipstream.stop()
      await simulation.stop()
    },
  }
}
