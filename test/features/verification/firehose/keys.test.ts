// Look-ups of signing keys: few for strangers, none of them waited for without end, and as many as needed for others.

import { expect, test } from 'vitest'
import { createAccountKeys } from '../../../../src/features/verification/firehose/keys.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'

const signingKey = Object.values(recordedFrames().keys)[0]!
const OURS = 'did:plc:ours'

function start(answers: (did: string) => Promise<string | undefined>, perMinute = 3) {
  const asked: string[] = []
  let nowMs = 1_000_000
  const resolver = {
    async resolve(did: string) {
      asked.push(did)
      const key = await answers(did)
      return key === undefined ? undefined : ({ did, signingKey: key } as never)
    },
    doubt: () => undefined,
  }
  const isStranger = (did: string) => did !== OURS
  const keys = createAccountKeys(resolver, { isStranger, perMinute, now: () => nowMs })
  return { keys, asked, pass: (ms: number) => (nowMs += ms) }
}

test('of strangers, so many a minute are looked up; of others, all', async () => {
  const { keys, asked, pass } = start(async () => signingKey)
  const dids = ['a', 'b', 'c', 'd', 'e'].map((name) => `did:plc:${name}`)
  const found = await Promise.all(dids.map((did) => keys.get(did)))
  expect(found.map((key) => key !== undefined)).toEqual([true, true, true, false, false])
  expect(await keys.get(OURS)).toBeDefined()
  expect(asked).toEqual([...dids.slice(0, 3), OURS])
  pass(20_000)
  expect(await keys.get(dids[3]!)).toBeDefined()
  expect(await keys.get(dids[4]!)).toBeUndefined()
})

test('frames of one account that arrive together share a look-up, and one that fails rests for a minute', async () => {
  const { keys, asked, pass } = start(async () => undefined)
  const did = 'did:plc:unknown'
  expect(await Promise.all([keys.get(did), keys.get(did)])).toEqual([undefined, undefined])
  expect(await keys.get(did)).toBeUndefined()
  expect(asked).toEqual([did])
  pass(60_000)
  await keys.get(did)
  expect(asked).toEqual([did, did])
})

test('a stranger’s key that does not come is not waited for; ours is', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { keys } = start(() => promise)
  const ours = keys.get(OURS)
  expect(await keys.get('did:plc:late')).toBeUndefined()
  resolve(signingKey)
  expect(await ours).toBeDefined()
  // It came after all.
  expect(keys.peek('did:plc:late')).toBeDefined()
})
