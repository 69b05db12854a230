// A wait without any progress is reported after a minute and ended after three. Work that is merely long, a
// sleeping machine, and waits for disk space are left alone. Time is counted by the watchdog's own ticks.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIngestConnection } from '../../../src/bridge/connection.ts'
import type { IngestMessage, IngestStatus } from '../../../src/bridge/messages.ts'
import {
  createWatchdog,
  type StandstillError,
  type Watchdog,
} from '../../../src/ingest/upkeep/watchdog.ts'

const never = new Promise<void>(() => undefined)

let reported: [level: string, text: string][]
let ends: StandstillError[]
let isExcused: boolean
let progress: string
let watchdog: Watchdog

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  reported = []
  ends = []
  isExcused = false
  progress = ''
  const line = (level: string) => (_figures: unknown, text?: string) =>
    void reported.push([level, text ?? ''])
  watchdog = createWatchdog({
    log: { error: line('error'), info: line('info') } as never,
    diskSpace: { isFull: () => isExcused },
    progress: () => progress,
    end: (error) => void ends.push(error),
  })
})

afterEach(() => {
  watchdog.stop()
  vi.useRealTimers()
})

function pass(seconds: number, eachSecond: () => void = () => undefined): void {
  for (let i = 0; i < seconds; i++) {
    eachSecond()
    vi.advanceTimersByTime(1_000)
  }
}

describe('a wait that never ends', () => {
  it('is reported once, after a minute, by name', () => {
    void watchdog.over('the next batch', never)
    pass(59)
    expect([reported, watchdog.stalls()]).toEqual([[], []])
    pass(30)
    expect(reported).toEqual([['error', 'standing still: the next batch']])
    expect(watchdog.stalls()).toEqual([{ what: 'the next batch', seconds: 89 }])
    expect(ends).toEqual([])
  })

  it('ends the thread after three minutes', () => {
    void watchdog.over('the next batch', never)
    pass(179)
    expect(ends).toEqual([])
    pass(1)
    expect(ends[0]?.message).toMatch(/the next batch has stood still for 180 s/)
  })

  it('is found among waits that do end', async () => {
    void watchdog.over('the stuck one', never)
    for (let i = 0; i < 70; i++) {
      await watchdog.over('a quick one', Promise.resolve(i))
      pass(1)
    }
    expect(watchdog.stalls()).toEqual([{ what: 'the stuck one', seconds: 70 }])
  })

  it('is eventually reported even if other work progresses', () => {
    void watchdog.over('the stuck one', never)
    pass(700, () => {
      progress += '.'
    })
    expect(watchdog.stalls()).toEqual([{ what: 'the stuck one', seconds: 700 }])
  })
})

it('resumes a reported wait once it ends, and says so', async () => {
  const work = Promise.withResolvers<string>()
  const waiting = watchdog.over('the next batch', work.promise)
  pass(61)
  work.resolve('done')
  expect(await waiting).toBe('done')
  expect(reported.at(-1)).toEqual(['info', 'making progress again'])
  pass(1_000)
  expect([watchdog.stalls(), ends]).toEqual([[], []])
})

describe('reports nothing', () => {
  afterEach(() => expect([reported, ends]).toEqual([[], []]))

  it('if there is nothing to do', () => pass(10_000))

  it('while the disk is full', () => {
    void watchdog.over('the next batch', never)
    isExcused = true
    pass(10_000)
  })

  it('for long work that makes progress', () => {
    void watchdog.over('copying the log', never)
    let seconds = 0
    pass(500, () => {
      if (++seconds % 50 === 0) progress += '.'
    })
  })

  it('after the machine has slept', () => {
    void watchdog.over('the next batch', never)
    pass(30)
    vi.setSystemTime(Date.now() + 8 * 3_600_000)
    pass(29)
  })
})

describe('an ingest thread that reports nothing', () => {
  const report: IngestMessage = {
    kind: 'status',
    status: { stalls: [] } as unknown as IngestStatus,
  }

  it('is reported after a minute, and given up after ten', () => {
    const gone: number[] = []
    const { hear, status } = createIngestConnection(
      () => undefined,
      (seconds) => gone.push(seconds),
    )
    hear(report)
    pass(59)
    expect(status()?.stalls).toEqual([])
    pass(1)
    expect(status()?.stalls).toEqual([
      { what: 'the ingest thread, which reports nothing', seconds: 60 },
    ])
    pass(539)
    expect(gone).toEqual([])
    pass(1)
    expect(gone).toEqual([600])
  })

  it('restarts the count with each report, and does not count before the first', () => {
    const gone: number[] = []
    const { hear, status } = createIngestConnection(
      () => undefined,
      (seconds) => gone.push(seconds),
    )
    pass(2_000)
    expect(status()).toBeUndefined()
    hear(report)
    for (let i = 0; i < 30; i++) {
      pass(50)
      hear(report)
    }
    expect([status()?.stalls, gone]).toEqual([[], []])
  })
})
