// Frames to events: the exact shapes of both wires, every reason to drop a frame, and mutated frames, which
// must neither throw nor yield an invalid event.

import { describe, expect, test, vi } from 'vitest'
import { packCid } from '../../../src/base/atproto/keys.ts'
import {
  frameV1,
  frameV2,
  type LoggedEmission,
} from '../../../test/support/jetstream-double/emission.ts'
import { cidOf } from '../../../test/support/jetstream-double/made-up-ids.ts'
import { createSyntheticEvents } from '../../../test/support/jetstream-double/synthetic-events.ts'
import { createRandom } from '../../../test/support/random.ts'
import type { Decoded } from '../src/frames/decoded.ts'
import { createFrameDecoder } from '../src/frames/frame-decoder.ts'
import { parseTimeUs } from '../src/frames/syntax.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const maxFrameBytes = 100_000
const v1 = createFrameDecoder({ wire: 'v1', decompressor: undefined, maxFrameBytes })
const v2 = createFrameDecoder({ wire: 'v2', decompressor: undefined, maxFrameBytes })

const decodeV1 = (frame: unknown): Decoded => v1.decode(toBuffer(frame), false)
const decodeV2 = (frame: unknown): Decoded => v2.decode(toBuffer(frame), false)

function toBuffer(frame: unknown): Buffer {
  return Buffer.isBuffer(frame)
    ? frame
    : Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame))
}

const did = 'did:plc:wq4aajammjtxdomz3e23667t'
const record = { $type: 'app.bsky.feed.like', createdAt: '2026-07-04T14:38:08.999Z' }
const commit = {
  rev: '3mptbypluud2a',
  operation: 'create',
  collection: 'app.bsky.feed.like',
  rkey: '3mptbyplj5d2a',
  record,
  cid: 'bafyreiguce4jh7kcbmof3pmcvasifqtw24b6isakj5ve5ga2b4z4alpc4i',
}
const frame1 = { did, time_us: 1_783_175_888_085_434, cursor: 77, kind: 'commit', commit }
const payload = {
  $type: 'network.bsky.jetstream.subscribeEvents#commit',
  did,
  seq: 77,
  time: '2026-07-04T14:38:08.085434Z',
  ...commit,
}
const message = (body: object) => ({ $type: 'message', payload: body })
const event = { kind: 'commit', did, timeUs: 1_783_175_888_085_434, seq: 77, ...commit }

