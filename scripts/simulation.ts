// Runs the simulated network of test/support behind the Jetstream double at an adjustable rate; shared by
// `npm run simulate` and `scripts/start --demo`.

import { parseArgs } from 'node:util'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../test/support/jetstream-double/double.ts'
import { asksPublicAppview } from '../test/support/public-appview.ts'
import { createRandom, type Random } from '../test/support/random.ts'
import { createNetwork, type SimulatedNetwork } from '../test/support/simulated-network/network.ts'
import type { Commit } from '../test/support/simulated-network/repository.ts'
import { type SimulatedServers, serveNetwork } from '../test/support/simulated-network/servers.ts'

export type SimulationOptions = {
  seed: number
  accounts: number
  /** Mean number of follows per account. */
  follows: number
  /** Number of events before the start. */
  past: number
  pastHours: number
  /** Events per second after the start. */
  rate: number
}

export type Simulation = {
  readonly network: SimulatedNetwork
  readonly servers: SimulatedServers
  /** Settings that point a Slipstream at this network. */
  readonly env: Record<string, string>
  readonly emitted: () => number
  /** Emits an act that is not simulated. */
  emit(commit: Commit): void
  stop(): Promise<void>
}

const TICK_MS = 20
const RETAINED_EVENTS = 200_000
/** More than the 36 hours that a host keeps and that a Slipstream requests. */
const WINDOW_HOURS = 37
/** With fewer there is none to follow and no post to answer. */
const MIN_ACCOUNTS = 10
/** An account used only to emit the event that opens the window. */
const LONG_AGO = 'did:plc:longagolongagolongagolo2'

const usual: SimulationOptions = {
  seed: 1,
  accounts: 300,
  follows: 40,
  past: 20_000,
  pastHours: 36,
  rate: 50,
}

const MEANINGS: Record<keyof SimulationOptions, string> = {
  seed: 'another number makes another network',
  accounts: 'how many people there are',
  follows: 'how many accounts each follows, about',
  past: 'how many events there were before the start',
  pastHours: 'in how many hours',
  rate: 'events per second from then on',
}

/** One line for each option, with its default and its meaning. */
export function simulationHelp(instead: Partial<SimulationOptions> = {}): string {
  const options = Object.entries({ ...usual, ...instead }) as [keyof SimulationOptions, number][]
  const lines = options.map(([name, value]) => {
    return `  ${`--${kebab(name)} ${value}`.padEnd(20)}  ${MEANINGS[name]}`
  })
  return lines.join('\n')
}

/** For example `--seed 7 --rate 500`. */
export function simulationFlags(instead: Partial<SimulationOptions> = {}): string {
  const flags = Object.entries({ ...usual, ...instead })
  return flags.map(([name, value]) => `--${kebab(name)} ${value}`).join(' ')
}

/**
 * Parses options over the defaults, some of which `instead` can replace.
 * @throws Error that explains the problem
 */
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

/**
 * The records that people write and the pictures that their servers hold; by default invented words
 * and no pictures.
 */
export type SimulatedContent = {
  words?: ((random: Random) => Record<string, unknown>) | undefined
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
  const emit = (commit: Commit) => void double.emit(commit)
  const servers = await serveNetwork(network.repositories, { blobs, emit })
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
      ...(asksPublicAppview && { SLIPSTREAM_FALLBACK_APPVIEW: 'none' }),
      SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'on',
      SLIPSTREAM_MEMBER_RATE_LIMIT: '0',
      SLIPSTREAM_VISITOR_RATE_LIMIT: '0',
      SLIPSTREAM_NEW_MEMBERS_PER_HOUR: '0',
    },
    emitted: () => emitted,
    emit,
    stop: async () => {
      clearInterval(timer)
      await double.close()
      await servers.close()
    },
  }
}

/**
 * As on a long-running host: the window covers everything that a newcomer's cold start requests.
 */
function openWindow(double: JetstreamDouble, atMs: number): void {
  double.emit({ kind: 'identity', did: LONG_AGO, timeUs: atMs * 1000 })
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
