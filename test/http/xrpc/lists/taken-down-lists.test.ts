// A moderation list that the viewer's labeler took down, or whose creator it took down, no longer blocks or
// mutes, between the viewer and others or between authors; without that labeler, or its right to redact, it
// still does. While its creator is deactivated, it has no effect for anyone.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyLabels } from '../../../../src/ingest/indexing/moderation/label.ts'
import { didOf } from '../../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingWorld,
} from '../../../support/serving-world.ts'
import type { RecordId } from '../../../support/world.ts'

const LABELER = didOf('labeler')
const REDACTING = { 'atproto-accept-labelers': `${LABELER};redact` }
const LABELLING = { 'atproto-accept-labelers': LABELER }

let w: ServingWorld
let list: RecordId
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice'], labelers: [LABELER] })
  for (const did of [alice, bob, carol, LABELER]) w.profile(did)
  w.follow(alice, bob)
  const purpose = 'app.bsky.graph.defs#modlist'
  list = w.create(carol, 'app.bsky.graph.list', { name: 'boors', purpose })
  w.create(carol, 'app.bsky.graph.listitem', { list: list.uri, subject: bob })
  w.post(bob, 'by bob')
})
afterEach(() => w.dispose())

function takeDown(uri: string): void {
  say({ uri, cts: '2026-11-01T00:00:00.000Z', neg: false })
}

function withdraw(uri: string): void {
  say({ uri, cts: '2026-11-02T00:00:00.000Z', neg: true })
}

function say(reported: { uri: string; cts: string; neg: boolean }): void {
  const label = { ...reported, val: '!takedown', cid: undefined, exp: undefined }
  w.run((ctx) => applyLabels(ctx, LABELER, [label]))
}

/** Reads twice each, the second time from the cache, alternating between both kinds of requests. */
async function seen(): Promise<{ redacting: boolean[]; labelling: boolean[] }> {
  const read = async (headers: Record<string, string>) => {
    const feed = await w.ask('app.bsky.feed.getTimeline', {}, alice, headers)
    const profile = await w.ask<{ viewer: { blocking?: string; muted: boolean } }>(
      'app.bsky.actor.getProfile',
      { actor: bob },
      alice,
      headers,
    )
    const { blocking, muted } = profile.body.viewer
    const isVisible = JSON.stringify(feed.body).includes('by bob')
    expect(isVisible).toBe(blocking === undefined && !muted)
    return isVisible
  }
  const found = { redacting: [] as boolean[], labelling: [] as boolean[] }
  for (let i = 0; i < 2; i++) {
    found.redacting.push(await read(REDACTING))
    found.labelling.push(await read(LABELLING))
  }
  return found
}

const HIDDEN = { redacting: [false, false], labelling: [false, false] }
const PRESENTED_TO_REDACTING = { redacting: [true, true], labelling: [false, false] }

test('lifts a block by list', async () => {
  w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
  expect(await seen()).toEqual(HIDDEN)
  takeDown(list.uri)
  expect(await seen()).toEqual(PRESENTED_TO_REDACTING)
})

test('lifts a mute by list', async () => {
  await w.tell('app.bsky.graph.muteActorList', { list: list.uri }, alice)
  expect(await seen()).toEqual(HIDDEN)
  takeDown(list.uri)
  expect(await seen()).toEqual(PRESENTED_TO_REDACTING)
})

test('a takedown of the creator lifts the list’s block', async () => {
  w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
  takeDown(carol)
  expect(await seen()).toEqual(PRESENTED_TO_REDACTING)
})

const PRESENTED = { redacting: [true, true], labelling: [true, true] }

test('while the creator is deactivated, its lists block and mute no one', async () => {
  const effects = [
    () => w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri }),
    () => w.tell('app.bsky.graph.muteActorList', { list: list.uri }, alice),
  ]
  for (const begin of effects) {
    await begin()
    expect(await seen()).toEqual(HIDDEN)
    w.status(carol, 'deactivated')
    expect(await seen()).toEqual(PRESENTED)
    w.status(carol)
    expect(await seen()).toEqual(HIDDEN)
  }
})

/** Reads twice each, the second time from the cache, alternating between both kinds of requests. */
async function visible(nsid: string, query: Query): Promise<string[][]> {
  const texts: string[][] = [[], []]
  for (let i = 0; i < 2; i++) {
    for (const [at, headers] of [REDACTING, LABELLING].entries()) {
      const { status, body } = await w.ask(nsid, query, alice, headers)
      expect(status).toBe(200)
      texts[at]!.push(JSON.stringify(body))
    }
  }
  return texts
}

describe('lifts a block by list between two other accounts', () => {
  const dan = didOf('dan')
  const THREAD = 'app.bsky.unspecced.getPostThreadV2'
  let [root, reply, quote] = [] as RecordId[]

  beforeEach(() => {
    w.profile(dan)
    w.create(dan, 'app.bsky.graph.listblock', { subject: list.uri })
    w.follow(dan, bob)
    root = w.post(dan, 'by dan')
    reply = w.post(bob, { text: 'below dan', reply: { parent: root } })
    quote = w.post(bob, { text: 'of dan', quote: root })
  })

  const positions: [name: string, () => [string, Query], hidden: RegExp, open: RegExp][] = [
    [
      'a thread anchored at its root',
      () => [THREAD, { anchor: root!.uri }],
      /^(?!.*below dan)/,
      /below dan/,
    ],
    [
      'a thread anchored at a reply',
      () => [THREAD, { anchor: reply!.uri }],
      /threadItemBlocked/,
      /"text":"by dan"/,
    ],
    [
      'a quote',
      () => ['app.bsky.feed.getPosts', { uris: [quote!.uri] }],
      /record#viewBlocked/,
      /"text":"by dan"/,
    ],
    [
      'a list of follows',
      () => ['app.bsky.graph.getFollows', { actor: dan }],
      /"follows":\[\]/,
      /"follows":\[\{/,
    ],
  ]

  test.each(positions)('in %s', async (_, position, hidden, open) => {
    const as = (pattern: RegExp) => [expect.stringMatching(pattern), expect.stringMatching(pattern)]
    expect(await visible(...position())).toEqual([as(hidden), as(hidden)])
    takeDown(list.uri)
    expect(await visible(...position())).toEqual([as(open), as(hidden)])
    withdraw(list.uri)
    expect(await visible(...position())).toEqual([as(hidden), as(hidden)])
    takeDown(carol)
    expect(await visible(...position())).toEqual([as(open), as(hidden)])
    w.status(carol, 'deactivated')
    expect(await visible(...position())).toEqual([as(open), as(open)])
  })

  test('but another list that is still up blocks', async () => {
    const purpose = 'app.bsky.graph.defs#modlist'
    const other = w.create(carol, 'app.bsky.graph.list', { name: 'bores', purpose })
    w.create(carol, 'app.bsky.graph.listitem', { list: other.uri, subject: bob })
    w.create(dan, 'app.bsky.graph.listblock', { subject: other.uri })
    takeDown(list.uri)
    for (const texts of await visible(THREAD, { anchor: root!.uri })) {
      for (const text of texts) expect(text).not.toContain('below dan')
    }
  })
})
