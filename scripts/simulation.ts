// Runs the simulated network of test/support behind the Jetstream double, at an adjustable rate:
// what `npm run simulate` and `scripts/start --demo` share.

import { parseArgs } from 'node:util'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../test/support/jetstream-double/double.ts'
import { createRandom, type Random } from '../test/support/random.ts'
import { createNetwork, type SimulatedNetwork } from '../test/support/simulated-network/network.ts'
import type { Commit } from '../test/support/simulated-network/repository.ts'
import { type SimulatedServers, serveNetwork } from '../test/support/simulated-network/servers.ts'

export type SimulationOptions = {
  seed: number
  accounts: number
  /** Mean number of accounts that each follows. */
  follows: number
  /** Events that happened before the start. */
  past: number
  pastHours: number
  /** Events a second from the start on. */
  rate: number
}

export type Simulation = {
  readonly network: SimulatedNetwork
  readonly servers: SimulatedServers
  /** Settings that point a Slipstream at this network. */
  readonly env: Record<string, string>
  readonly emitted: () => number
  /** What somebody did who is not simulated. */
  emit(commit: Commit): void
  stop(): Promise<void>
}

const TICK_MS = 20
const RETAINED_EVENTS = 200_000
/** More than the 36 hours that a host keeps, and that a Slipstream asks for. */
const WINDOW_HOURS = 37
/** Fewer find nobody to follow and nothing to answer. */
const MIN_ACCOUNTS = 10
/** Somebody of whom nothing is known but that they were there when the window begins. */
const LONG_AGO = 'did:plc:longagolongagolongagolo2'

const usual: SimulationOptions = {
  seed: 1,
  accounts: 300,
  follows: 40,
  past: 20_000,
  pastHours: 36,
  rate: 50,
}

/** Such as `--seed 7 --rate 500`. */
export function simulationFlags(instead: Partial<SimulationOptions> = {}): string {
  const flags = Object.entries({ ...usual, ...instead })
  return flags.map(([name, value]) => `--${kebab(name)} ${value}`).join(' ')
}

/** Over the defaults, of which some may be others. @throws Error that says what is wrong. */
export function readSimulationOptions(
  args: string[],
  instead: Partial<SimulationOptions> = {},
): SimulationOptions {
  const defaults = { ...usual, ...instead }
  const names = Object.keys(defaults) as (keyof SimulationOptions)[]
  const flags = Object.fromEntries(names.map((name) => [kebab(name), { type: 'string' as const }]))
  const { values } = parseArgs({ args, options: flags, strict: true })
  const read = names.map((name) => {
    const text = values[kebab(name)]
    const value = text === undefined ? defaults[name] : Number(text)
    const least = name === 'accounts' ? MIN_ACCOUNTS : 0
    if (!(value >= least && value < Infinity)) {
      throw new Error(`--${kebab(name)} must be a number from ${least}`)
    }
    return [name, value]
  })
  return Object.fromEntries(read)
}

/** What people write and what their servers hold of pictures; made-up words and none where not given. */
export type SimulatedContent = {
  words?: (random: Random) => Record<string, unknown>
  blobs?: ReadonlyMap<string, Buffer>
}

export async function startSimulation(
  options: SimulationOptions,
  { words, blobs = new Map() }: SimulatedContent = {},
): Promise<Simulation> {
  const { accounts, past, pastHours, seed } = options
  const double = await createJetstreamDouble({ retain: RETAINED_EVENTS, recordSent: false })
  openWindow(double, Date.now() - Math.max(pastHours, WINDOW_HOURS) * 3_600_000)
  const network = createNetwork({
    random: createRandom(seed),
    accounts,
    meanFollows: options.follows,
    pastEvents: past,
    pastHours,
    now: Date.now,
    words,
    onPast: (event, atMs) => double.emit({ ...event, timeUs: atMs * 1000 }),
  })
  const servers = await serveNetwork(network.repositories, { blobs })
  let emitted = 0
  const startedAt = Date.now()

  const timer = setInterval(() => {
    const due = Math.floor(((Date.now() - startedAt) / 1000) * options.rate)
    for (; emitted < due; emitted++) {
      const commit = network.act(Date.now())
      if (commit) double.emit(commit)
    }
  }, TICK_MS)

  return {
    network,
    servers,
    env: {
      SLIPSTREAM_JETSTREAM_HOSTS: double.url,
      SLIPSTREAM_JETSTREAM_V1_DICTIONARY: double.v1DictionaryUrl,
      SLIPSTREAM_PLC_URL: servers.origin,
      SLIPSTREAM_FALLBACK_APPVIEW: 'none',
      SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'on',
      SLIPSTREAM_MEMBER_RATE_LIMIT: '0',
      SLIPSTREAM_VISITOR_RATE_LIMIT: '0',
      SLIPSTREAM_NEW_MEMBERS_PER_HOUR: '0',
    },
    emitted: () => emitted,
    emit: (commit) => void double.emit(commit),
    stop: async () => {
      clearInterval(timer)
      await double.close()
      await servers.close()
    },
  }
}

/** As on a host that has run for long: its window holds all that a newcomer's cold start asks for. */
function openWindow(double: JetstreamDouble, atMs: number): void {
  double.emit({ kind: 'identity', did: LONG_AGO, timeUs: atMs * 1000 })
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
