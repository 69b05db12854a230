// Look-ups of signing keys: few for strangers, none of them waited for without end, and as many as needed for others.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAccountKeys } from '../../../../src/features/verification/firehose/keys.ts'
import {
  readStoredKeys,
  writeStoredKeys,
} from '../../../../src/features/verification/firehose/stored-keys.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'

const signingKey = Object.values(recordedFrames().keys)[0]!
const OURS = 'did:plc:ours'

function start(
  answers: (did: string) => Promise<string | undefined>,
  perMinute = 3,
  cache?: Map<string, string>,
) {
  const requested: string[] = []
  let nowMs = 1_000_000
  const resolver = {
    async resolve(did: string) {
      requested.push(did)
      const key = await answers(did)
      return key === undefined ? undefined : ({ did, signingKey: key } as never)
    },
    doubt: () => undefined,
  }
  const isStranger = (did: string) => did !== OURS
  const keys = createAccountKeys(resolver, {
    isStranger,
    perMinute,
    now: () => nowMs,
    ...(cache && { cache }),
  })
  return { keys, asked: requested, pass: (ms: number) => (nowMs += ms) }
}

test('of strangers, so many a minute are looked up; of others, all', async () => {
  const { keys, asked: requested, pass } = start(async () => signingKey)
  const dids = ['a', 'b', 'c', 'd', 'e'].map((name) => `did:plc:${name}`)
  const found = await Promise.all(dids.map((did) => keys.get(did)))
  expect(found.map((key) => key !== undefined)).toEqual([true, true, true, false, false])
  expect(await keys.get(OURS)).toBeDefined()
  expect(requested).toEqual([...dids.slice(0, 3), OURS])
  pass(20_000)
  expect(await keys.get(dids[3]!)).toBeDefined()
  expect(await keys.get(dids[4]!)).toBeUndefined()
})

test('frames of one account that arrive together share a look-up, and one that fails rests for a minute', async () => {
  const { keys, asked: requested, pass } = start(async () => undefined)
  const did = 'did:plc:unknown'
  expect(await Promise.all([keys.get(did), keys.get(did)])).toEqual([undefined, undefined])
  expect(await keys.get(did)).toBeUndefined()
  expect(requested).toEqual([did])
  pass(60_000)
  await keys.get(did)
  expect(requested).toEqual([did, did])
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

test('keys from before a restart count at once, and are looked up again within the budget', async () => {
  const [old, fresh] = Object.values(recordedFrames().keys)
  const dids = ['a', 'b', 'c', 'd', 'e'].map((name) => `did:plc:${name}`)
  const {
    keys,
    asked: requested,
    pass,
  } = start(async () => fresh, 3, new Map(dids.map((did) => [did, old!])))
  const before = dids.map((did) => keys.peek(did))
  expect(before).toEqual(dids.map(() => verifyingKey(old!)))
  expect(requested).toEqual(dids.slice(0, 3))
  await new Promise((resolve) => setImmediate(resolve))
  expect(dids.map((did) => keys.peek(did) === verifyingKey(fresh!))).toEqual(
    dids.map((_, i) => i < 3),
  )
  pass(60_000)
  for (const did of dids) keys.peek(did)
  expect(requested).toEqual(dids)
  await new Promise((resolve) => setImmediate(resolve))
  expect(new Map(keys.all())).toEqual(new Map(dids.map((did) => [did, fresh!])))
})

test('a file of keys comes back as it was, and what is damaged in it is no key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'account-keys-'))
  const path = join(folder, 'account-keys')
  const keys = [
    ['did:plc:a', signingKey],
    ['did:web:example.org', signingKey],
  ] as const
  expect(readStoredKeys(path)).toEqual(new Map())
  await writeStoredKeys(path, keys)
  expect(readStoredKeys(path)).toEqual(new Map(keys))
  writeFileSync(path, `\0\0${readFileSync(path, 'latin1')}did:plc:b did:key:z6`)
  const left = readStoredKeys(path)
  expect([...left.keys()]).toEqual(['did:web:example.org'])
  writeFileSync(path, `did:plc:c ${signingKey.slice(0, -4)}1111\n`)
  const { keys: damaged, asked: requested } = start(async () => signingKey, 3, readStoredKeys(path))
  const found = await damaged.get('did:plc:c')
  expect([found === undefined, requested]).toEqual([false, ['did:plc:c']])
  rmSync(folder, { recursive: true })
})
