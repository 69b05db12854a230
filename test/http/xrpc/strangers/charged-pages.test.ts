// Reading on in a stranger's page: whether the stored posts fill it is read in a turn of the call, though the
// call waited before.

import { expect, test } from 'vitest'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { countFrom } from '../../../../src/http/server/wait-left.ts'
import { createStrangersPages } from '../../../../src/http/xrpc/strangers/strangers-pages.ts'
import { didOf } from '../../../support/records.ts'

const [UID, DOWN_TO, CLOCK_MS] = [1, 1_000, 7]

test('a look at the stored posts is charged', async () => {
  const eve = { did: didOf('eve'), uid: UID }
  const pages = createStrangersPages({
    actors: { uidOf: () => UID },
    underWay: { page: () => false, readTo: () => DOWN_TO },
    fetchRequests: { ask: () => Promise.resolve() },
    isStored: () => false,
  })
  let atMs = 0
  let usedMs = 0
  const onUsed = (ms: number) => {
    usedMs = ms
  }
  const time = new CallTime({ turnMs: 20, clock: () => atMs, onUsed })
  const { signal } = new AbortController()
  countFrom(signal, { arrivedAt: Date.now(), time })
  const isFull = () => {
    atMs += CLOCK_MS
    return true
  }
  const request = { viewer: { uid: UID + 1, did: didOf('alice') }, signal }
  await Promise.resolve()
  await pages.olderAwaited(eve, { cursor: undefined, isFull }, request)
  expect(usedMs).toBe(CLOCK_MS)
})
