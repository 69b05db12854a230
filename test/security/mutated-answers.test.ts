// Valid answers with random changes: DID documents, pages and records of a PDS, playlists, captions. Their
// readers reject them with an error type of their own, and throw nothing unexpected.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readPlaylist, UnfitPlaylist } from '../../src/features/media/hls/read-playlist.ts'
import { readCues, UnfitCaptions, writeVtt } from '../../src/features/media/hls/vtt.ts'
import { fetchIdentity } from '../../src/sources/identity/fetch-identity.ts'
import { createPdsClient } from '../../src/sources/pds/pds-client.ts'
import { PdsError } from '../../src/sources/pds/pds-error.ts'
import { cidOfRecord } from '../../src/sources/pds/record-cid.ts'
import { mutated } from '../support/mutated.ts'
import { createKeypair, didDocument, plcDid } from '../support/plc-double.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'

const SEED = testSeed('mutated answers')
const ROUNDS = 3_000
const did = plcDid('mutated')
const POST = 'app.bsky.feed.post'
const keypair = await createKeypair()

const vtt = Buffer.from(
  'WEBVTT\n\nNOTE hello\n\n1\n00:01.000 --> 00:04.000 align:left\n<b>Never</b> drink\n\n00:05.000 --> 00:09.000\n- It &amp; will\n',
)
const master = Buffer.from(
  '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=688540,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360\n360p/video.m3u8\n',
)
const media = readFileSync(new URL('../fixtures/video/service/360p/video.m3u8', import.meta.url))
const document = Buffer.from(
  JSON.stringify(
    didDocument({ did, handle: 'a.test', pds: 'https://pds.test', signingKey: keypair.did() }),
  ),
)
const value = { $type: POST, text: 'hello', createdAt: '2026-01-01T00:00:00Z', langs: ['en'] }
const record = { uri: `at://${did}/${POST}/3jzfcijpj2z2a`, cid: cidOfRecord(value), value }
const page = Buffer.from(JSON.stringify({ cursor: '3jzfcijpj2z2a', records: [record, record] }))

const answering = (body: Buffer) => async (url: string) => {
  return { status: 200, headers: new Headers(), body, url }
}
const repo = { pds: 'https://pds.test', did }
const resolve = (uri: string) => {
  if (!URL.canParse(uri, 'https://video.test/')) throw new UnfitPlaylist('nowhere')
  return new URL(uri, 'https://video.test/').href
}

type Reader = [what: string, honest: Buffer, read: (bytes: Buffer) => unknown, word?: unknown]

test.each<Reader>([
  [
    'a DID document',
    document,
    (bytes) => fetchIdentity(did, { fetch: answering(bytes), plcUrl: 'https://plc.test' }),
  ],
  [
    'a page of records',
    page,
    (bytes) => createPdsClient({ fetch: answering(bytes) }).listRecords(repo, { collection: POST }),
    PdsError,
  ],
  [
    'a record',
    Buffer.from(JSON.stringify(record)),
    (bytes) =>
      createPdsClient({ fetch: answering(bytes) }).getRecord(repo, {
        collection: POST,
        rkey: '3jzfcijpj2z2a',
      }),
    PdsError,
  ],
  ['a master playlist', master, (bytes) => readPlaylist(bytes, resolve), UnfitPlaylist],
  ['a playlist', media, (bytes) => readPlaylist(bytes, resolve), UnfitPlaylist],
  ['captions', vtt, (bytes) => writeVtt(readCues(bytes)), UnfitCaptions],
])(`%s (seed ${SEED})`, async (_what, honest, read, word) => {
  const random = createRandom(SEED)
  await read(honest)
  let good = 0
  let bad = 0
  for (let i = 0; i < ROUNDS; i++) {
    const bytes = mutated(honest, random)
    try {
      await read(bytes)
      good += 1
    } catch (error) {
      if (!word) throw error
      expect(error, bytes.toString()).toBeInstanceOf(word)
      bad += 1
    }
  }
  expect(good).toBeGreaterThan(0)
  expect(bad > 0).toBe(word !== undefined)
})
