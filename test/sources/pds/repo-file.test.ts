// The file of a repository: every record of a collection comes out of it, and a hostile or torn one is a bad answer
// within the bounds of time and memory.

import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import { expect, test } from 'vitest'
import { bytesOfCid, unpackCid } from '../../../src/base/atproto/keys.ts'
import { PdsError } from '../../../src/sources/pds/pds-error.ts'
import { collectionPages } from '../../../src/sources/pds/repo-file.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { carOf, repoFileOf } from '../../support/repo-file.ts'
import { testSeed } from '../../support/seed.ts'
import { createRepository } from '../../support/simulated-network/repository.ts'

const POST = 'app.bsky.feed.post'
const did = didOf('alice')
const random = createRandom(testSeed('repo-file'))

function account(posts: number) {
  const repository = createRepository({ did, handle: 'alice.test', clockId: 1 })
  for (let i = 0; i < posts; i++) {
    const atMs = 1_790_000_000_000 + i * 1_000
    repository.put({ collection: POST, value: { text: `post ${i}` }, atMs })
    repository.put({ collection: 'app.bsky.feed.like', value: { n: i }, atMs })
    repository.put({ collection: 'app.bsky.feed.postgate', value: { n: i }, atMs })
  }
  return { ...repository, rev: '3zzzzzzzzzzzz', lastWrites: new Map(), state: 'active' as const }
}

async function read(car: Buffer, of = did) {
  const wanted = { did: of, collection: POST, fetchedAt: 0 }
  const keys: string[] = []
  const broken: string[] = []
  for await (const page of collectionPages(car, wanted, new AbortController().signal)) {
    keys.push(...page.keys)
    broken.push(...page.broken)
  }
  return { keys, broken }
}

const isBad = (error: unknown) => error instanceof PdsError && error.reason === 'bad-answer'

test.each([0, 1, 2, 700])(
  'has all %i records, newest first, in whatever order its blocks are',
  async (count) => {
    const alice = account(count)
    const keys = [...(alice.collections.get(POST)?.keys() ?? [])].reverse()
    expect(await read(repoFileOf(alice))).toEqual({ keys, broken: [] })
    const shuffled = repoFileOf(alice, (blocks) => blocks.sort(() => random.next() - 0.5))
    expect(await read(shuffled)).toEqual({ keys, broken: [] })
  },
)

test('of another account is a bad answer', async () => {
  await expect(read(repoFileOf(account(3)), didOf('bob'))).rejects.toSatisfy(isBad)
})

test('without some of its records has the others', async () => {
  const alice = account(5)
  const [lost] = alice.collections.get(POST)!.values()
  const car = repoFileOf(alice, (blocks) => blocks.filter(({ cid }) => cid !== lost!.cid))
  const { keys, broken } = await read(car)
  expect(keys).toHaveLength(5)
  expect(broken).toEqual([lost!.rkey])
})

test('torn or altered anywhere is a bad answer, or loses what was altered', async () => {
  const car = repoFileOf(account(20))
  const { keys } = await read(car)
  for (let i = 0; i < 300; i++) {
    const torn = car.subarray(0, random.below(car.length))
    const altered = Buffer.from(car)
    altered[random.below(car.length)]! ^= 1 << random.below(8)
    for (const file of [torn, altered]) {
      const result = await read(file).catch((error: unknown) => error)
      if (isBad(result)) continue
      expect(keys).toEqual((result as { keys: string[] }).keys)
    }
  }
})

/** A file whose tree has these nodes; each is made from the CIDs of those before it. */
function crafted(nodes: ((cids: string[]) => object)[]): Buffer {
  const blocks: { cid: string; bytes: Uint8Array }[] = []
  const put = (value: object): string => {
    const bytes = encode(jsonToLex(value as never))
    const cid = unpackCid(createHash('sha256').update(bytes).digest())
    blocks.push({ cid, bytes })
    return cid
  }
  const cids: string[] = []
  for (const node of nodes) cids.push(put(node(cids)))
  const root = put({ did, version: 3, data: { $link: cids.at(-1)! }, rev: 'x', prev: null })
  return carOf(root, blocks)
}

const entry = (key: string, cid: string, right?: string) => ({
  p: 0,
  k: { $bytes: Buffer.from(key).toString('base64').replace(/=+$/, '') },
  v: { $link: cid },
  t: right === undefined ? null : { $link: right },
})

test.each([
  [
    'names one branch twice, on every level',
    Array.from({ length: 60 }, (_, i) => (cids: string[]) => {
      const below = cids.at(-1)
      if (below === undefined) return { l: null, e: [] }
      return {
        l: { $link: below },
        e: [entry(`${POST}/${String(i).padStart(3, '0')}`, below, below)],
      }
    }),
  ],
  [
    'is deeper than any',
    Array.from({ length: 5_000 }, (_, i) => (cids: string[]) => ({
      l: i === 0 ? null : { $link: cids.at(-1)! },
      e: [],
    })),
  ],
  [
    'is out of order',
    [
      () => ({ l: null, e: [] }),
      ([cid]: string[]) => ({ l: null, e: [entry(`${POST}/b`, cid!), entry(`${POST}/a`, cid!)] }),
    ],
  ],
  [
    'shares more of a key than there is',
    [() => ({ l: null, e: [{ ...entry('x', unpackCid(Buffer.alloc(32))), p: 7 }] })],
  ],
])('whose tree %s is a bad answer', async (_, nodes) => {
  await expect(read(crafted(nodes))).rejects.toSatisfy(isBad)
})

test('keys that no record may have are left out', async () => {
  const cid = unpackCid(Buffer.alloc(32))
  const keys = ['', '.', '..', 'a/b', 'good', 'sp ace']
  const nodes = [() => ({ l: null, e: keys.map((key) => entry(`${POST}/${key}`, cid)) })]
  expect((await read(crafted(nodes))).keys).toEqual(['good'])
  expect(bytesOfCid(cid)).toHaveLength(36)
})
