import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { readerIsDone } from '../../../../test/support/reading-thread.ts'
import { InvariantError } from '../../src/assert.ts'
import { ChangeLogReader, ChangeLogWriter, UNREAD } from '../../src/shared-memory/change-log.ts'
import { OwnerVersionsReader, OwnerVersionsWriter } from '../../src/shared-memory/owner-versions.ts'
import { createSharedInts, SharedInts } from '../../src/shared-memory/shared-ints.ts'

describe('shared integers', () => {
  test('grow in place: an earlier view still shows later writes', () => {
    const shared = createSharedInts(1_000_000, 4)
    const old = shared.ints
    shared.ensure(500_000)
    shared.ints[2] = 42
    shared.ints[499_999] = 43
    expect([old.length, old[2]]).toEqual([4, 42])
    expect(shared.ints.length).toBeGreaterThanOrEqual(500_000)
  })

  test('a reader picks up growth when it reaches an index beyond its view', () => {
    const writer = createSharedInts(1_000_000, 4)
    const reader = new SharedInts(writer.buffer)
    writer.ensure(100_000)
    writer.ints[99_999] = 7
    expect(reader.ints.length).toBe(4)
    expect(reader.refresh(100_000)).toBe(true)
    expect(reader.ints[99_999]).toBe(7)
    expect(reader.refresh(1_000_000)).toBe(false)
  })

  test('growing beyond the reservation is fatal', () => {
    const shared = createSharedInts(100, 4)
    shared.ensure(100)
    expect(() => shared.ensure(101)).toThrow(InvariantError)
  })
})

describe('change log', () => {
  function pair() {
    const writer = new ChangeLogWriter()
    return { writer, reader: new ChangeLogReader(writer.buffer) }
  }

  test('without changes owners are untouched', () => {
    const { reader } = pair()
    expect(reader.untouched(reader.start(), 1, 2)).toBe(true)
  })

  test('only a change that names the reader’s owners affects it', () => {
    const { writer, reader } = pair()
    const started = reader.start()
    writer.begin(1, 2)
    writer.end()
    expect(reader.untouched(started, 1, UNREAD)).toBe(false)
    expect(reader.untouched(started, UNREAD, 2)).toBe(false)
    expect(reader.untouched(started, 2, 1)).toBe(true)
    expect(reader.untouched(reader.start(), 1, 2)).toBe(true)
  })

  test('a change in progress counts, whether it began before the reader or after', () => {
    const { writer, reader } = pair()
    const before = reader.start()
    writer.begin(1, 2)
    const during = reader.start()
    expect(reader.untouched(before, 1, UNREAD)).toBe(false)
    expect(reader.untouched(during, 1, UNREAD)).toBe(false)
    expect(reader.untouched(during, 3, UNREAD)).toBe(true)
    writer.end()
    expect(reader.untouched(during, 1, UNREAD)).toBe(false)
    expect(reader.untouched(reader.start(), 1, UNREAD)).toBe(true)
  })

  test('a reader that slept longer than the ring remembers reads again', () => {
    const { writer, reader } = pair()
    const started = reader.start()
    for (let i = 0; i < 4_000; i++) {
      writer.begin(8, 8)
      writer.end()
    }
    expect(reader.untouched(started, 1, UNREAD)).toBe(true)
    for (let i = 0; i < 100; i++) {
      writer.begin(8, 8)
      writer.end()
    }
    expect(reader.untouched(started, 1, UNREAD)).toBe(false)
  })

  test('a writer that never ends its change is fatal to the reader', () => {
    const { writer, reader } = pair()
    writer.begin(1, 1)
    expect(() => reader.pause(1_000_000)).toThrow(InvariantError)
  })
})

// Records of eight integers that are equal in every consistent state. Many owners, so that most
// changes do not concern the reader.
const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { ChangeLogReader, UNREAD } from ${JSON.stringify(new URL('../../src/shared-memory/change-log.ts', import.meta.url).pathname)}
  const { log: buffer, data, owners, stop } = workerData
  const log = new ChangeLogReader(buffer)
  const ints = new Int32Array(data)
  const seen = new Int32Array(8)
  let reads = 0
  let retries = 0
  let torn = 0
  while (Atomics.load(stop, 0) === 0) {
    const owner = reads % owners
    for (let attempt = 0; ; attempt++) {
      const started = log.start()
      for (let i = 0; i < 8; i++) seen[i] = ints[owner * 8 + i]
      if (log.untouched(started, owner, UNREAD)) break
      retries++
      log.pause(attempt)
    }
    reads++
    Atomics.store(stop, 1, reads)
    for (let i = 1; i < 8; i++) if (seen[i] !== seen[0]) torn++
  }
  parentPort.postMessage({ reads, retries, torn })
