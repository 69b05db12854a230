// Faults of Jetstream: connections, their frames, how far back a host reaches, dictionaries.

import { until } from '../eventually.ts'
import { type Dependencies, type Fault, pick } from './fault.ts'
import { leaveMark } from './mark.ts'
import { sleep } from './sleep.ts'

const REFUSALS = [
  { status: 503, name: 'ServiceUnavailable', message: 'not ready' },
  { status: 429, name: 'RateLimitExceeded', message: 'too many' },
  { status: 500, name: 'InternalError', message: 'oh no' },
]
const ERRORS = ['ConsumerTooSlow', 'InternalError', 'ServiceUnavailable']
/** Long enough for a stranger that follows a thousand accounts, each of which is fetched. */
const REPAIR_TIMEOUT_MS = 180_000

export const streamFaults = {
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
  /** Sometimes the connection is cut meanwhile and resumes at a host with another order. */
  reorder: async ({ world }, { forMs, dice }) => {
    world.reorder(true)
    await sleep(forMs)
    if (dice > 0.6) for (const host of world.hosts) host.disconnect()
    await sleep(forMs)
    world.reorder(false)
  },
  /** Away for longer than the window of the host in use; the other host reaches back far enough. */
  clamp: async (parts, { forMs, dice }) => {
    const { world, subject } = parts
    await until(() => isComplete(parts), {
      what: 'older gaps are closed',
      withinMs: REPAIR_TIMEOUT_MS,
    })
    const used = world.hosts.find((host) => host.openConnections() > 0) ?? world.hosts[0]!
    await subject.stop(dice > 0.5 ? 'SIGTERM' : 'SIGKILL')
    await sleep(forMs + 200)
    used.raiseFloor(used.nextSeq() - Math.floor(dice * 10))
    await sleep(forMs)
    await subject.start()
    await until(leaveMark(world, subject), { what: 'it goes on', withinMs: REPAIR_TIMEOUT_MS })
    await until(() => isComplete(parts), { what: 'the gap is closed', withinMs: REPAIR_TIMEOUT_MS })
  },
  /**
   * Away for longer than any host's window: authors' missed records are read from their
   * repositories.
   */
  'window-lost': async (parts, { forMs, dice }) => {
    const { world, subject } = parts
    await until(() => isComplete(parts), {
      what: 'older gaps are closed',
      withinMs: REPAIR_TIMEOUT_MS,
    })
    world.restrict(true)
    const isMarkSeen = leaveMark(world, subject)
    await until(isMarkSeen, { what: 'all before was applied', withinMs: REPAIR_TIMEOUT_MS })
    await subject.stop(dice > 0.5 ? 'SIGTERM' : 'SIGKILL')
    await sleep(forMs + 300)
    world.lose()
    await sleep(forMs)
    await subject.start()
    await until(leaveMark(world, subject), { what: 'it goes on', withinMs: REPAIR_TIMEOUT_MS })
    await until(() => isComplete(parts), { what: 'the gap is closed', withinMs: REPAIR_TIMEOUT_MS })
    world.restrict(false)
  },
  'rotate-dictionary': async ({ world }) => {
    for (const host of world.hosts) {
      host.rotateDictionary()
      host.disconnect()
    }
  },
  'dictionary-down': (parts, planned) =>
    spoilDictionary(parts, planned, pick(['error', 'garbage', 'missing'] as const, planned.dice)),
  'dictionary-stale': (parts, planned) => spoilDictionary(parts, planned, 'stale'),
  'switch-host': async ({ world }) => {
    const host = world.hosts.find((host) => host.openConnections() > 0) ?? world.hosts[0]!
    host.refuseHandshakes(REFUSALS[0]!, 4)
    host.disconnect()
  },
} satisfies Record<string, Fault>

async function spoilDictionary(
  { world }: Dependencies,
  { forMs }: Parameters<Fault>[1],
  fault: 'error' | 'garbage' | 'missing' | 'stale',
): Promise<void> {
  for (const host of world.hosts) {
    host.dictionaryFault = fault
    host.rotateDictionary()
    host.disconnect()
  }
  await sleep(forMs)
  for (const host of world.hosts) host.dictionaryFault = undefined
}

/** Whether it is connected, with every gap of the stream closed. */
function isComplete({ world, subject }: Dependencies): boolean {
  const isConnected = world.hosts.some((host) => host.openConnections() > 0)
  return isConnected && subject.openGaps().every((gap) => gap.includes('"uid":null') === false)
}
