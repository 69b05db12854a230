// The records behind a link's card, labelled or taken down: the card says the labels, and is a plain link while one of
// the records or their account is hidden. Everything is read twice, the second time from the cache.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cidOfRecord } from '../../../src/base/atproto/record-cid.ts'
import type { ModerationDecision } from '../../../src/bridge/messages.ts'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import {
  cardEmbed,
  DOCUMENT,
  documentRecord,
  PUBLICATION,
  publicationRecord,
} from '../../support/long-form.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const [alice, bob, carol, labeler] = ['alice', 'bob', 'carol', 'labeler'].map(didOf) as [
  string,
  string,
  string,
  string,
]
const ARTICLE = `at://${carol}/${DOCUMENT}/3kaaaaaaaaaaa`
const PUBLISHED = `at://${carol}/${PUBLICATION}/self`
const RECORDS = { [ARTICLE]: documentRecord(PUBLISHED), [PUBLISHED]: publicationRecord() }
const REDACTING = { 'atproto-accept-labelers': `${labeler};redact` }
const LABELLING = { 'atproto-accept-labelers': labeler }

type Card = { source?: { title: string }; labels?: { val: string; uri: string }[] }
type Feed = { feed: { post: { embed: { external: Card } } }[] }
type Preview = { view?: { external: Card } }

let w: ServingWorld

/** Alice follows bob, whose post names carol's article; carol's server has it. */
beforeEach(() => {
  w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    labelers: [labeler],
    fetch: async (url) => {
      const { searchParams } = new URL(url)
      const named = ['repo', 'collection', 'rkey'].map((name) => searchParams.get(name))
      const uri = `at://${named.join('/')}`
      const value = { $type: named[1], ...RECORDS[uri] }
      const body = Buffer.from(JSON.stringify({ uri, cid: cidOfRecord(value), value }))
      return { status: 200, headers: new Headers(), body, url }
    },
  })
  for (const did of [alice, bob, carol, labeler]) w.profile(did)
  w.handle(carol, 'carol.test', 'https://pds.example')
  w.follow(alice, bob)
  const records = [ARTICLE, PUBLISHED].map((uri) => {
    const [, , did, collection, rkey] = uri.split('/') as [string, string, string, string, string]
    const events = w.hold(() => void w.write({ did, collection, rkey, record: RECORDS[uri]! }))
    return { uri, cid: (events[0] as unknown as { cid: string }).cid, events }
  })
  w.post(bob, { embed: cardEmbed(records) })
  for (const { events } of records) w.apply(events)
})
afterEach(() => w.dispose())

/** In a feed, and while a post is being written. */
const positions: [name: string, read: (headers: Record<string, string>) => Promise<Card>][] = [
  [
    'in a feed',
    async (headers) => {
      const { body } = await w.ask<Feed>('app.bsky.feed.getTimeline', {}, alice, headers)
      return body.feed[0]!.post.embed.external
    },
  ],
  [
    'in a preview',
    async (headers) => {
      const query = { url: 'https://blog.example.org/2026/05/dovetails', uris: [ARTICLE] }
      const nsid = 'app.bsky.embed.getEmbedExternalView'
      const { body } = await w.ask<Preview>(nsid, query, alice, headers)
      return body.view?.external ?? {}
    },
  ],
]

async function twice(read: () => Promise<Card>): Promise<Card> {
  const first = await read()
  expect(await read()).toEqual(first)
  return first
}

function label(uri: string, val: string, neg = false): void {
  const cts = neg ? '2026-11-02T00:00:00.000Z' : '2026-11-01T00:00:00.000Z'
  const record = { uri, val, cts, neg, cid: undefined, exp: undefined }
  w.run((ctx) => applyLabels(ctx, labeler, [record]))
}

function moderate(act: ModerationDecision['act'], subject: string): void {
  w.run((ctx) => void decide(ctx, { act, subject, by: 'tester', reason: 'a test' }))
}

describe.each(positions)('%s', (_, read) => {
  const isCard = async (headers = REDACTING as Record<string, string>) =>
    (await twice(() => read(headers))).source !== undefined

  test('labels on its records are on the card', async () => {
    label(ARTICLE, 'spoiler')
    label(PUBLISHED, 'rude')
    const { labels = [] } = await twice(() => read(LABELLING))
    expect(labels.map(({ uri, val }) => `${val} ${uri}`).sort()).toEqual([
      `rude ${PUBLISHED}`,
      `spoiler ${ARTICLE}`,
    ])
    label(PUBLISHED, 'rude', true)
    expect((await twice(() => read(LABELLING))).labels).toHaveLength(1)
  })

  test.each([
    ['article', ARTICLE],
    ['publication', PUBLISHED],
    ['account', carol],
  ])('a labeler that may redact takes down the %s', async (_of, subject) => {
    expect(await isCard()).toBe(true)
    label(subject, '!takedown')
    expect([await isCard(), await isCard(LABELLING)]).toEqual([false, true])
    label(subject, '!takedown', true)
    expect(await isCard()).toBe(true)
  })

  test.each([
    ['article', ARTICLE],
    ['publication', PUBLISHED],
    ['account', carol],
  ])('the operator hides the %s', async (_of, subject) => {
    moderate('hide', subject)
    expect(await isCard(LABELLING)).toBe(false)
    moderate('show', subject)
    expect(await isCard(LABELLING)).toBe(true)
  })
})
