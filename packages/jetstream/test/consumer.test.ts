// The stream end to end, against the double: delivered events equal the emitted ones, once and in order,
// whatever happens to the connection on the way.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { didOf } from '../../../test/support/jetstream-double/made-up-ids.ts'
import { createSyntheticEvents } from '../../../test/support/jetstream-double/synthetic-events.ts'
import { InvariantError } from '../src/assert.ts'
import type { StreamBatch } from '../src/batcher.ts'
import type { StreamEvent } from '../src/event.ts'
import {
  cursorAt,
  emitLike,
  emitLikes,
  range,
  startConsumer,
  startDouble,
  tempDir,
} from './consumer-rig.ts'

describe('both wires, both ways', () => {
  for (const wire of ['v2', 'v1'] as const) {
    for (const compress of [true, false]) {
      test(`${wire} ${compress ? 'compressed' : 'plain'}: every event arrives as it was sent`, async () => {
        const double = await startDouble({ firstSeq: 70_000 })
        const rig = startConsumer(double, { wire, compress })
        await rig.untilConnected()
        const source = createSyntheticEvents(11)
        for (let i = 0; i < 500; i++) double.emit(source.next())
        double.emit({ did: didOf(3), kind: 'account', active: false, status: 'on-holiday' })
        double.emit({ did: didOf(4), kind: 'identity' })
        await rig.until(() => rig.events.length >= 502)
        expect(rig.seqs()).toEqual(range(70_000, 70_501))
        for (const [i, { event }] of double.entries().entries()) {
          const { did, timeUs, seq, kind = 'commit' } = event
          expect(rig.events[i]).toMatchObject({ did, timeUs, seq, kind })
          if ('collection' in event) {
            const { collection, rkey, operation, record, rev } = event
            expect(rig.events[i]).toMatchObject({ collection, rkey, operation, rev })
            if (record) expect(rig.events[i]).toMatchObject({ record, cid: event.cid })
            else expect(rig.events[i]).not.toHaveProperty('record')
          }
        }
        expect(rig.events.at(-2)).toMatchObject({ active: false, status: 'deactivated' })
        expect(rig.consumer.status()).toMatchObject({ compressed: compress, wire, dropped: {} })
        expect(double.connections()[0]!.compressed).toBe(compress)
      })
    }
  }

  test('v2 shows sync events, v1 does not', async () => {
    const double = await startDouble()
    const v2 = startConsumer(double)
    const v1 = startConsumer(double, { wire: 'v1' })
    await Promise.all([v2.untilConnected(), v1.untilConnected()])
    double.emit({ did: didOf(1), kind: 'sync' })
    emitLike(double)
    await v2.until(() => v2.events.length === 2 && v1.events.length === 1)
    expect(v2.events[0]).toMatchObject({ kind: 'sync', did: didOf(1) })
    expect(v1.events[0]).toMatchObject({ kind: 'commit' })
  })
})

