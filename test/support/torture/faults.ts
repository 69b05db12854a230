// Every fault, by name: what it does, and how it is over. The next fault waits until it is.

import type { FaultKind, PlannedFault } from './plan.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

type Parts = { world: World; subject: Subject }
type Fault = (parts: Parts, planned: PlannedFault) => Promise<void>

const REFUSALS = [
  { status: 503, name: 'ServiceUnavailable', message: 'not ready' },
  { status: 429, name: 'RateLimitExceeded', message: 'too many' },
  { status: 500, name: 'InternalError', message: 'oh no' },
]
const ERRORS = ['ConsumerTooSlow', 'InternalError', 'ServiceUnavailable']

const faults: Record<FaultKind, Fault> = {
  kill: async ({ subject }, { forMs }) => {
    await subject.stop('SIGKILL')
    await sleep(forMs)
    await subject.start()
  },
  'kill-at-start': async ({ subject }, { forMs, dice }) => {
    await subject.stop('SIGKILL')
    for (let i = 0; i < 2; i++) {
      subject.launch()
      await sleep(300 + forMs * (i + dice))
      await subject.stop('SIGKILL')
    }
    await subject.start()
  },
  terminate: async ({ subject }, { forMs }) => {
    const code = await subject.stop('SIGTERM')
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code}:\n${subject.output()}`)
    await sleep(forMs)
    await subject.start()
  },
  cut: async ({ world }) => {
    for (const host of world.hosts) host.disconnect()
  },
  close: async ({ world }) => {
    for (const host of world.hosts) host.disconnect(1001, 'going away')
  },
  'error-frame': async ({ world }, { dice }) => {
    for (const host of world.hosts) host.sendError(pick(ERRORS, dice), 'as planned')
  },
  refuse: async ({ world }, { dice }) => {
    for (const host of world.hosts) {
      host.refuseHandshakes(pick(REFUSALS, dice), 1 + Math.floor(dice * 3))
      host.disconnect()
    }
  },
  duplicate: async ({ world }, { forMs, dice }) => {
    for (const host of world.hosts) host.behaviour.duplicateChance = dice
    await sleep(forMs)
    for (const host of world.hosts) host.behaviour.duplicateChance = 0
  },
  rewind: async ({ world }, { dice }) => {
    for (const host of world.hosts) host.rewind(10 + Math.floor(dice * 500))
  },
  stall: async ({ world }, { forMs }) => {
    for (const host of world.hosts) host.behaviour.stalled = true
    await sleep(forMs)
    for (const host of world.hosts) {
      host.behaviour.stalled = false
      host.resume()
    }
  },
  'rotate-dictionary': async ({ world }) => {
    for (const host of world.hosts) {
      host.rotateDictionary()
      host.disconnect()
    }
  },
  'dictionary-down': async ({ world }, { forMs, dice }) => {
    for (const host of world.hosts) {
      host.dictionaryFault = pick(['error', 'garbage', 'missing'] as const, dice)
      host.rotateDictionary()
      host.disconnect()
    }
    await sleep(forMs)
    for (const host of world.hosts) host.dictionaryFault = undefined
  },
  'switch-host': async ({ world }) => {
    const host = world.hosts.find((one) => one.openConnections() > 0) ?? world.hosts[0]!
    host.refuseHandshakes(REFUSALS[0]!, 4)
    host.disconnect()
  },
  'pds-slow': async ({ world }, { forMs, dice }) => {
    world.servers.trouble = async () => {
      await sleep(20 + dice * 300)
      return undefined
    }
    await sleep(forMs)
    world.servers.trouble = undefined
  },
  'pds-429': (parts, planned) => refuseAtPds(parts, planned, { status: 429, retryAfterSeconds: 1 }),
  'pds-500': (parts, planned) => refuseAtPds(parts, planned, { status: 500 }),
}

export function strike(parts: Parts, planned: PlannedFault): Promise<void> {
  return faults[planned.kind](parts, planned)
}

async function refuseAtPds(
  { world }: Parts,
  { forMs, dice }: PlannedFault,
  answer: { status: 429 | 500; retryAfterSeconds?: number },
): Promise<void> {
  let asked = 0
  world.servers.trouble = async () => (asked++ % 4 < 1 + dice * 3 ? answer : undefined)
  await sleep(forMs)
  world.servers.trouble = undefined
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function pick<T>(items: readonly T[], dice: number): T {
  return items[Math.floor(dice * items.length)]!
}
