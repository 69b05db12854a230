// Dictionaries that look complete but are corrupt: on disk, at the host, or from some moment on. Whatever the
// cause, the stream recovers by itself, and no event is lost while frames are unreadable.

import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  fixtureDictionary,
  spoiltDictionary,
} from '../../../test/support/jetstream-double/dictionaries.ts'
import type { JetstreamDouble } from '../../../test/support/jetstream-double/double.ts'
import type { StreamGap } from '../src/event.ts'
import {
  cursorAt,
  emitLikes,
  type Rig,
  range,
  startConsumer,
  startDouble,
  tempDir,
} from './consumer-rig.ts'

const WIRES = ['v2', 'v1'] as const
type Wire = (typeof WIRES)[number]

/**
 * Serves the dictionaries of both wires over HTTP.
 * @returns a counter of the requests
 */
function serveDictionaries(
  double: JetstreamDouble,
  choose: (request: number) => Buffer,
): () => number {
  let requests = 0
  double.serve = (_, response: ServerResponse) => {
    response.end(choose(++requests))
    return true
  }
  return () => requests
}

const startOn = (double: JetstreamDouble, wire: Wire, options = {}): Rig =>
  startConsumer(double, { wire, v1Dictionary: double.v1DictionaryUrl, ...options })

function storedFiles(cacheDir: string): string[] {
  const names = readdirSync(join(cacheDir, 'dictionaries'), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.zdict'))
    .map((name) => join(cacheDir, 'dictionaries', name))
}

/** Returns a folder as a first run leaves it, and the path of its one dictionary. */
async function usedFolder(double: JetstreamDouble, wire: Wire): Promise<[string, string]> {
  const cacheDir = tempDir()
  const rig = startOn(double, wire, { cacheDir })
  await rig.untilConnected()
  await rig.consumer.stop()
  const files = storedFiles(cacheDir)
  expect(files).toHaveLength(1)
  return [cacheDir, files[0]!]
}

const warnings = ({ logs }: Rig, pattern: RegExp) =>
  logs.filter(({ level, msg }) => level === 40 && pattern.test(msg))

async function expectComplete(rig: Rig, last: number): Promise<void> {
  await rig.until(() => rig.events.length >= last)
  expect(rig.seqs()).toEqual(range(1, last))
  expect(rig.gaps).toEqual([])
}

describe.each(WIRES)('on disk (%s)', (wire) => {
  test.each([
    ['its tables', 0.004],
    ['its middle', 0.5],
    ['its end', 0.99],
  ])('a file damaged in %s is never used, and is fetched again', async (_, part) => {
    const double = await startDouble()
    const [cacheDir, path] = await usedFolder(double, wire)
    const bytes = readFileSync(path)
    const at = Math.floor(part * bytes.length)
    bytes.fill(bytes[at]! ^ 0x10, at, at + 64)
    writeFileSync(path, bytes)
    emitLikes(double, 30)
    const rig = startOn(double, wire, { cacheDir, cursors: [cursorAt(double, 1, wire)] })
    emitLikes(double, 30)
    await rig.until(() => rig.events.length === 59)
    expect(rig.seqs()).toEqual(range(2, 60))
    expect(rig.consumer.status()).toMatchObject({ compressed: true, dropped: {}, reconnects: 0 })
    expect(double.dictionaryRequests()).toBe(2)
    expect(readFileSync(path)).toEqual(fixtureDictionary(wire).bytes)
  })

  test('a file without a hash, in the old format, is replaced', async () => {
    const double = await startDouble()
    const [cacheDir, path] = await usedFolder(double, wire)
    renameSync(path, path.replace(/\.[0-9a-f]{32}\.zdict$/, '.zdict'))
    const rig = startOn(double, wire, { cacheDir })
    await rig.untilConnected()
    expect(rig.consumer.status().compressed).toBe(true)
    expect(storedFiles(cacheDir)).toEqual([path])
  })

  test('if a damaged file can’t be fetched again, the stream stays plain until it can', async () => {
    const double = await startDouble()
    const [cacheDir, path] = await usedFolder(double, wire)
    writeFileSync(path, spoiltDictionary(fixtureDictionary(wire)).bytes)
    double.dictionaryFault = 'error'
    const rig = startOn(double, wire, { cacheDir, limits: { improveIntervalMs: 60 } })
    await rig.untilConnected()
    expect(rig.consumer.status().compressed).toBe(false)
    emitLikes(double, 10)
    await expectComplete(rig, 10)
    double.dictionaryFault = undefined
    await rig.until(() => rig.consumer.status().connected && rig.consumer.status().compressed)
    emitLikes(double, 10)
    await expectComplete(rig, 20)
  })
})

describe.each(WIRES)('at its source (%s)', (wire) => {
  const right = fixtureDictionary(wire)
  const spoilt = spoiltDictionary(right)

  test('a corrupt one under the right id is replaced by the right one, and nothing is lost', async () => {
    const double = await startDouble()
    const requests = serveDictionaries(double, (n) => (n === 1 ? spoilt : right).bytes)
    const cacheDir = tempDir()
    const rig = startOn(double, wire, { cacheDir })
    await rig.untilConnected()
    emitLikes(double, 50)
    await expectComplete(rig, 50)
    expect(rig.consumer.status()).toMatchObject({ compressed: true, reconnects: 1, gaps: 0 })
    expect(rig.consumer.status().dropped['bad-zstd']).toBeLessThanOrEqual(3)
    expect(requests()).toBe(2)
    expect(warnings(rig, /setting it aside/)).toHaveLength(1)
    expect(storedFiles(cacheDir).map((path) => readFileSync(path))).toEqual([right.bytes])
  })

  test('one that was stored as served is detected after a restart', async () => {
    const double = await startDouble()
    serveDictionaries(double, () => spoilt.bytes)
    const [cacheDir] = await usedFolder(double, wire)
    double.serve = undefined
    emitLikes(double, 50)
    const rig = startOn(double, wire, { cacheDir, cursors: [cursorAt(double, 1, wire)] })
    await rig.until(() => rig.events.length === 49)
    expect(rig.seqs()).toEqual(range(2, 50))
    expect(rig.gaps).toEqual([])
    expect(rig.consumer.status().compressed).toBe(true)
  })

  test('while it is always corrupt, the stream is read plain and complete, and compressed afterwards', async () => {
    const double = await startDouble()
    const requests = serveDictionaries(double, () => spoilt.bytes)
    const cacheDir = tempDir()
    const rig = startOn(double, wire, { cacheDir, limits: { improveIntervalMs: 60 } })
    await rig.untilConnected()
    emitLikes(double, 50)
    await expectComplete(rig, 50)
    expect(rig.consumer.status()).toMatchObject({ compressed: false, reconnects: 1 })
    expect(storedFiles(cacheDir)).toEqual([])
    await rig.until(() => requests() >= 5)
    expect(warnings(rig, /setting it aside/)).toHaveLength(1)
    expect(rig.consumer.status()).toMatchObject({ compressed: false, reconnects: 1 })
    double.serve = undefined
    await rig.until(() => rig.consumer.status().connected && rig.consumer.status().compressed)
    emitLikes(double, 50)
    await expectComplete(rig, 100)
  })

  test('a different corrupt one each time does not cause endless retries', async () => {
    const double = await startDouble()
    const requests = serveDictionaries(double, (n) => spoiltDictionary(right, n).bytes)
    const rig = startOn(double, wire)
    await rig.untilConnected()
    emitLikes(double, 50)
    await expectComplete(rig, 50)
    expect(rig.consumer.status().compressed).toBe(false)
    expect(requests()).toBeLessThanOrEqual(4)
  })

  test('a replay, which begins by time on no particular host, is complete too', async () => {
    const double = await startDouble()
    emitLikes(double, 50)
    serveDictionaries(double, (n) => (n === 1 ? spoilt : right).bytes)
    const { timeUs } = cursorAt(double, 1, wire)
    const cursors = [{ host: '', wire: 'v1' as const, seq: undefined, timeUs: timeUs - 1 }]
    const rig = startOn(double, wire, { cursors })
    await rig.until(() => rig.events.length > 0)
    emitLikes(double, 50)
    await rig.until(() => rig.events.length >= 100)
    expect(rig.seqs()).toEqual(range(1, 100))
    // It begins before the host's window, where the first connection could read nothing.
    const cause = wire === 'v2' ? 'outdated-cursor' : 'cursor-too-old'
    expect(rig.gaps.map((gap) => gap.cause)).toEqual([cause])
    expect(rig.consumer.status().reconnects).toBe(1)
  })
})

describe.each(WIRES)('from some moment on (%s)', (wire) => {
  test('a run of unreadable frames leads to a plain connection that begins before it', async () => {
    const double = await startDouble()
    damageFrames(double, (seq) => seq > 100)
    const rig = startOn(double, wire)
    await rig.untilConnected()
    emitLikes(double, 300)
    await expectComplete(rig, 300)
    expect(rig.consumer.status()).toMatchObject({ compressed: false, dropped: { 'bad-zstd': 20 } })
  })

  test('so do too many among readable ones; those lost by then are in gaps', async () => {
    const double = await startDouble()
    damageFrames(double, (seq) => seq % 10 === 0)
    const rig = startOn(double, wire)
    await rig.untilConnected()
    emitLikes(double, 1000)
    await rig.until(() => rig.seqs().at(-1) === 1000)
    expect(rig.consumer.status().compressed).toBe(false)
    const seen = new Set(rig.seqs())
    expect(rig.events).toHaveLength(seen.size)
    const lost = double.entries().filter(({ event }) => !seen.has(event.seq))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThan(40)
    for (const { event } of lost) expect(isIn(rig.gaps, event.timeUs)).toBe(true)
  })

  test('a few are dropped and recorded, even the first of a connection, which stays open', async () => {
    const double = await startDouble()
    damageFrames(double, (seq) => seq <= 2 || seq % 100 === 0)
    const rig = startOn(double, wire)
    await rig.untilConnected()
    emitLikes(double, 3000)
    await rig.until(() => rig.seqs().at(-1) === 2999)
    const status = rig.consumer.status()
    expect(status).toMatchObject({ compressed: true, reconnects: 0 })
    expect(rig.events).toHaveLength(3000 - 32)
    const seen = new Set(rig.seqs())
    const lost = double.entries().filter(({ event }) => !seen.has(event.seq))
    for (const { event } of lost.slice(0, -1)) expect(isIn(rig.gaps, event.timeUs)).toBe(true)
  })
})

test('one that its host keeps refusing is set aside until the host offers another', async () => {
  const double = await startDouble()
  double.rotateDictionary()
  double.dictionaryFault = 'stale'
  const rig = startConsumer(double, { limits: { improveIntervalMs: 60 } })
  await rig.untilConnected()
  expect(rig.consumer.status().compressed).toBe(false)
  emitLikes(double, 10)
  await expectComplete(rig, 10)
  double.dictionaryFault = undefined
  await rig.until(() => rig.consumer.status().connected && rig.consumer.status().compressed)
  emitLikes(double, 10)
  await expectComplete(rig, 20)
})

/** Damages compressed frames only. */
function damageFrames(double: JetstreamDouble, isChosen: (seq: number) => boolean): void {
  double.behaviour.tamper = (frame, { event }) => {
    if (typeof frame === 'string' || !isChosen(event.seq)) return frame
    const damaged = Buffer.from(frame)
    damaged[damaged.length - 1]! ^= 0xff
    return damaged
  }
}

function isIn(gaps: readonly StreamGap[], timeUs: number): boolean {
  return gaps.some(({ fromUs, toUs }) => fromUs <= timeUs && timeUs <= toUs)
}