describe('resuming', () => {
  test('on the same host continues at the saved seq, without repeating it', async () => {
    const double = await startDouble({ firstSeq: 500 })
    emitLikes(double, 20)
    const rig = startConsumer(double, { cursors: [cursorAt(double, 509, 'v2')] })
    await rig.until(() => rig.events.length === 10)
    expect(rig.seqs()).toEqual(range(510, 519))
    expect(double.connections()[0]!.url).toContain('cursor=509')
    expect(rig.cursors.at(-1)).toMatchObject({ host: double.url, wire: 'v2', seq: 519 })
    expect(rig.gaps).toEqual([])
  })

  test('after any number of cuts delivers every event exactly once', async () => {
    const double = await startDouble()
    const rig = startConsumer(double)
    await rig.untilConnected()
    double.behaviour.cutAfterFrames = 37
    double.behaviour.duplicateChance = 0.1
    emitLikes(double, 1000)
    await rig.until(() => rig.events.length >= 1000)
    expect(rig.seqs()).toEqual(range(1, 1000))
    expect(double.connections().length).toBeGreaterThan(20)
    expect(rig.consumer.status().reconnects).toBe(double.connections().length - 1)
    expect(rig.consumer.status().dropped.duplicate).toBeGreaterThan(0)
    expect(rig.gaps).toEqual([])
  })

  test('on another host goes by time, with an overlap', async () => {
    const old = await startDouble({ firstSeq: 1_000_000 })
    const double = await startDouble({ firstSeq: 500 })
    const nowUs = Date.now() * 1000
    for (let i = 60; i > 0; i--) emitLike(double, 1, nowUs - i * 1_000_000)
    const cursor = {
      host: old.url,
      wire: 'v2' as const,
      seq: 1_000_123,
      timeUs: nowUs - 20_000_000,
    }
    const rig = startConsumer(double, { cursors: [cursor] })
    await rig.until(() => rig.events.length === 30)
    expect(rig.seqs()).toEqual(range(530, 559))
    expect(double.connections()[0]!.url).toContain(`cursor=${nowUs - 30_000_000}`)
    expect(rig.cursors.at(-1)).toMatchObject({ host: double.url, seq: 559 })
  })

  test('on the same host over the other wire goes by time too', async () => {
    const double = await startDouble({ firstSeq: 500 })
    emitLikes(double, 5)
    const rig = startConsumer(double, { wire: 'v1', cursors: [cursorAt(double, 503, 'v2')] })
    await rig.until(() => rig.events.length === 5)
    expect(double.connections()[0]!.url).toMatch(/cursor=\d{16}/)
  })

  test('uses the seen seq for v1 on a v2 host, and time on a legacy host', async () => {
    const [modern, legacy] = [
      await startDouble({ firstSeq: 90 }),
      await startDouble({ legacy: true }),
    ]
    for (const double of [modern, legacy]) {
      const rig = startConsumer(double, { wire: 'v1' })
      await rig.untilConnected()
      emitLikes(double, 3)
      await rig.until(() => rig.events.length === 3)
      double.disconnect()
      emitLikes(double, 3)
      const expected = double === modern ? 6 : 9
      await rig.until(() => rig.events.length === expected)
    }
    expect(modern.connections()[1]!.url).toContain('cursor=92&')
    expect(legacy.connections()[1]!.url).toMatch(/cursor=\d{16}/)
  })

  test('uses the newest of several saved cursors', async () => {
    const double = await startDouble()
    emitLikes(double, 9)
    const older = { ...cursorAt(double, 2, 'v2'), host: 'ws://elsewhere.example' }
    const rig = startConsumer(double, { cursors: [older, cursorAt(double, 7, 'v2')] })
    await rig.until(() => rig.events.length === 2)
    expect(rig.seqs()).toEqual([8, 9])
  })

  test('leaves no gap if a connection is lost before its first event', async () => {
    const double = await startDouble()
    emitLikes(double, 5)
    const rig = startConsumer(double)
    await rig.untilConnected()
    double.refuseHandshakes({ status: 503, name: 'ServiceUnavailable', message: 'warming up' })
    double.disconnect()
    emitLikes(double, 3)
    await rig.until(() => rig.events.length >= 3)
    expect(rig.seqs().slice(-3)).toEqual([6, 7, 8])
  })

  test('detects a host that restarts its numbering, and records the gap', async () => {
    const double = await startDouble({ firstSeq: 1 })
    const timeUs = Date.now() * 1000 - 30_000_000
    const cursor = { host: double.url, wire: 'v2' as const, seq: 5_000_000, timeUs }
    const rig = startConsumer(double, { cursors: [cursor] })
    await rig.untilConnected()
    emitLikes(double, 3)
    await rig.until(() => rig.events.length === 3)
    expect(rig.gaps).toEqual([
      { host: double.url, cause: 'host-switch', fromUs: timeUs, toUs: rig.events[0]!.timeUs },
    ])
    expect(rig.cursors.at(-1)!.seq).toBe(3)
  })
})

