// The S3 client against a store with faults: what is repeated, and what an operator is told.

import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Bucket } from '../../../src/features/off-site/bucket/bucket.ts'
import type { BucketError } from '../../../src/features/off-site/bucket/bucket-error.ts'
import { createS3, type S3Options } from '../../../src/features/off-site/bucket/s3.ts'
import { ACCESS_KEY, BUCKET, type Fault, type S3Double, startS3Double } from './s3-double.ts'

let store: S3Double

beforeEach(async () => {
  store = await startS3Double()
})

afterEach(() => store.close())

function bucket(options: Partial<S3Options> = {}): Bucket {
  return createS3(
    {
      url: `s3://${BUCKET}/a/b`,
      endpoint: store.endpoint,
      region: 'us-east-1',
      accessKeyId: ACCESS_KEY,
      secretAccessKey: 'secret',
      ...options,
    },
    { firstMs: 1, silentMs: 200 },
  )
}

const refusal = (work: Promise<unknown>): Promise<BucketError> =>
  work.then(
    () => Promise.reject(new Error('expected a refusal')),
    (error) => error,
  )

it('puts, gets, lists in pages, and removes, below its prefix', async () => {
  const here = bucket()
  const names = Array.from({ length: 120 }, (_, i) => `chunks/${String(i).padStart(3, '0')}`)
  for (const name of names) await here.put(name, Buffer.from(name))
  store.objects.set('a/other', Buffer.alloc(1))
  expect((await here.get(names[7]!)).toString()).toBe(names[7])
  expect((await here.list('chunks/')).map(({ name }) => name)).toEqual(names)
  await here.remove([...names, 'chunks/never-there'])
  expect([...store.objects.keys()]).toEqual(['a/other'])
})

it.each(['die', 'silent', 'out-of-order', 'truncate'] satisfies Fault[])(
  'repeats a request that fails once: %s',
  async (fault) => {
    const here = bucket()
    await here.put('x', Buffer.from('content'))
    let failed = 0
    store.fault = () => (failed++ === 0 ? fault : undefined)
    // A truncated object of the stated length is found by whoever opens it.
    const expected = fault === 'truncate' ? 'con' : 'content'
    expect((await here.get('x')).toString()).toBe(expected)
    failed = 0
    await here.put('y', Buffer.from('more'))
    expect(store.objects.get('a/b/y')?.toString()).toBe('more')
  },
)

it('gives up on a store that stays away, and says where it is', async () => {
  await bucket().put('x', Buffer.from('content'))
  store.requested.length = 0
  store.fault = () => 'die'
  const { message, hint, isPassing } = await refusal(bucket().get('x'))
  expect(message).toMatch(/^The store of s3:\/\/backups\/a\/b can’t be reached at http:/)
  expect(hint).toContain('SLIPSTREAM_OFF_SITE_ENDPOINT')
  expect(isPassing).toBe(true)
  expect(store.requested).toHaveLength(4)
  const away = await refusal(bucket({ endpoint: 'http://127.0.0.1:1' }).get('x'))
  expect(away.message).toContain('can’t be reached')
})

it.each([
  ['full', 'is full', 'SLIPSTREAM_OFF_SITE_KEEP_DAYS'],
  ['expired', 'the access key has expired', 'Make a new key'],
] as const)('does not repeat what will fail again: %s', async (fault, reported, hint) => {
  store.fault = () => fault
  const error = await refusal(bucket().put('x', Buffer.alloc(9)))
  expect(error.message).toContain(reported)
  expect(error.hint).toContain(hint)
  expect(store.requested).toHaveLength(1)
})

it('names a wrong key and a wrong bucket', async () => {
  expect((await refusal(bucket({ accessKeyId: 'other' }).get('x'))).message).toContain(
    'does not know this access key',
  )
  expect((await refusal(bucket({ url: 's3://elsewhere' }).get('x'))).message).toContain(
    'has no such bucket',
  )
  expect((await refusal(bucket().get('missing'))).isMissing).toBe(true)
})

it('takes the store’s clock if ours is wrong', async () => {
  store.aheadMs = 3 * 3_600_000
  const here = bucket()
  await here.put('x', Buffer.from('content'))
  await here.put('y', Buffer.from('content'))
  expect(store.requested).toEqual(['PUT a/b/x', 'PUT a/b/x', 'PUT a/b/y'])
})
