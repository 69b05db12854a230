// Handles in requests: how often the resolver is asked for one, and how a failed lookup is treated.

import { expect, test } from 'vitest'
import { createActorNames } from '../../../../src/http/xrpc/naming/actor-names.ts'
import {
  IdentityUnavailableError,
  UnansweredError,
} from '../../../../src/sources/identity/fetch-identity.ts'
import { didOf } from '../../../support/records.ts'

/** An empty index in front of a resolver that returns `answers` one after the other. */
function namesOver(answers: (string | Error | undefined)[], now = Date.now) {
  const requested: string[] = []
  const names = createActorNames({
    now,
    actors: {
      count: 0,
      uidOf: () => 0,
      didOf: () => '',
      hashOf: () => 0,
      flagsOf: () => 0,
      memberFollowersOf: () => 0,
      celebrities: () => [],
      authorMoves: 0,
    },
    accounts: {
      uidOfHandle: () => 0,
      uidsOfHandles: () => [],
      pdsOf: () => undefined,
      revOf: () => undefined,
      isActive: () => true,
    },
    resolver: {
      resolveHandle: async (handle) => {
        requested.push(handle)
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
    },
  })
  return { names, asked: requested }
}

const NOBODY = { who: undefined }
const UNTOLD = { status: 503, error: 'NotHereYet' }

test('looks up a handle that leads nowhere only once', async () => {
  const { names, asked: requested } = namesOver([undefined])
  expect(await names.find('nobody.example.com', NOBODY)).toBeUndefined()
  expect(await names.find('Nobody.example.com', NOBODY)).toBeUndefined()
  expect(requested).toEqual(['nobody.example.com'])
})

test('looks up a handle that led nowhere again after a minute', async () => {
  let nowMs = 1_000_000
  const { names, asked: requested } = namesOver([undefined, didOf('alice')], () => nowMs)
  expect(await names.find('alice.test', NOBODY)).toBeUndefined()
  nowMs += 59_000
  expect(await names.find('alice.test', NOBODY)).toBeUndefined()
  expect(requested).toHaveLength(1)
  nowMs += 2_000
  expect(await names.find('alice.test', NOBODY)).toMatchObject({ did: didOf('alice') })
})

test('does not remember a failed lookup as an unknown handle', async () => {
  const did = didOf('alice')
  const { names } = namesOver([new IdentityUnavailableError('too many look-ups at once'), did])
  await expect(names.find('alice.example.com', NOBODY)).rejects.toMatchObject(UNTOLD)
  expect(await names.find('alice.example.com', NOBODY)).toEqual({ did, uid: 0 })
})

test('asks servers that gave no answer again after half a minute, not at every request', async () => {
  let nowMs = 1_000_000
  const alice = didOf('alice')
  const { names, asked: requested } = namesOver([new UnansweredError('slow'), alice], () => nowMs)
  for (let i = 0; i < 3; i++) {
    await expect(names.find('alice.test', NOBODY)).rejects.toMatchObject(UNTOLD)
  }
  expect(requested).toHaveLength(1)
  nowMs += 31_000
  expect(await names.find('alice.test', NOBODY)).toMatchObject({ did: alice })
})
