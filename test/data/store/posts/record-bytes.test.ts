// Stored records are read back byte for byte, packed or not, by every way of reading them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unpackRkey } from '../../../../src/base/atproto/keys.ts'
import type { JsonObject } from '../../../../src/base/util/json-object.ts'
import { findPostById, postRecord } from '../../../../src/data/store/posts/posts.ts'
import { packRecord, recordText } from '../../../../src/data/store/posts/record-bytes.ts'
import { preparePosts } from '../../../../src/data/store/read/posts/posts.ts'
import { createRecords } from '../../../../src/data/store/read/records/records-by-key.ts'
import { createRandom } from '../../../support/random.ts'
import { blobOf, cidOf } from '../../../support/records.ts'
import { postOf } from '../../../support/rows.ts'
import { postText } from '../../../support/simulated-network/words.ts'
import { createWorld, type World } from '../../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 77)

let world: World

beforeEach(() => {
  world = createWorld({ scope: 'network' })
})

afterEach(() => world.dispose())

function longRecord(): JsonObject {
  const images = [1, 2].map((i) => ({ alt: `Picture ${i} 🌊`, image: blobOf(`picture ${i}`) }))
  return { langs: ['en'], embed: { $type: 'app.bsky.embed.images', images } }
}

describe('a stored record', () => {
  it(`is read back byte for byte, whatever its content (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    for (let i = 0; i < 500; i++) {
      const text = Array.from({ length: random.below(40) }, () => postText(random)).join(' ')
      const record = { $type: 'app.bsky.feed.post', text, ref: cidOf(i), noise: random.next() }
      const json = Buffer.from(JSON.stringify(record))
      const packed = packRecord(json)
      expect(recordText(packed)).toBe(json.toString())
      expect(packed.length).toBeLessThanOrEqual(json.length)
      if (json.length < 300) expect(packed).toBe(json)
    }
    const noise = Buffer.from(`{${Array.from({ length: 900 }, () => random.below(1e9)).join()}}`)
    expect(recordText(packRecord(noise))).toBe(noise.toString())
  })

  it('that is long takes less than half of its JSON, and is read whole everywhere', () => {
    const author = world.account('author')
    const made = world.post(author, { text: 'Long enough '.repeat(10), more: longRecord() })
    const { id } = postOf(world, made)!
    const json = postRecord(world.db, id)!
    const stored = world.db
      .prepare<[number], number>('SELECT length(record) FROM posts WHERE id = ?')
      .pluck()
      .get(id)!
    expect(stored).toBeLessThan(json.length / 2)
    expect(JSON.parse(json)).toMatchObject({ text: 'Long enough '.repeat(10), ...longRecord() })
    const [[, , , column]] = preparePosts(world.reader).texts([id]) as [
      [number, unknown, unknown, Buffer, unknown, unknown],
    ]
    expect(recordText(column)).toBe(json)
    const { uid, rkey } = findPostById(world.db, id)!
    const key = { uid, collection: 'app.bsky.feed.post', rkey: unpackRkey(rkey) }
    expect(createRecords(world.reader).find(key)).toMatchObject({ value: JSON.parse(json) })
  })

  it('that is torn counts as missing', () => {
    const json = Buffer.from(JSON.stringify(longRecord()))
    const packed = packRecord(json)
    expect(packed.length).toBeLessThan(json.length)
    for (let length = 1; length < packed.length; length += 7) {
      expect(recordText(packed.subarray(0, length))).toBe(null)
    }
    expect(recordText(Buffer.from([1, 255, 255, 255]))).toBe(null)
    expect(recordText(null)).toBe(null)
  })

  it('that an older database holds as JSON is read unchanged', () => {
    const made = world.post(world.account('author'), 'short')
    const { id } = postOf(world, made)!
    const old = JSON.stringify({ $type: 'app.bsky.feed.post', text: 'x'.repeat(900) })
    world.db.prepare('UPDATE posts SET record = ? WHERE id = ?').run(Buffer.from(old), id)
    expect(postRecord(world.db, id)).toBe(old)
  })
})
