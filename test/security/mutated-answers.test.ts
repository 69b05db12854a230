// Valid answers with random changes: DID documents, pages and records of a PDS. Their
// readers reject them with an error type of their own, and throw nothing unexpected.

import { test } from 'vitest'
import { cidOfRecord } from '../../src/base/atproto/record-cid.ts'
import { fetchIdentity } from '../../src/sources/identity/fetch-identity.ts'
import { createPdsClient } from '../../src/sources/pds/pds-client.ts'
import { PdsError } from '../../src/sources/pds/pds-error.ts'
import { expectMutatedRead } from '../support/mutated-read.ts'
import { createKeypair, didDocument, plcDid } from '../support/plc-double.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'

const SEED = testSeed('mutated answers')
const did = plcDid('mutated')
const POST = 'app.bsky.feed.post'
const keypair = await createKeypair()

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
])(`%s (seed ${SEED})`, (_what, honest, read, word) =>
  expectMutatedRead(honest, { read, word, random: createRandom(SEED) }),
)