describe('cursors that are too old', () => {
  test('by seq: the gap is recorded with the rows, and the stream continues from the floor', async () => {
    const double = await startDouble()
    emitLikes(double, 50)
    const saved = cursorAt(double, 10, 'v2')
    double.raiseFloor(31)
    const rig = startConsumer(double, { cursors: [saved] })
    await rig.until(() => rig.events.length === 20)
    expect(rig.seqs()).toEqual(range(31, 50))
    const toUs = rig.events[0]!.timeUs
    const gap = { host: double.url, cause: 'cursor-too-old', fromUs: saved.timeUs, toUs }
    expect(rig.gaps).toEqual([gap])
    expect(rig.consumer.status().gaps).toBe(1)
  })

  test('by time: OutdatedCursor is a gap as well', async () => {
    const double = await startDouble()
    const nowUs = Date.now() * 1000
    for (let i = 60; i > 0; i--) emitLike(double, 1, nowUs - i * 1_000_000)
    double.raiseFloor(41)
    const timeUs = nowUs - 50_000_000
    const cursors = [{ host: 'ws://elsewhere.example', wire: 'v2' as const, seq: 7, timeUs }]
    const rig = startConsumer(double, { cursors })
    await rig.until(() => rig.events.length === 20)
    const toUs = rig.events[0]!.timeUs
    expect(rig.gaps).toEqual([{ host: double.url, cause: 'outdated-cursor', fromUs: timeUs, toUs }])
  })

  test('a new folder has lost nothing on a host with an even shorter history', async () => {
    const double = await startDouble()
    const nowUs = Date.now() * 1000
    for (let i = 60; i > 0; i--) emitLike(double, 1, nowUs - i * 1_000_000)
    double.raiseFloor(41)
    const timeUs = nowUs - 50_000_000
    const first = { seq: undefined, timeUs, isByClock: true }
    const cursors = [{ host: double.url, wire: 'v2' as const, ...first }]
    const rig = startConsumer(double, { cursors })
    await rig.until(() => rig.events.length === 20)
    expect(rig.gaps).toEqual([])
  })

  test('v1 clamps silently: a cursor older than the window counts as a gap', async () => {
    const double = await startDouble({ legacy: true })
    const nowUs = Date.now() * 1000
    for (let i = 5; i > 0; i--) emitLike(double, 1, nowUs - i * 1_000_000)
    const timeUs = nowUs - 30 * 3_600_000_000
    const cursors = [{ host: double.url, wire: 'v1' as const, seq: undefined, timeUs }]
    const rig = startConsumer(double, { wire: 'v1', cursors })
    await rig.until(() => rig.events.length === 5)
    expect(rig.gaps).toMatchObject([{ cause: 'cursor-too-old', fromUs: timeUs }])
  })
})

