// A moderation list that the viewer's labeler took down, or whose creator it took down, neither blocks
// nor mutes any longer; without that labeler, or its right to redact, it still does.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyLabels } from '../../src/indexing/label.ts'
import { didOf } from '../support/records.ts'
import { createServingWorld, type ServingWorld } from '../support/serving-world.ts'
import type { RecordId } from '../support/world.ts'

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
  const label = { uri, val: '!takedown', cts: '2026-11-01T00:00:00.000Z', neg: false }
  w.run((ctx) => applyLabels(ctx, LABELER, [{ ...label, cid: undefined, exp: undefined }]))
}

/** Twice each, the second time from what was kept; in turn for both kinds of requests. */
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
    const isShown = JSON.stringify(feed.body).includes('by bob')
    expect(isShown).toBe(blocking === undefined && !muted)
    return isShown
  }
  const found = { redacting: [] as boolean[], labelling: [] as boolean[] }
  for (let i = 0; i < 2; i++) {
    found.redacting.push(await read(REDACTING))
    found.labelling.push(await read(LABELLING))
  }
  return found
}

const HIDDEN = { redacting: [false, false], labelling: [false, false] }
const SHOWN_TO_REDACTING = { redacting: [true, true], labelling: [false, false] }

test('of a block by list', async () => {
  w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
  expect(await seen()).toEqual(HIDDEN)
  takeDown(list.uri)
  expect(await seen()).toEqual(SHOWN_TO_REDACTING)
})

test('of a mute by list', async () => {
  await w.tell('app.bsky.graph.muteActorList', { list: list.uri }, alice)
  expect(await seen()).toEqual(HIDDEN)
  takeDown(list.uri)
  expect(await seen()).toEqual(SHOWN_TO_REDACTING)
})

test('of a list whose creator was taken down', async () => {
  w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
  takeDown(carol)
  expect(await seen()).toEqual(SHOWN_TO_REDACTING)
})
