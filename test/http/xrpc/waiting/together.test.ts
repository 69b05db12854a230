// Calls that waited for the same thing and go on together, as all do whose subject a public AppView was asked
// about: each goes on when its caller has a turn, and others come between.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../src/base/config/config.ts'
import { createOverload } from '../../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../../src/http/overload/rate-limits.ts'
import type { MethodResult } from '../../../../src/http/server/method.ts'
import type { Call } from '../../../../src/http/xrpc/call.ts'
import { upToDate } from '../../../../src/http/xrpc/waiting/up-to-date.ts'

const CALLS = 16
/** Longer than calls may run before sockets are read. */
const LONG_MS = 6
const config = loadConfig({}, '/nowhere/.env')
const never = () => {
  throw new Error('nothing is missing')
}

const parts = {
  fetchRequests: { ask: never },
  missingWaits: { fresh: never, awaited: never },
  nameWaits: { unnamed: () => [], awaited: never },
  publishedRev: () => undefined,
  unknownThings: { among: never },
} as unknown as Parameters<typeof upToDate>[0]

test('calls that waited for the same go on in turns, and are charged for them', async () => {
  const overload = createOverload({ config, buffers: createRateBuffers() })
  const perTurn: number[] = []
  let ran = 0
  const handler = (): MethodResult => {
    ran += 1
    const until = performance.now() + LONG_MS
    while (performance.now() < until);
    return { body: {} }
  }
  const own = upToDate(parts, { nsid: 'a.b.c', kind: 'query' } as never, handler)
  const { promise: theirAnswer, resolve } = Promise.withResolvers<void>()
  const callers = Array.from({ length: CALLS }, (_, i) =>
    overload.admit(requestFrom(`203.0.113.${i}`), undefined, 1),
  )
  const calls = callers.map(async ({ time }) => {
    const missing = { isEmpty: true, cards: new Map() }
    await theirAnswer
    return own({ time, reader: { missing } } as unknown as Call)
  })
  const watching = (async () => {
    for (let before = 0; ran < CALLS; before += perTurn.at(-1)!) {
      await nextTurn()
      perTurn.push(ran - before)
    }
  })()
  resolve()
  expect(await Promise.all(calls)).toEqual(Array(CALLS).fill({ body: {} }))
  await watching
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2)
  expect(callers.every(({ time }) => time.usedMs > 0)).toBe(true)
})

function requestFrom(remoteAddress: string) {
  return { header: () => undefined, remoteAddress, limitHeaders: undefined }
}
