// Articles and publications that link cards name: by version, and by key with an article's publication.

import type { Client, createClient } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import {
  cardEmbed,
  DOCUMENT,
  documentRecord,
  PUBLICATION,
  publicationRecord,
} from '../../support/long-form.ts'
import { cidOf, didOf } from '../../support/records.ts'
import { createWorld, type World } from '../../support/world.ts'
import { startCallsOver } from './dataplane-world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

let world: World
let dataplane: Awaited<ReturnType<typeof startCallsOver>>
let calls: Client<typeof Service>

beforeEach(async () => {
  world = createWorld({ members: ['alice'] })
  dataplane = await startCallsOver(world)
  calls = dataplane.calls as unknown as ReturnType<typeof createClient<typeof Service>>
})

afterEach(async () => {
  await dataplane.close()
  world.dispose()
})

const PUBLICATION_URI = `at://${bob}/${PUBLICATION}/self`
const DOCUMENT_URI = `at://${bob}/${DOCUMENT}/3kaaaaaaaaaaa`

/** Writes a record that a post names. */
function named(collection: string, rkey: string, record: ReturnType<typeof documentRecord>) {
  const cid = cidOf([bob, rkey, { $type: collection, ...record }])
  world.post(alice, { embed: cardEmbed([{ uri: `at://${bob}/${collection}/${rkey}`, cid }]) })
  world.write({ did: bob, collection, rkey, record, operation: 'update' })
  return cid
}

test('each version that a post names, and the last one by key', async () => {
  const first = named(PUBLICATION, 'self', publicationRecord())
  const second = named(PUBLICATION, 'self', publicationRecord({ name: 'Renamed' }))
  const article = named(DOCUMENT, '3kaaaaaaaaaaa', documentRecord(PUBLICATION_URI))
  const refs = [
    { uri: PUBLICATION_URI, cid: first },
    { uri: PUBLICATION_URI, cid: article },
    { uri: DOCUMENT_URI, cid: article },
    { uri: `at://${bob}/app.bsky.feed.post/x`, cid: article },
  ]
  const byRef = await calls.getSiteStandardRecordsByRef({ refs })
  expect(byRef.publications.map(({ ref }) => ref?.cid)).toEqual([first])
  expect(byRef.documents.map(({ ref }) => ref?.uri)).toEqual([DOCUMENT_URI])
  const json = JSON.parse(Buffer.from(byRef.documents[0]!.record!.record).toString())
  expect(json).toMatchObject({ $type: DOCUMENT, content: { $type: 'org.wordpress.html' } })
  const byUri = await calls.getSiteStandardRecordsByURI({ uris: [DOCUMENT_URI] })
  expect(byUri.documents.map(({ ref }) => ref?.cid)).toEqual([article])
  expect(byUri.publications.map(({ ref }) => ref?.cid)).toEqual([second])
})
