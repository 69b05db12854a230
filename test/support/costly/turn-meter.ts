// Preloaded into a server: measures the processor time of its serving thread by turns of the event loop, and
// profiles it, on request of the parent process. A turn is what lies between two of its own immediates, so
// whatever runs in one go is in one turn: nothing in the product takes part in the measurement.

import { Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'

export type MeterRequest =
  | { kind: 'begin' }
  | { kind: 'end' }
  | { kind: 'profile' }
  | { kind: 'hottest' }

export type Metered = {
  /** Processor time of the longest turn, and of all, in milliseconds. */
  maxMs: number
  totalMs: number
  turns: number
}

/** A place in the sources and the processor time below it, in milliseconds. */
export type Hot = { at: string; ms: number }

export type MeterReply = { metered: Metered } | { hottest: Hot[] } | { isReady: true }

const SAMPLING_US = 500
const MOST_POSITIONS = 12
const SOURCES = /\/src\/(.*)$/

if (isMainThread && process.send) listen((reply) => void process.send!(reply))

function listen(reply: (reply: MeterReply) => void): void {
  const meter = createMeter()
  const profiler = createProfiler()
  process.on('message', async ({ kind }: MeterRequest) => {
    if (kind === 'begin') {
      meter.begin()
      reply({ isReady: true })
    } else if (kind === 'end') reply({ metered: meter.end() })
    else if (kind === 'profile') {
      await profiler.begin()
      reply({ isReady: true })
    } else reply({ hottest: await profiler.end() })
  })
  process.channel?.unref()
}

function createMeter() {
  let metered: Metered = { maxMs: 0, totalMs: 0, turns: 0 }
  let isOn = false
  let before = process.threadCpuUsage()

  function sample(): void {
    const now = process.threadCpuUsage()
    const ms = (now.user - before.user + now.system - before.system) / 1000
    before = now
    metered.turns++
    metered.totalMs += ms
    metered.maxMs = Math.max(metered.maxMs, ms)
    if (isOn) sampleNext()
  }

  /** Without keeping the loop from waiting, which would cost the machine a core. */
  function sampleNext(): void {
    setImmediate(sample).unref()
  }

  return {
    begin(): void {
      metered = { maxMs: 0, totalMs: 0, turns: 0 }
      before = process.threadCpuUsage()
      if (!isOn) sampleNext()
      isOn = true
    },
    end(): Metered {
      isOn = false
      return metered
    },
  }
}

function createProfiler() {
  const session = new Session()
  return {
    async begin(): Promise<void> {
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_US })
      await session.post('Profiler.start')
    },
    async end(): Promise<Hot[]> {
      const { profile } = await session.post('Profiler.stop')
      session.disconnect()
      return hottest(profile as unknown as Profile)
    },
  }
}

type Node = {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
  children?: number[]
}
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }

/** The innermost of our own functions in each sample, those with most time first. */
function hottest({ nodes, samples, timeDeltas }: Profile): Hot[] {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const times = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    let node = byId.get(id)
    while (node && !SOURCES.test(node.callFrame.url)) node = parents.get(node.id)
    if (!node) continue
    const { url, lineNumber, functionName } = node.callFrame
    const at = `${SOURCES.exec(url)![1]}:${lineNumber + 1} ${functionName}`
    times.set(at, (times.get(at) ?? 0) + timeDeltas[i]! / 1000)
  }
  const all = [...times].map(([at, ms]) => ({ at, ms: Math.round(ms) }))
  return all.sort((first, other) => other.ms - first.ms).slice(0, MOST_POSITIONS)
}