describe('the two wires', () => {
  test('agree on the same commit', () => {
    expect(decodeV1(frame1)).toEqual(event)
    expect(decodeV2(message(payload))).toEqual(event)
  })

  test('a delete has neither record nor cid', () => {
    const { record: _, cid: __, ...key } = { ...commit, operation: 'delete' }
    const expected = { kind: 'commit', did, timeUs: event.timeUs, seq: 77, ...key }
    expect(decodeV1({ ...frame1, commit: key })).toEqual(expected)
    const { record: ___, cid: ____, ...bare } = payload
    expect(decodeV2(message({ ...bare, operation: 'delete' }))).toEqual(expected)
  })

  test('a legacy host gives no seq', () => {
    const { cursor: _, ...legacy } = frame1
    expect(decodeV1(legacy)).toMatchObject({ kind: 'commit', seq: undefined })
  })

  test('identity and account events, with the relay’s own event inside', () => {
    const inner = { did, seq: 31_527_015_471, time: '2026-07-04T14:38:07.877Z' }
    const base = { did, time_us: 5_000_000, cursor: 9 }
    const common = { did, timeUs: 5_000_000, seq: 9 }
    expect(decodeV1({ ...base, kind: 'identity', identity: inner })).toEqual({
      ...common,
      kind: 'identity',
      handle: undefined,
    })
    const account = { ...inner, active: false, status: 'takendown' }
    expect(decodeV1({ ...base, kind: 'account', account })).toEqual({
      ...common,
      kind: 'account',
      active: false,
      status: 'takendown',
    })
    const type = (name: string) => `network.bsky.jetstream.subscribeEvents#${name}`
    const base2 = { did, seq: 9, time: '1970-01-01T00:00:05.000000Z' }
    const identity = { ...inner, handle: 'alice.test' }
    expect(decodeV2(message({ ...base2, $type: type('identity'), identity }))).toEqual({
      ...common,
      kind: 'identity',
      handle: 'alice.test',
    })
    const sync = { ...inner, rev: commit.rev, blocks: { $bytes: 'AA' } }
    expect(decodeV2(message({ ...base2, $type: type('sync'), sync }))).toEqual({
      ...common,
      kind: 'sync',
      rev: commit.rev,
    })
  })

  test.each([
    [true, 'suspended', undefined],
    [false, 'suspended', 'suspended'],
    [false, 'a word of tomorrow', 'deactivated'],
    [false, undefined, 'deactivated'],
    [false, 'constructor', 'deactivated'],
  ])('active %s with status %s is read as %s', (active, status, expected) => {
    const frame = { did, time_us: 5, kind: 'account', account: { active, status } }
    expect(decodeV1(frame)).toMatchObject({ active, status: expected })
  })

  test('notices: info is advice, error is terminal', () => {
    const $type = 'network.bsky.jetstream.subscribeEvents#info'
    expect(decodeV2(message({ $type, name: 'OutdatedCursor', message: 'seq 4' }))).toEqual({
      notice: 'info',
      name: 'OutdatedCursor',
      message: 'seq 4',
    })
    expect(decodeV2({ $type: 'error', error: 'ConsumerTooSlow' })).toEqual({
      notice: 'error',
      name: 'ConsumerTooSlow',
      message: '',
    })
  })
})