describe('dictionaries', () => {
  test('are fetched once, kept on disk, and reused after a restart', async () => {
    const double = await startDouble()
    const cacheDir = tempDir()
    for (let i = 0; i < 2; i++) {
      const rig = startConsumer(double, { cacheDir })
      await rig.untilConnected()
      expect(rig.consumer.status().compressed).toBe(true)
      await rig.consumer.stop()
    }
    expect(double.dictionaryRequests()).toBe(1)
  })

  test('are replaced when retired, without losing an event', async () => {
    const double = await startDouble()
    const rig = startConsumer(double)
    await rig.untilConnected()
    emitLikes(double, 10)
    await rig.until(() => rig.events.length === 10)
    const id = double.rotateDictionary()
    double.disconnect()
    emitLikes(double, 10)
    await rig.until(() => rig.events.length === 20)
    expect(rig.seqs()).toEqual(range(1, 20))
    expect(double.connections().at(-1)!.url).toContain(`zstdDictionary=${id}`)
    expect(double.dictionaryRequests()).toBe(2)
  })

  test('are fetched again if the cached file is damaged', async () => {
    const double = await startDouble()
    const cacheDir = tempDir()
    await startConsumer(double, { cacheDir }).untilConnected()
    const folder = join(cacheDir, 'dictionaries', readdirSync(join(cacheDir, 'dictionaries'))[0]!)
    writeFileSync(join(folder, readdirSync(folder)[0]!), 'torn')
    const rig = startConsumer(double, { cacheDir })
    await rig.untilConnected()
    expect(rig.consumer.status().compressed).toBe(true)
    expect(double.dictionaryRequests()).toBe(2)
  })

  test.each(['error', 'missing', 'garbage', 'endless', 'silent', 'damaged'] as const)(
    'if unavailable (%s), the stream is read plain, logs it, and is compressed later',
    async (fault) => {
      const double = await startDouble()
      double.dictionaryFault = fault
      const limits = { dictionaryTimeoutMs: 150, improveIntervalMs: 60 }
      const rig = startConsumer(double, { limits })
      await rig.untilConnected()
      expect(rig.consumer.status().compressed).toBe(false)
      expect(rig.logs.find(({ msg }) => /stream uncompressed/.test(msg))?.level).toBe(40)
      emitLikes(double, 5)
      await rig.until(() => rig.events.length === 5)
      double.dictionaryFault = undefined
      await rig.until(() => rig.consumer.status().connected && rig.consumer.status().compressed)
      emitLikes(double, 5)
      await rig.until(() => rig.events.length === 10)
      expect(rig.seqs()).toEqual(range(1, 10))
    },
  )

  test('are fetched from a URL for v1, once', async () => {
    const double = await startDouble()
    const cacheDir = tempDir()
    for (let i = 0; i < 2; i++) {
      const options = { wire: 'v1' as const, v1Dictionary: double.v1DictionaryUrl, cacheDir }
      const rig = startConsumer(double, options)
      await rig.untilConnected()
      expect(rig.consumer.status().compressed).toBe(true)
      await rig.consumer.stop()
    }
    expect(double.dictionaryRequests()).toBe(1)
  })

  test('a v1 dictionary that the frames do not use is set aside; the stream continues plain', async () => {
    const double = await startDouble()
    const path = join(tempDir(), 'other.zdict')
    const { fixtureDictionary } = await import(
      '../../../test/support/jetstream-double/dictionaries.ts'
    )
    writeFileSync(path, fixtureDictionary('v2').bytes)
    const rig = startConsumer(double, { wire: 'v1', v1Dictionary: path })
    await rig.untilConnected()
    emitLikes(double, 5)
    await rig.until(() => rig.events.length === 5)
    expect(rig.seqs()).toEqual(range(1, 5))
    expect(rig.consumer.status().compressed).toBe(false)
    expect(rig.gaps).toEqual([])
    expect(rig.logs.filter(({ msg }) => /another zstd dictionary/.test(msg))).toHaveLength(1)
  })

  test('a forged public v1 dictionary is refused by its hash', async () => {
    const double = await startDouble()
    const path = join(tempDir(), 'forged.zdict')
    const { fixtureDictionary, withDictionaryId } = await import(
      '../../../test/support/jetstream-double/dictionaries.ts'
    )
    writeFileSync(path, withDictionaryId(fixtureDictionary('v1'), 1612007021).bytes)
    const rig = startConsumer(double, { wire: 'v1', v1Dictionary: path })
    await rig.untilConnected()
    expect(rig.consumer.status().compressed).toBe(false)
    expect(JSON.stringify(rig.logs)).toContain('its hash is')
  })
})

