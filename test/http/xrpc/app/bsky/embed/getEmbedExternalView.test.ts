// app.bsky.embed.getEmbedExternalView, with the account's PDS in its place: the card, and when there is none.

import { afterEach, expect, test } from 'vitest'
import { cidOfRecord } from '../../../../../../src/base/atproto/record-cid.ts'
import type { JsonObject } from '../../../../../../src/base/util/json-object.ts'
import {
  DOCUMENT,
  documentRecord,
  PUBLICATION,
  publicationRecord,
} from '../../../../../support/long-form.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'

const NSID = 'app.bsky.embed.getEmbedExternalView'
const [alice, bob] = [didOf('alice'), didOf('bob')]
const URL_OF_ARTICLE = 'https://blog.example.org/2026/05/dovetails'
const ARTICLE = `at://${bob}/${DOCUMENT}/3kaaaaaaaaaaa`
const PUBLISHED = `at://${bob}/${PUBLICATION}/self`

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

/** A world whose PDS has these records, by at-URI, or does not answer. */
function withPds(records: Record<string, JsonObject> | 'down') {
  const requested: string[] = []
  const charges = { of: 0 }
  const w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    onMemberTime: () => (charges.of += 1),
    fetch: async (url) => {
      const { searchParams } = new URL(url)
      const named = ['repo', 'collection', 'rkey'].map((name) => searchParams.get(name))
      const uri = `at://${named.join('/')}`
      requested.push(uri)
      if (records === 'down') throw new Error('connection refused')
      const given = records[uri]
      const value = { $type: named[1], ...given }
      const answer = given ? { uri, cid: cidOfRecord(value), value } : { error: 'RecordNotFound' }
      const body = Buffer.from(JSON.stringify(answer))
      return { status: given ? 200 : 400, headers: new Headers(), body, url }
    },
  })
  world = w
  w.profile(bob, { displayName: 'Bob' })
  w.handle(bob, 'bob.test', 'https://pds.example')
  const ask = async (uris: string[], url = URL_OF_ARTICLE, viewer?: string) => {
    const { status, body } = await w.ask(NSID, { url, uris }, viewer)
    expect(status).toBe(200)
    return body as { view?: JsonObject; associatedRefs?: object[]; associatedRecords?: object[] }
  }
  return { w, asked: requested, ask, charges }
}

const both = { [ARTICLE]: documentRecord(PUBLISHED), [PUBLISHED]: publicationRecord() }

test('an article brings its publication, its whole records and its author', async () => {
  const { ask, asked: requested } = withPds(both)
  const { view, associatedRefs, associatedRecords } = await ask([ARTICLE])
  const { external } = view as { external: JsonObject }
  expect(external).toMatchObject({
    uri: URL_OF_ARTICLE,
    title: 'Dovetails by hand',
    readingTime: 3,
    source: { title: 'Notes from the shed' },
    associatedProfiles: [{ did: bob, handle: 'bob.test' }],
    associatedRefs,
  })
  expect(associatedRefs).toMatchObject([{ uri: ARTICLE }, { uri: PUBLISHED }])
  expect(associatedRecords).toMatchObject([
    { $type: DOCUMENT, tags: ['wood'] },
    { $type: PUBLICATION },
  ])
  expect(requested).toEqual([ARTICLE, PUBLISHED])
})

test('fetching and checking each record, and making the card, are charged to the call', async () => {
  const { ask, charges } = withPds(both)
  await ask([ARTICLE], URL_OF_ARTICLE, alice)
  // Asking, fetching, reading and checking each of two records, making the card, and the answer's own four.
  expect(charges.of).toBe(11)
})

test('a publication by itself', async () => {
  const { ask } = withPds(both)
  const { view } = await ask([PUBLISHED], 'https://blog.example.org/')
  expect(view).toMatchObject({ external: { title: 'Notes from the shed' } })
})

test.each([
  ['the records are elsewhere', both, [ARTICLE], 'https://blog.example.org/other'],
  ['the publication is missing', { [ARTICLE]: both[ARTICLE]! }, [ARTICLE], URL_OF_ARTICLE],
  ['the record is invalid', { [ARTICLE]: { title: 'x' } }, [ARTICLE], URL_OF_ARTICLE],
  ['nothing is there', {}, [ARTICLE, PUBLISHED], URL_OF_ARTICLE],
  ['the server is down', 'down' as const, [ARTICLE], URL_OF_ARTICLE],
  ['another kind of record is named', both, [`at://${bob}/app.bsky.feed.post/x`], URL_OF_ARTICLE],
])('the answer is empty if %s', async (_, records, uris, url) => {
  const { ask } = withPds(records as Record<string, JsonObject> | 'down')
  expect(await ask(uris, url)).toEqual({})
})

test('the answer is empty if the account is away, and its server is not asked', async () => {
  const { w, ask, asked: requested } = withPds(both)
  w.status(bob, 'deactivated')
  expect(await ask([ARTICLE])).toEqual({})
  expect(requested).toEqual([])
})