describe('drops frames, by reason', () => {
  test.each([
    ['bad-json', 'not json'],
    ['bad-json', ''],
    ['unknown-frame', 'null'],
    ['unknown-frame', '[]'],
    [
      'bad-utf8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['oversized', `"${'x'.repeat(maxFrameBytes)}"`],
    ['bad-did', { ...frame1, did: 'alice.test' }],
    ['bad-did', { ...frame1, did: 'did:plc:' }],
    ['bad-did', { ...frame1, did: `did:web:${'a'.repeat(3000)}` }],
    ['bad-did', { ...frame1, did: ['did:plc:abc'] }],
    ['bad-time', { ...frame1, time_us: 'now' }],
    ['bad-time', { ...frame1, time_us: -4 }],
    ['bad-time', { ...frame1, time_us: 1.5 }],
    ['bad-seq', { ...frame1, cursor: 2 ** 60 }],
    ['bad-seq', { ...frame1, cursor: null }],
    ['unknown-kind', { ...frame1, kind: 'commits' }],
    ['unknown-kind', { ...frame1, kind: '__proto__' }],
    ['bad-operation', { ...frame1, commit: null }],
    ['bad-account', { did, time_us: 5, kind: 'account', account: { active: 'yes' } }],
  ])('v1 %s', (reason, frame) => {
    expect(decodeV1(frame)).toBe(reason)
  })

  test.each([
    ['unknown-frame', payload],
    ['unknown-frame', { $type: 'message' }],
    ['unknown-frame', { $type: 'error', error: 5 }],
    ['unknown-kind', message({ ...payload, $type: 'network.bsky.jetstream.subscribeEvents#new' })],
    ['bad-seq', message({ ...payload, seq: '77' })],
    ['bad-seq', message({ ...payload, seq: undefined })],
    ['bad-time', message({ ...payload, time: '2026-07-04' })],
    ['bad-operation', message({ ...payload, operation: 'merge' })],
    ['bad-rev', message({ ...payload, rev: 'now' })],
    ['bad-rev', message({ ...payload, rev: 'zzzzzzzzzzzzz' })],
    ['bad-collection', message({ ...payload, collection: 'likes' })],
    ['bad-collection', message({ ...payload, collection: 'app.bsky.feed.like/..' })],
    ['bad-rkey', message({ ...payload, rkey: '..' })],
    ['bad-rkey', message({ ...payload, rkey: 'a/b' })],
    ['bad-rkey', message({ ...payload, rkey: '' })],
    ['bad-rkey', message({ ...payload, rkey: 'x'.repeat(513) })],
    ['bad-cid', message({ ...payload, cid: undefined })],
    ['bad-cid', message({ ...payload, cid: `bafkrei${commit.cid.slice(7)}` })],
    ['bad-cid', message({ ...payload, cid: `${commit.cid}a` })],
    ['bad-record', message({ ...payload, record: undefined })],
    ['bad-record', message({ ...payload, record: [] })],
  ])('v2 %s', (reason, frame) => {
    expect(decodeV2(frame)).toBe(reason)
  })

  test('too-deep: nesting that would overflow a recursive walk, but not brackets in a text', () => {
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`
    const frame = JSON.stringify(frame1).replace('"createdAt"', `"deep":${deep},"createdAt"`)
    expect(decodeV1(frame)).toBe('too-deep')
    const text = `"\\${'[{'.repeat(3000)}`
    const harmless = { ...frame1, commit: { ...commit, record: { ...record, text } } }
    expect(decodeV1(harmless)).toMatchObject({ record: { text } })
  })

  test('too-wide: more values than any record worth keeping has, counted by commas without parsing', () => {
    const options = { wire: 'v1', decompressor: undefined, maxFrameBytes: 4 << 20 } as const
    const wideEnough = createFrameDecoder(options)
    const decodeWide = (item: unknown) =>
      wideEnough.decode(Buffer.from(typeof item === 'string' ? item : JSON.stringify(item)), false)
    const wide = (count: number) =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`
    const frame = (inner: string) =>
      JSON.stringify(frame1).replace('"createdAt"', `"wide":${inner},"createdAt"`)
    const parse = vi.spyOn(JSON, 'parse')
    expect(decodeWide(frame(wide(300_000)))).toBe('too-wide')
    expect(decodeWide(frame(`[${'1,'.repeat(60_000)}1]`))).toBe('too-wide')
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    expect(decodeWide(frame(wide(1_000)))).toMatchObject({ kind: 'commit' })
    const text = `"\\"${',"'.repeat(60_000)}`
    const harmless = { ...frame1, commit: { ...commit, record: { ...record, text } } }
    expect(decodeWide(harmless)).toMatchObject({ record: { text } })
  })

  test('bad-text: half of a surrogate pair anywhere, but not a whole one, in any spelling', () => {
    for (const broken of ['"\\ud83d"', '"x\\uDE00"', '["\\ude00\\ud83d"]', '{"\\ud83d":1}']) {
      const frame = JSON.stringify(frame1).replace('"createdAt"', `"x":${broken},"createdAt"`)
      expect(decodeV1(frame), broken).toBe('bad-text')
    }
    for (const complete of ['"\\ud83d\\ude00"', '"\\\\ud83d"', '"😀"']) {
      const frame = JSON.stringify(frame1).replace('"createdAt"', `"x":${complete},"createdAt"`)
      expect(decodeV1(frame), complete).toMatchObject({ kind: 'commit' })
    }
  })

  test('forbidden-key: __proto__ as a key anywhere, plain or escaped, but not as a text', () => {
    for (const key of [
      '__proto__',
      '\\u005f_proto__',
      '__prot\\u006f__',
      '\\u005F\\u005Fproto__',
    ]) {
      const nested = `{"a":[{"${key}":{"admin":true}}]}`
      const frame = JSON.stringify(frame1).replace('"createdAt"', `"x":${nested},"createdAt"`)
      expect(decodeV1(frame), key).toBe('forbidden-key')
    }
    const harmless = { ...frame1, commit: { ...commit, record: { ...record, text: '__proto__' } } }
    expect(decodeV1(harmless)).toMatchObject({ kind: 'commit' })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

test('unreadable: any unforeseen failure, such as a text too long for a string', () => {
  const text = Buffer.from('{}')
  text.toString = () => {
    throw Object.assign(new RangeError('too long'), { code: 'ERR_STRING_TOO_LONG' })
  }
  expect(v2.decode(text, false)).toBe('unreadable')
})

test('accepts only the CIDs that the store can pack', () => {
  const random = createRandom(SEED)
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  for (let round = 0; round < 3000; round++) {
    const cid = [...cidOf(`record ${round}`)]
    if (round % 3 > 0)
      cid[random.pick([1, 6, 7, 8, 58, random.below(59)])] = random.pick([...alphabet])
    const text = cid.join('')
    const decoded = decodeV1({ ...frame1, commit: { ...commit, cid: text } })
    expect(decoded === 'bad-cid', text).toBe(packCid(text) === undefined)
  }
})

test('times are read to the microsecond, in any form that RFC 3339 allows', () => {
  const at = Date.UTC(2026, 6, 4, 14, 38, 8) * 1000
  expect(parseTimeUs('2026-07-04T14:38:08.085434Z')).toBe(at + 85_434)
  expect(parseTimeUs('2026-07-04T14:38:09.000001Z')).toBe(at + 1_000_001)
  expect(parseTimeUs('2026-07-04T14:38:08Z')).toBe(at)
  expect(parseTimeUs('2026-07-04T14:38:08.5Z')).toBe(at + 500_000)
  expect(parseTimeUs('2026-07-04T16:38:08.123456789+02:00')).toBe(at + 123_456)
  for (const odd of [
    '',
    'Z',
    '2026-07-04',
    '2026-13-04T14:38:08.085434Z',
    '2026-07-04T14:38:08.08543xZ',
  ]) {
    expect(parseTimeUs(odd), odd).toBeUndefined()
  }
  const random = createRandom(SEED)
  for (let i = 0; i < 2000; i++) {
    const timeUs = random.below(4e15) + 1
    const wire = `${new Date(Math.floor(timeUs / 1000)).toISOString().slice(0, 20)}${String(timeUs % 1e6).padStart(6, '0')}Z`
    expect(parseTimeUs(wire)).toBe(timeUs)
  }
})

test(`mutated frames never throw, and what passes is a valid event (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const source = createSyntheticEvents(SEED)
  const tokens = ['null', '{}', '[]', '""', '-1', '1e400', '"\\ud800"', ',', '"', '}', '__proto__']
  let valid = 0
  for (let round = 0; round < 20_000; round++) {
    const isV2 = random.chance(0.5)
    const logged = { ...source.next(), seq: round + 1 } as LoggedEmission
    let text = isV2 ? frameV2(logged) : frameV1(logged, true)!
    for (let i = random.below(3); i >= 0; i--) {
      const from = random.below(text.length)
      const to = from + random.below(random.pick([2, 20]))
      text = text.slice(0, from) + random.pick(tokens) + text.slice(to)
    }
    const bytes = Buffer.from(text)
    if (random.chance(0.2)) bytes[random.below(bytes.length)] = random.below(256)
    const decoded = (isV2 ? v2 : v1).decode(bytes, false)
    if (typeof decoded === 'string' || 'notice' in decoded || decoded.kind === 'unread') continue
    valid++
    expect(decoded.did).toMatch(/^did:[a-z]+:./)
    expect(decoded.timeUs).toBeGreaterThan(0)
    expect(['commit', 'identity', 'account', 'sync']).toContain(decoded.kind)
    if (decoded.kind === 'commit' && decoded.operation !== 'delete') {
      expect(packCid(decoded.cid)).toBeDefined()
      expect(Object.getPrototypeOf(decoded.record)).toBe(Object.prototype)
    }
  }
  expect(valid).toBeGreaterThan(1000)
})