describe('hosts', () => {
  test('a dead one is left for the next, and returned to when it is back', async () => {
    const [first, second] = [await startDouble(), await startDouble({ firstSeq: 9000 })]
    first.refuseHandshakes({ status: 503, name: 'ServiceUnavailable', message: 'later' }, 3)
    const rig = startConsumer([first, second], { limits: { improveIntervalMs: 80 } })
    await rig.until(() => second.openConnections() === 1)
    emitLike(second)
    await rig.until(() => rig.events.length === 1)
    await rig.until(() => first.openConnections() === 1 && second.openConnections() === 0)
    emitLike(first)
    await rig.until(() => rig.events.length === 2)
    expect(rig.consumer.status().host).toBe(first.url)
  })

  test('auto falls back to v1 on a legacy host', async () => {
    const double = await startDouble({ legacy: true })
    const rig = startConsumer(double, { wire: 'auto' })
    await rig.untilConnected()
    emitLikes(double, 3)
    await rig.until(() => rig.events.length === 3)
    expect(rig.consumer.status().wire).toBe('v1')
    expect(rig.events[0]!.seq).toBeUndefined()
  })

  test('waits out every refusal that is not our mistake', async () => {
    const double = await startDouble()
    const refusals = [
      { status: 503, name: 'ServiceUnavailable', message: 'service not ready' },
      { status: 500, name: 'InternalError', message: '' },
      { status: 429, name: 'RateLimitExceeded', message: '' },
      { status: 400, name: 'InvalidRequest', message: 'invalid cursor' },
      { status: 400, name: '__proto__', message: 'odd' },
      { status: 404, name: 'MethodNotImplemented', message: '' },
      { status: 400, name: 'FutureCursor', message: '' },
      { status: 400, name: 'UnknownZstdDictionary', message: '' },
    ]
    for (const refusal of refusals) double.refuseHandshakes(refusal)
    const rig = startConsumer(double)
    await rig.untilConnected()
    const lines = rig.logs.filter(({ msg }) => msg === 'stream refused')
    expect(lines.map(({ name }) => name)).toEqual(refusals.map(({ name }) => name))
  })

  test('a host that does not know our seq is resumed by time, until it has sent one itself', async () => {
    const double = await startDouble()
    const rig = startConsumer(double)
    await rig.untilConnected()
    emitLikes(double, 3)
    await rig.until(() => rig.events.length === 3)
    double.refuseHandshakes({ status: 400, name: 'FutureCursor', message: '' })
    double.sendError('ConsumerTooSlow', 'reading below the floor rate')
    await rig.until(() => rig.consumer.status().reconnects === 1)
    emitLikes(double, 1)
    await rig.until(() => rig.seqs().at(-1) === 4)
    double.sendError('ConsumerTooSlow', 'reading below the floor rate')
    await rig.until(() => rig.consumer.status().reconnects === 2)
    const cursors = rig.logs
      .filter(({ msg }) => msg === 'stream connected')
      .map((it) => it['cursor'])
    expect(cursors).toEqual([undefined, expect.any(Number), 4])
    expect(cursors[1]).toBeGreaterThanOrEqual(1e15)
  })

  test('a terminal error frame is logged by name and the stream resumed', async () => {
    const double = await startDouble()
    const rig = startConsumer(double)
    await rig.untilConnected()
    emitLikes(double, 3)
    await rig.until(() => rig.events.length === 3)
    double.sendError('ConsumerTooSlow', 'reading below the floor rate')
    emitLikes(double, 3)
    await rig.until(() => rig.events.length === 6)
    expect(rig.seqs()).toEqual(range(1, 6))
    expect(rig.logs.some(({ name }) => name === 'ConsumerTooSlow')).toBe(true)
  })

  test('gives up on an unanswered handshake, and on a connection that has gone deaf', async () => {
    const double = await startDouble()
    double.refuseHandshakes('silent')
    const limits = { handshakeTimeoutMs: 100, pingIntervalMs: 20, idleTimeoutMs: 200 }
    const rig = startConsumer(double, { limits })
    await rig.untilConnected()
    double.deafen()
    await rig.until(() => rig.consumer.status().reconnects === 1)
    expect(rig.logs.some(({ kind }) => kind === 'idle')).toBe(true)
  })

  test('silence alone is not a failure', async () => {
    const double = await startDouble()
    const limits = { pingIntervalMs: 10, idleTimeoutMs: 60 }
    const rig = startConsumer(double, { limits })
    await rig.untilConnected()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(rig.consumer.status()).toMatchObject({ connected: true, reconnects: 0 })
  })
})

