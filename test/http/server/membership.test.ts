// Which accounts may read here, tested without a server.

import { expect, test } from 'vitest'
import { invalidRequest, type XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { members } from '../../../src/base/config/parsers.ts'
import { createMembership } from '../../../src/http/server/membership.ts'

const [ALICE, BOB, CAROL] = ['did:plc:alice', 'did:plc:bob', 'did:plc:carol'] as const

type MembershipContext = Parameters<typeof createMembership>[0]

function createScene(
  changes: Partial<MembershipContext> & { members?: string; max?: number } = {},
) {
  const seen: string[] = []
  const counted: string[] = []
  const admitted = new Set<string>()
  const banned = new Set<string>()
  const lookups: string[] = []
  const present = new Set<string>()
  const clock = { now: 0 }
  const check = createMembership({
    config: {
      members: members(changes.members ?? 'open'),
      publicOrigin: 'https://appview.example.org',
    },
    configuredMembers: () => (changes.members?.includes(ALICE) ? [ALICE] : []),
    isBanned(did) {
      lookups.push(did)
      return banned.has(did)
    },
    isAdmitted: (did) => admitted.has(did),
    isMember: (did) => present.has(did),
    hasSeat: () => !changes.max || present.size < changes.max,
    newcomers: { admit: (did) => void counted.push(did), originOf: () => undefined },
    writer: {
      async send({ did }) {
        seen.push(did)
        present.add(did)
      },
    },
    onError: () => undefined,
    now: () => clock.now,
    ...changes,
  })
  const outcome = (did: string) => {
    try {
      check(did)
      return 'in'
    } catch (error) {
      return (error as XRPCError).error
    }
  }
  const ban = (did: string) => {
    banned.add(did)
    present.delete(did)
  }
  return { outcome, seen, counted, admitted, banned, ban, lookups, present, clock, check }
}

test('open admits all accounts, and the writer is notified once a minute', () => {
  const { outcome, seen, clock } = createScene()
  for (let i = 0; i < 5; i++) expect(outcome(ALICE)).toBe('in')
  expect(seen).toEqual([ALICE])
  clock.now += 60_001
  outcome(ALICE)
  expect(seen).toEqual([ALICE, ALICE])
})

test('a token for another audience creates no member, and a closed list refuses', () => {
  const open = createScene()
  for (let i = 0; i < 3; i++) open.check(ALICE, { isForUs: false })
  expect(open.seen).toEqual([])
  expect(open.outcome(ALICE)).toBe('in')
  expect(open.seen).toEqual([ALICE])
  open.check(ALICE, { isForUs: false })
  const closed = createScene({ members: ALICE })
  expect(() => closed.check(CAROL, { isForUs: false })).toThrow('fixed list')
})

test('a list admits the accounts it names and those that the operator admitted', () => {
  const { outcome, admitted, seen, check } = createScene({ members: ALICE })
  admitted.add(BOB)
  expect([ALICE, BOB, CAROL].map(outcome)).toEqual(['in', 'in', 'NotAMember'])
  expect(seen).toEqual([ALICE, BOB])
  expect(() => check(CAROL)).toThrow('fixed list')
})

test('by invite, the refusal says where to enter a code', () => {
  const { outcome, admitted, check } = createScene({ members: `invite, ${ALICE}` })
  expect([ALICE, BOB].map(outcome)).toEqual(['in', 'NotAMember'])
  expect(() => check(BOB)).toThrow('https://appview.example.org/invite')
  admitted.add(BOB)
  expect(outcome(BOB)).toBe('in')
})

test('a removed account is refused within a minute', () => {
  const { outcome, admitted, clock } = createScene({ members: 'invite' })
  admitted.add(BOB)
  expect(outcome(BOB)).toBe('in')
  admitted.delete(BOB)
  clock.now += 60_001
  expect(outcome(BOB)).toBe('NotAMember')
})

test('beyond the limit of members only existing and named ones are admitted', () => {
  const { outcome, present } = createScene({ max: 2 })
  present.add(BOB)
  expect(outcome(CAROL)).toBe('in')
  expect(outcome('did:plc:dave')).toBe('MembersFull')
  expect(outcome(BOB)).toBe('in')

  const named = createScene({ members: ALICE, max: 1 })
  named.present.add(BOB)
  expect(named.outcome(ALICE)).toBe('in')
})

test('only strangers count as newcomers, and one refused for their number gets no other reason', () => {
  const { outcome, counted, admitted, present } = createScene({ members: `open`, max: 1 })
  present.add(ALICE)
  admitted.add(BOB)
  expect([ALICE, BOB, CAROL].map(outcome)).toEqual(['in', 'MembersFull', 'MembersFull'])
  expect(counted).toEqual([CAROL])
  const flooded = createScene({
    newcomers: {
      originOf: () => undefined,
      admit() {
        throw invalidRequest('too many', 'RateLimitExceeded')
      },
    },
  })
  expect([ALICE, BOB].map(flooded.outcome)).toEqual(['RateLimitExceeded', 'RateLimitExceeded'])
  expect(flooded.seen).toEqual([])
})

test('the word invite can be combined with names', () => {
  expect(members('INVITE, alice.test')).toEqual(['invite', 'alice.test'])
  expect(() => members('invites')).toThrow()
})

test('a banned account is refused at once, whatever else admits it', () => {
  const { outcome, banned, ban, admitted, seen } = createScene({ members: `${ALICE},${BOB}` })
  admitted.add(CAROL)
  for (const did of [ALICE, BOB, CAROL])
    expect(outcome(did)).toBe(did === BOB ? 'NotAMember' : 'in')
  for (const did of [ALICE, CAROL]) {
    ban(did)
    expect(outcome(did)).toBe('AccountBanned')
  }
  banned.clear()
  expect(outcome(ALICE)).toBe('in')
  expect(seen).not.toContain(BOB)
})

test("no member's request reads the rows of bans, which never concern members", () => {
  const { outcome, lookups } = createScene()
  expect(outcome(ALICE)).toBe('in')
  expect(lookups).toEqual([ALICE])
  for (let i = 0; i < 5; i++) expect(outcome(ALICE)).toBe('in')
  expect(lookups).toEqual([ALICE])
})