`

test('reading threads see only consistent records while the writer never rests', async () => {
  const owners = 4
  const log = new ChangeLogWriter()
  const ints = new Int32Array(new SharedArrayBuffer(owners * 32))
  const stop = new Int32Array(new SharedArrayBuffer(8))
  const workerData = { log: log.buffer, data: ints.buffer, owners, stop }
  const worker = new Worker(READER, { eval: true, workerData })
  const done = new Promise<{ reads: number; retries: number; torn: number }>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await new Promise((resolve) => worker.once('online', resolve))
  const isDone = readerIsDone(stop, 1_000)
  for (let round = 0; round < 60 || !isDone(); round++) {
    for (let i = 0; i < 50_000; i++) {
      const owner = i % owners
      log.begin(owner, owner)
      for (let j = 0; j < 8; j++) ints[owner * 8 + j] = i
      log.end()
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  Atomics.store(stop, 0, 1)
  const { reads, retries, torn } = await done
  expect(torn).toBe(0)
  expect(reads).toBeGreaterThan(1_000)
  // Otherwise the threads never overlapped: no proof.
  expect(retries).toBeGreaterThan(0)
})

describe('owner versions', () => {
  function pair() {
    const writer = new OwnerVersionsWriter()
    return { writer, reader: new OwnerVersionsReader(writer.buffer) }
  }

  test('only a change of the owner affects the reader, during the change and afterwards', () => {
    const { writer, reader } = pair()
    const before = reader.start(1)
    writer.begin(1, 2)
    const during = reader.start(1)
    expect(reader.isUntouched(1, before)).toBe(false)
    expect(reader.isUntouched(1, during)).toBe(false)
    expect(reader.isUntouched(2, reader.start(2))).toBe(false)
    expect(reader.isUntouched(3, reader.start(3))).toBe(true)
    writer.end()
    expect(reader.isUntouched(1, before)).toBe(false)
    expect(reader.isUntouched(1, during)).toBe(false)
    expect(reader.isUntouched(1, reader.start(1))).toBe(true)
  })

  test('an owner named twice, and two that share a version, are open again after the change', () => {
    const { writer, reader } = pair()
    const other = 5 + 2 ** 20
    for (const [a, b] of [
      [5, 5],
      [5, other],
    ] as const) {
      writer.begin(a, b)
      expect(reader.isUntouched(5, reader.start(5))).toBe(false)
      writer.end()
      expect(reader.isUntouched(5, reader.start(5))).toBe(true)
      expect(reader.isUntouched(other, reader.start(other))).toBe(true)
    }
  })

  test('held owners stay closed until released, but not forever', () => {
    const { writer, reader } = pair()
    const isOpen = () => reader.isUntouched(1, reader.start(1))
    writer.hold()
    writer.hold()
    writer.begin(1, 2)
    writer.end()
    writer.release()
    expect(isOpen()).toBe(false)
    writer.release()
    expect(isOpen()).toBe(true)
    writer.hold()
    let turns = 0
    for (let i = 0; i < 5_000; i++) {
      writer.begin(1, 10 + i)
      writer.end()
      if (isOpen()) turns++
    }
    expect(turns).toBeGreaterThan(10)
    writer.release()
    expect(isOpen()).toBe(true)
    expect(() => writer.release()).toThrow(InvariantError)
  })

  test('a writer that never ends its change is fatal to the reader', () => {
    const { writer, reader } = pair()
    writer.begin(1, 1)
    expect(() => reader.pause(1, 1_000_000)).toThrow(InvariantError)
  })
})

const VERSIONS_READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { OwnerVersionsReader } from ${JSON.stringify(new URL('../../src/shared-memory/owner-versions.ts', import.meta.url).pathname)}
  const { versions: buffer, data, owners, stop } = workerData
  const versions = new OwnerVersionsReader(buffer)
  const ints = new Int32Array(data)
  const seen = new Int32Array(8)
  let reads = 0
  let retries = 0
  let torn = 0
  while (Atomics.load(stop, 0) === 0) {
    const owner = reads % owners
    for (let attempt = 0; ; attempt++) {
      const started = versions.start(owner)
      for (let i = 0; i < 8; i++) seen[i] = ints[owner * 8 + i]
      if (versions.isUntouched(owner, started)) break
      retries++
      versions.pause(owner, attempt)
    }
    reads++
    Atomics.store(stop, 1, reads)
    for (let i = 1; i < 8; i++) if (seen[i] !== seen[0]) torn++
  }
  parentPort.postMessage({ reads, retries, torn })
`

test.each(['one by one', 'in runs'])(
  'reading threads see only consistent records, by versions, changed %s',
  async (how) => {
    const owners = 8
    const versions = new OwnerVersionsWriter()
    const ints = new Int32Array(new SharedArrayBuffer(owners * 32))
    const stop = new Int32Array(new SharedArrayBuffer(8))
    const workerData = { versions: versions.buffer, data: ints.buffer, owners, stop }
    const worker = new Worker(VERSIONS_READER, { eval: true, workerData })
    const done = new Promise<{ reads: number; retries: number; torn: number }>(
      (resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      },
    )
    await new Promise((resolve) => worker.once('online', resolve))
    const isDone = readerIsDone(stop, 1_000)
    for (let round = 0; round < 60 || !isDone(); round++) {
      for (let run = 0; run < 1_000; run++) {
        if (how === 'in runs') versions.hold()
        for (let i = 0; i < 50; i++) {
          const [a, b] = [i % owners, (i * 3) % owners]
          versions.begin(a, b)
          for (let j = 0; j < 8; j++) ints[a * 8 + j] = run * 50 + i
          for (let j = 0; j < 8; j++) ints[b * 8 + j] = run * 50 + i
          versions.end()
        }
        if (how === 'in runs') versions.release()
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    Atomics.store(stop, 0, 1)
    const { reads, retries, torn } = await done
    expect(torn).toBe(0)
    expect(reads).toBeGreaterThan(1_000)
    expect(retries).toBeGreaterThan(0)
  },
)