describe('filters', () => {
  const likes = { collections: ['app.bsky.feed.like'], dids: [didOf(1)] }

  test.each(['v2', 'v1'] as const)('%s: delivers only the requested events', async (wire) => {
    const double = await startDouble()
    const rig = startConsumer(double, { wire, filters: likes })
    await rig.untilConnected()
    emitLike(double, 1)
    emitLike(double, 2)
    double.emit({ did: didOf(1), operation: 'delete', collection: 'app.bsky.feed.post', rkey: 'a' })
    double.emit({ did: didOf(1), kind: 'identity', handle: 'one.test' })
    emitLike(double, 1)
    await rig.until(() => rig.events.length === 3)
    expect(rig.seqs()).toEqual([1, 4, 5])
  })

  test('v2: a change reconnects at the cursor, and loses nothing', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, { filters: likes })
    await rig.untilConnected()
    for (let i = 0; i < 40; i++) {
      rig.consumer.setFilters({ ...likes, dids: [didOf(1), didOf(100 + i)] })
      for (let j = 0; j < 5; j++) emitLike(double, 1)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await rig.until(() => rig.events.length >= 200)
    expect(rig.seqs()).toEqual(range(1, 200))
    expect(double.connections().length).toBeGreaterThan(2)
    emitLike(double, 139)
    await rig.until(() => rig.events.length === 201)
  })

  test('v1: a change goes over the live connection', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, { wire: 'v1', filters: likes })
    await rig.untilConnected()
    rig.consumer.setFilters({ ...likes, dids: [didOf(2)] })
    await rig.until(() => double.connections()[0]!.optionsUpdates === 1)
    emitLike(double, 1)
    emitLike(double, 2)
    await rig.until(() => rig.events.length === 1)
    expect(rig.seqs()).toEqual([2])
    expect(double.connections().length).toBe(1)
  })

  test.each(['v2', 'v1'] as const)('%s: ten thousand dids fit', async (wire) => {
    const double = await startDouble()
    const dids = range(1, 10_000).map((n) => `did:plc:${String(n).padStart(24, 'a')}`)
    const rig = startConsumer(double, { wire, filters: { collections: [], dids } })
    await rig.untilConnected()
    if (wire === 'v1') await rig.until(() => double.connections()[0]!.optionsUpdates === 1)
    emitLike(double, 1)
    double.emit({ did: dids[9999]!, kind: 'identity' })
    await rig.until(() => rig.events.length === 1)
    expect(rig.events[0]!.did).toBe(dids[9999])
  })

  test('if the long URL is refused, dids are filtered locally', async () => {
    const double = await startDouble()
    double.refuseHandshakes({ status: 431, name: '', message: 'too large' })
    const rig = startConsumer(double, { filters: likes })
    await rig.untilConnected()
    emitLike(double, 2)
    emitLike(double, 1)
    await rig.until(() => rig.events.length === 1)
    expect(rig.seqs()).toEqual([2])
    expect(double.connections()[0]!.url).not.toContain('did')
  })

  test('an empty list of dids means none, not all', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, { filters: { collections: [], dids: [] } })
    await rig.untilConnected()
    emitLikes(double, 20)
    rig.consumer.setFilters({ collections: [], dids: [didOf(7)] })
    await rig.until(() => double.connections().length === 2 && rig.consumer.status().connected)
    emitLike(double, 7)
    await rig.until(() => rig.seqs().includes(21))
    expect(rig.events.every(({ did }) => did === didOf(7))).toBe(true)
  })

  test('more than a server accepts is refused as our mistake', async () => {
    const double = await startDouble()
    const { consumer } = startConsumer(double)
    const collections = range(1, 101).map((n) => `app.test.c${n}`)
    const dids = range(1, 10_001).map(didOf)
    expect(() => consumer.setFilters({ collections, dids: undefined })).toThrow(InvariantError)
    expect(() => consumer.setFilters({ collections: [], dids })).toThrow(InvariantError)
    expect(() => consumer.setFilters({ collections: [], dids: ['nobody'] })).toThrow(InvariantError)
  })
})

