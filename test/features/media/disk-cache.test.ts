// The cache of files stays within its limit whatever is written, and returns what was written whatever is
// read.

import { hash } from 'node:crypto'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HEAD_BYTES, makeEntry, sealHead } from '../../../src/features/media/cache/cache-entry.ts'
import { createDiskCache, type DiskCache } from '../../../src/features/media/cache/disk-cache.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const random = createRandom(testSeed('disk cache'))

async function freshCache(maxBytes: number, folder?: string) {
  const warnings: unknown[] = []
  const clock = { now: Date.now() }
  const position = folder ?? (await mkdtemp(join(tmpdir(), 'slipstream-cache-')))
  const log = { warn: (...line: unknown[]) => void warnings.push(line), debug: () => undefined }
  const cache = createDiskCache({ folder: position, maxBytes, log, now: () => clock.now })
  return { cache, folder: position, warnings, clock }
}

async function write(
  cache: DiskCache,
  key: string,
  { body, ...entry }: ReturnType<typeof makeEntry>,
): Promise<void> {
  const path = await cache.reserve()
  await writeFile(path, [sealHead({ ...entry, length: body.length }), body])
  await cache.add(key, path)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function bytesIn(folder: string): number {
  return filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0)
}

test('the writes of two threads keep the folder within its limit and its sixteenths', async () => {
  const maxBytes = 400_000
  const first = await freshCache(maxBytes)
  const second = await freshCache(maxBytes, first.folder)
  for (let i = 0; i < 150; i++) {
    const { cache } = random.chance(0.5) ? first : second
    const body = Buffer.alloc(random.below(8000), i)
    const key = `key ${random.below(200)}`
    await write(cache, key, makeEntry('image/webp', body))
    await cache.settled()
    expect(bytesIn(first.folder)).toBeLessThanOrEqual(maxBytes * (1 + 2 / 16) + 8000 + HEAD_BYTES)
    const found = await cache.read(key)
    if (found) expect(found.body.equals(body)).toBe(true)
  }
  expect(bytesIn(first.folder)).toBeGreaterThan(maxBytes / 2)
  expect([first.warnings, second.warnings]).toEqual([[], []])
})

test('the most recently used stay, even if written first', async () => {
  const { cache, folder, clock } = await freshCache(20_000)
  const body = Buffer.alloc(1000)
  for (let i = 0; i < 10; i++) await write(cache, `old ${i}`, makeEntry('image/webp', body))
  for (const path of filesIn(folder))
    utimesSync(path, clock.now / 1000 - 7200, clock.now / 1000 - 7200)
  await cache.read('old 3')
  // Six or seven must be evicted, depending on which write triggers a sweep.
  for (let i = 0; i < 12; i++) {
    await write(cache, `new ${i}`, makeEntry('image/webp', body))
    await cache.settled()
  }
  expect(await cache.read('old 3')).toBeDefined()
  const left = await Promise.all([0, 1, 2, 4, 5, 6, 7, 8, 9].map((i) => cache.read(`old ${i}`)))
  expect(left.filter((cacheEntry) => cacheEntry !== undefined).length).toBeLessThan(4)
})

test('files left half written by a crash are removed once old', async () => {
  const { cache, folder, clock } = await freshCache(1_000_000)
  await write(cache, 'a', makeEntry('image/webp', Buffer.alloc(10)))
  const shard = join(folder, readdirSync(folder)[0]!)
  await writeFile(join(shard, '.tmp-left'), 'half')
  await writeFile(join(shard, '.tmp-fresh'), 'half')
  utimesSync(join(shard, '.tmp-left'), clock.now / 1000 - 3600, clock.now / 1000 - 3600)
  await cache.settled()
  const restarted = await freshCache(1_000_000, folder)
  await write(restarted.cache, 'b', makeEntry('image/webp', Buffer.alloc(10)))
  await restarted.cache.settled()
  const names = filesIn(folder).map((path) => path.split('/').at(-1))
  expect(names).toContain('.tmp-fresh')
  expect(names).not.toContain('.tmp-left')
})

test('a failed write is a warning and leaves nothing behind', async () => {
  const { cache, warnings, folder } = await freshCache(1000)
  const path = await cache.reserve()
  await writeFile(path, 'whole')
  await writeFile(join(folder, hash('sha256', 'a').slice(0, 2)), 'in the way')
  await cache.add('a', path)
  expect(await cache.read('a')).toBeUndefined()
  expect(warnings).toHaveLength(2)
  expect(filesIn(folder)).toHaveLength(1)
})

test('an opened entry is checked by its length', async () => {
  const { cache, folder } = await freshCache(1_000_000)
  await write(cache, 'v', makeEntry('video/mp4', Buffer.from('0123456789')))
  const opened = await cache.open('v')
  expect(opened).toMatchObject({ contentType: 'video/mp4', length: 10 })
  await opened!.file.close()
  await writeFile(filesIn(folder)[0]!, 'torn')
  expect(await cache.open('v')).toBeUndefined()
  expect(filesIn(folder)).toEqual([])
})
