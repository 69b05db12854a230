// Faults of the servers that host repositories: slow, refusing, sending too much, lying, redirecting
// elsewhere.

import type { PdsTrouble } from '../simulated-network/pds-trouble.ts'
import type { Dependencies, Fault } from './fault.ts'
import type { PlannedFault } from './plan.ts'
import { sleep } from './sleep.ts'

/** Factor on the duration of other faults: longer than the wait for a page. */
const SILENCE = 6

export const pdsFaults = {
  'pds-slow': async ({ world }, { forMs, dice }) => {
    world.servers.trouble = async () => {
      await sleep(20 + dice * 300)
      return undefined
    }
    await sleep(forMs)
    world.servers.trouble = undefined
  },
  'pds-429': (parts, planned) => trouble(parts, planned, { status: 429, retryAfterSeconds: 1 }),
  'pds-500': (parts, planned) => trouble(parts, planned, { status: 500 }),
  'pds-huge': (parts, planned) => trouble(parts, planned, { body: 'huge' }),
  'pds-endless': (parts, planned) => trouble(parts, planned, { body: 'endless' }),
  'pds-wrong-did': (parts, planned) => trouble(parts, planned, { lie: 'did' }),
  'pds-wrong-cid': (parts, planned) => trouble(parts, planned, { lie: 'cid' }),
  'pds-redirect-loopback': (parts, planned) =>
    trouble(parts, planned, { redirect: `${parts.world.trap.url}/xrpc/x?dice=${planned.dice}` }),
  'pds-redirect-link-local': (parts, planned) =>
    trouble(parts, planned, { redirect: 'http://169.254.169.254/latest/meta-data/' }),
  /** Requests made meanwhile get no answer until the fault ends. */
  'pds-silent': async ({ world }, { forMs, dice }) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    let requested = 0
    world.servers.trouble = async () => {
      if (requested++ % 4 >= 1 + dice * 3) return undefined
      await over
      return { status: 500 }
    }
    await sleep(forMs * SILENCE)
    world.servers.trouble = undefined
    end()
  },
} satisfies Record<string, Fault>

/** Spoils some or most of the responses. */
async function trouble(
  { world }: Dependencies,
  { forMs, dice }: PlannedFault,
  answer: PdsTrouble,
): Promise<void> {
  let requested = 0
  world.servers.trouble = async () => (requested++ % 4 < 1 + dice * 3 ? answer : undefined)
  await sleep(forMs)
  world.servers.trouble = undefined
}