describe('batches', () => {
  test('while the store is busy the socket waits, and memory stays bounded', async () => {
    const double = await startDouble()
    const applied: number[] = []
    const hold = Promise.withResolvers<void>()
    let isHeld = true
    const rig = startConsumer(double, {
      compress: false,
      limits: { maxBatchEvents: 100 },
      apply: async ({ events }: StreamBatch) => {
        applied.push(events.length)
        if (isHeld) await hold.promise
      },
    })
    await rig.untilConnected()
    emitLikes(double, 30_000)
    await rig.until(() => rig.consumer.status().paused)
    const { received } = rig.consumer.status()
    await new Promise((resolve) => setTimeout(resolve, 200))
    // Only the rest of the current chunk still arrives, a few hundred frames at most.
    expect(rig.consumer.status().received).toBeLessThan(Math.max(received, 200) + 1500)
    expect(applied.length).toBe(1)
    isHeld = false
    hold.resolve()
    await rig.until(() => applied.reduce((sum, n) => sum + n, 0) === 30_000)
    expect(rig.consumer.status().paused).toBe(false)
    expect(applied.every((n) => n <= 2000)).toBe(true)
  })

  test('the waiting events are bounded in bytes too', async () => {
    const double = await startDouble()
    const hold = Promise.withResolvers<void>()
    let applied = 0
    const rig = startConsumer(double, {
      limits: { maxBatchBytes: 20_000, maxBatchEvents: 1e9 },
      apply: async ({ events }: StreamBatch) => {
        applied += events.length
        await hold.promise
      },
    })
    await rig.untilConnected()
    emitLikes(double, 10_000)
    await rig.until(() => rig.consumer.status().paused)
    expect(rig.consumer.status().received).toBeLessThan(4000)
    hold.resolve()
    await rig.until(() => applied === 10_000)
  })

  test('batches are short while that is wanted, and nothing is lost when it changes', async () => {
    const double = await startDouble()
    const sizes = { short: [0], long: [0] }
    let isShort = true
    const rig = startConsumer(double, {
      compress: false,
      limits: { maxBatchEvents: 4_000 },
      mostEvents: () => (isShort ? 50 : undefined),
      apply: async ({ events }: StreamBatch) => {
        sizes[isShort ? 'short' : 'long'].push(events.length)
        rig.events.push(...(events as StreamEvent[]))
        // Longer than a socket needs to fill any batch.
        await new Promise((resolve) => setTimeout(resolve, isShort ? 5 : 250))
        if (rig.events.length > 5_000) isShort = false
      },
    })
    await rig.untilConnected()
    emitLikes(double, 30_000)
    await rig.until(() => rig.events.length === 30_000)
    expect(rig.seqs()).toEqual(range(1, 30_000))
    // A chunk of the socket is taken whole.
    expect(Math.max(...sizes.short)).toBeLessThan(1_500)
    expect(Math.max(...sizes.long)).toBeGreaterThanOrEqual(4_000)
  })

  test('each batch’s cursor covers exactly the events delivered so far', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, {
      limits: { maxBatchEvents: 7 },
      apply: async (batch: StreamBatch) => {
        expect(batch.cursor.seq).toBe(batch.events.at(-1)!.seq)
        await new Promise((resolve) => setImmediate(resolve))
        rig.events.push(...(batch.events as StreamEvent[]))
      },
    })
    await rig.untilConnected()
    emitLikes(double, 500)
    await rig.until(() => rig.events.length === 500)
    expect(rig.seqs()).toEqual(range(1, 500))
  })

  test('stop waits for the current batch, and delivers nothing after it', async () => {
    const double = await startDouble()
    let isApplied = false
    let batches = 0
    const rig = startConsumer(double, {
      apply: async () => {
        batches++
        await new Promise((resolve) => setTimeout(resolve, 50))
        isApplied = true
      },
    })
    await rig.untilConnected()
    emitLikes(double, 10)
    await rig.until(() => batches === 1)
    emitLikes(double, 10)
    await rig.consumer.stop()
    expect(isApplied).toBe(true)
    expect(batches).toBe(1)
    await rig.until(() => double.openConnections() === 0)
  })
})

