import { ImageError } from '@slipstream/follow-graph'
import { describe, expect, test } from 'vitest'
import {
  createActorTable,
  loadActorTable,
  openActorTable,
} from '../../../src/data/graph/actor-table.ts'
import { HIDDEN, MEMBER } from '../../../src/data/graph/types.ts'
import { createRandom, type Random } from '../../support/random.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

function randomDid(random: Random): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => ALPHABET[random.below(32)]!).join('')
  if (random.chance(0.9)) return `did:plc:${letters(24)}`
  return random.chance(0.5)
    ? `did:web:${letters(1 + random.below(40))}.example`
    : `did:plc:${letters(23)}`
}

test('uids are dense, stable, and map back to their DID, for writer and reader', () => {
  const random = createRandom(1)
  const table = createActorTable()
  const reader = openActorTable(table.handle)
  const model = new Map<string, number>()
  for (let i = 0; i < 30_000; i++) {
    const known = [...(i % 1_000 === 0 ? model.keys() : [])]
    const did = known.length > 0 && random.chance(0.5) ? random.pick(known) : randomDid(random)
    const expected = model.get(did) ?? model.size + 1
    expect(reader.uidOf(did)).toBe(model.get(did) ?? 0)
    expect(table.intern(did)).toBe(expected)
    model.set(did, expected)
    expect(reader.uidOf(did)).toBe(expected)
  }
  expect(reader.count).toBe(model.size)
  for (const [did, uid] of model) {
    expect(table.uidOf(did)).toBe(uid)
    expect(reader.didOf(uid)).toBe(did)
  }
})

test('truncate removes exactly the latest uids, also across a growth of the table', () => {
  const random = createRandom(2)
  const table = createActorTable()
  const reader = openActorTable(table.handle)
  const dids: string[] = []
  for (let round = 0; round < 60; round++) {
    for (let i = random.below(120); i > 0; i--) {
      const did = randomDid(random)
      dids.push(did)
      table.intern(did)
    }
    const retained = dids.length - random.below(Math.min(100, dids.length + 1))
    table.truncate(retained)
    const gone = dids.splice(retained)
    for (const did of gone) expect(reader.uidOf(did)).toBe(0)
    for (const [i, did] of dids.entries()) expect(reader.uidOf(did)).toBe(i + 1)
    expect(reader.count).toBe(retained)
  }
})

test('a reused uid keeps nothing of its removed account', () => {
  const table = createActorTable()
  const uid = table.intern('did:web:first.example')
  table.setFlags(uid, MEMBER)
  table.addMemberFollowers(uid, 3)
  table.truncate(0)
  expect(table.intern('did:web:second.example')).toBe(uid)
  expect(table.flagsOf(uid)).toBe(0)
  expect(table.memberFollowersOf(uid)).toBe(0)
})

test('flags and member followers do not affect each other', () => {
  const table = createActorTable()
  const reader = openActorTable(table.handle)
  const uid = table.intern('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa')
  table.addMemberFollowers(uid, 1_000_000)
  table.setFlags(uid, MEMBER | HIDDEN)
  table.addMemberFollowers(uid, -1)
  expect(reader.flagsOf(uid)).toBe(MEMBER | HIDDEN)
  expect(reader.memberFollowersOf(uid)).toBe(999_999)
})

test('asking for an unassigned uid is a broken invariant', () => {
  const table = createActorTable()
  table.intern('did:web:one.example')
  expect(() => table.didOf(2)).toThrow(/no account has uid 2/)
  expect(() => table.setFlags(2, MEMBER)).toThrow(/no account has uid 2/)
  expect(() => table.addMemberFollowers(1, -1)).toThrow(/-1 followers/)
})

describe.each([1, 2, 3])('the image of a table, seed %i', (seed) => {
  const random = createRandom(seed)
  const table = createActorTable()
  const dids = Array.from({ length: 60_000 }, () => randomDid(random))
  for (const did of dids) table.intern(did)
  const { count } = table
  const chunks: { bytes: Uint8Array }[] = []
  for (const chunk of table.dump()) {
    chunks.push(chunk)
    for (let i = 0; i < 1_000; i++) table.intern(randomDid(random))
  }

  test('has the accounts that existed when it was begun, and continues from there', () => {
    expect(chunks.length).toBeGreaterThan(1)
    const loaded = loadActorTable(chunks)
    const reader = openActorTable(loaded.handle)
    expect(reader.count).toBe(count)
    for (let uid = 1; uid <= count; uid++) {
      expect(reader.didOf(uid)).toBe(table.didOf(uid))
      expect(reader.uidOf(table.didOf(uid))).toBe(uid)
    }
    for (let uid = count + 1; uid <= table.count; uid++) {
      expect(loaded.intern(table.didOf(uid))).toBe(uid)
    }
    loaded.truncate(count)
    for (let uid = count + 1; uid <= table.count; uid++) {
      expect(reader.uidOf(table.didOf(uid))).toBe(0)
    }
    expect(reader.uidOf(table.didOf(count))).toBe(count)
  })

  test('is refused with a flipped bit, a cut, or a missing chunk', () => {
    for (let i = 0; i < 40; i++) {
      const which = random.below(chunks.length)
      const bytes = chunks[which]!.bytes.slice()
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      expect(() => loadActorTable(chunks.with(which, { bytes }))).toThrow(ImageError)
      const cut = { bytes: chunks[which]!.bytes.slice(0, random.below(bytes.length)) }
      expect(() => loadActorTable(chunks.with(which, cut))).toThrow(ImageError)
      expect(() => loadActorTable(chunks.toSpliced(which, 1))).toThrow(ImageError)
    }
  })
})

test('also exists for an empty table', () => {
  expect(loadActorTable(createActorTable().dump()).count).toBe(0)
})