describe('bad frames', () => {
  test.each([true, false])(
    'are dropped and counted, with no other effect (compressed: %s)',
    async (compress) => {
      const double = await startDouble()
      const rig = startConsumer(double, { compress })
      await rig.untilConnected()
      emitLikes(double, 5)
      await rig.until(() => rig.events.length === 5)
      double.sendRaw('{"not":"a frame"}')
      double.sendRaw('not json at all')
      double.sendRaw(Buffer.from('not zstd at all, and long enough for a header'))
      double.sendText(
        '{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#later","seq":9,"did":"did:plc:abc","time":"2026-11-20T00:00:00.000000Z"}}',
      )
      emitLikes(double, 5)
      await rig.until(() => rig.events.length === 10)
      expect(rig.seqs()).toEqual(range(1, 10))
      const { dropped, reconnects } = rig.consumer.status()
      expect(reconnects).toBe(0)
      expect(dropped).toEqual({
        'unknown-frame': compress ? 1 : 2,
        'bad-json': 1,
        ...(compress ? { 'bad-zstd': 1 } : {}),
        'unknown-kind': 1,
      })
      expect(rig.gaps).toMatchObject([{ cause: 'dropped-frame' }])
    },
  )

  test('leave a gap even if our clock is ahead of the host’s', async () => {
    const double = await startDouble()
    const rig = startConsumer(double)
    await rig.untilConnected()
    const hourAgoUs = (Date.now() - 3_600_000) * 1000
    const like = { did: didOf(1), operation: 'create', collection: 'app.bsky.feed.like' } as const
    double.emit({ ...like, rkey: 'a', record: {}, timeUs: hourAgoUs })
    await rig.until(() => rig.events.length === 1)
    double.sendRaw('not json at all')
    double.emit({ ...like, rkey: 'b', record: {}, timeUs: hourAgoUs + 5_000_000 })
    await rig.until(() => rig.events.length === 2)
    expect(rig.gaps).toMatchObject([{ fromUs: hourAgoUs, toUs: hourAgoUs + 5_000_000 }])
  })

  test('a frame over the limit is dropped, and does not block the stream', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, { limits: { maxFrameBytes: 2000 } })
    await rig.untilConnected()
    emitLike(double)
    double.sendText(JSON.stringify({ padding: 'x'.repeat(5000) }))
    double.sendRaw(JSON.stringify({ padding: 'x'.repeat(5000) }))
    emitLike(double)
    await rig.until(() => rig.events.length === 2)
    expect(rig.consumer.status().dropped).toEqual({ oversized: 2 })
  })

  test('one far over every limit ends the connection, but not the stream', async () => {
    const double = await startDouble()
    const rig = startConsumer(double, { limits: { maxFrameBytes: 2000 } })
    await rig.untilConnected()
    emitLike(double)
    await rig.until(() => rig.events.length === 1)
    double.sendRaw(Buffer.alloc(20_000_000, 'x'))
    emitLike(double)
    await rig.until(() => rig.events.length === 2)
    expect(rig.consumer.status().reconnects).toBe(1)
  })
})
