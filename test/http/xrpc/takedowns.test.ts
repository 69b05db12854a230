// Content hidden by the operator appears in no answer for any viewer, whatever labelers a request names; once
// shown again, it is back as before. Everything is read twice, the second time from the cache.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModerationDecision } from '../../../src/bridge/messages.ts'
import { findTakedown } from '../../../src/data/store/moderation/takedowns.ts'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let w: ServingWorld
let post: RecordId
let reply: RecordId
let quote: RecordId
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice', 'carol'] })
  for (const did of [alice, bob, carol]) w.profile(did)
  w.follow(alice, bob)
  w.follow(alice, carol)
  w.follow(carol, bob)
  post = w.post(bob, 'unfit words by bob')
  reply = w.post(carol, { text: 'answered by carol', reply: { parent: post } })
  quote = w.post(carol, { text: 'quoted by carol', quote: post })
  w.create(carol, 'app.bsky.feed.like', { subject: post })
  w.create(carol, 'app.bsky.feed.repost', { subject: post })
})
afterEach(() => w.dispose())

function moderate(act: ModerationDecision['act'], subject: string): boolean {
  let isNews = false
  w.run((ctx) => {
    isNews = decide(ctx, { act, subject, by: 'tester', reason: 'a test' })
  })
  return isNews
}

async function seen(nsid: string, query: Query = {}, viewer: string | undefined = alice) {
  const texts: string[] = []
  for (let i = 0; i < 2; i++) texts.push(JSON.stringify((await w.ask(nsid, query, viewer)).body))
  expect(texts[1]).toBe(texts[0])
  return texts[0]!
}

/** Places where bob's post can appear. */
const positions: [nsid: string, query: () => Query][] = [
  ['app.bsky.feed.getTimeline', () => ({})],
  ['app.bsky.feed.getPosts', () => ({ uris: [post.uri, quote.uri] })],
  ['app.bsky.feed.getAuthorFeed', () => ({ actor: bob })],
  ['app.bsky.feed.getAuthorFeed', () => ({ actor: carol })],
  ['app.bsky.feed.getPostThread', () => ({ uri: post.uri })],
  ['app.bsky.feed.getPostThread', () => ({ uri: reply.uri })],
  ['app.bsky.unspecced.getPostThreadV2', () => ({ anchor: reply.uri })],
  ['app.bsky.feed.searchPosts', () => ({ q: 'unfit' })],
  ['com.atproto.repo.getRecord', () => keyOf(post.uri)],
]

function keyOf(uri: string): Query {
  const [repo, collection, rkey] = uri.slice('at://'.length).split('/')
  return { repo, collection, rkey }
}

async function words(): Promise<boolean[]> {
  const found: boolean[] = []
  for (const [nsid, query] of positions)
    found.push((await seen(nsid, query())).includes('unfit words'))
  return found
}

const EVERYWHERE = positions.map(() => true)
const NOWHERE = positions.map(() => false)

test('another name for a takedown replaces the first, no name leaves it', () => {
  const hide = (ref: string) => {
    w.run((ctx) => {
      decide(ctx, { act: 'hide', subject: post.uri, by: 'tester', reason: 'a test', ref })
    })
    return findTakedown(w.db, post.uri)?.ref
  }
  expect(['case 1', 'case 2', ''].map(hide)).toEqual(['case 1', 'case 2', 'case 2'])
})

describe('a post', () => {
  test('is nowhere while hidden, and everywhere again once shown', async () => {
    searchable(w)
    expect(await words()).toEqual(EVERYWHERE)
    expect(moderate('hide', post.uri)).toBe(true)
    expect(await words()).toEqual(NOWHERE)
    expect(await seen('app.bsky.feed.getTimeline')).toContain('quoted by carol')
    expect(moderate('show', post.uri)).toBe(true)
    expect(await words()).toEqual(EVERYWHERE)
  })

  test('that arrives after the decision is hidden too', async () => {
    const later = { uri: `at://${bob}/app.bsky.feed.post/later`, cid: post.cid }
    moderate('hide', later.uri)
    w.create(bob, 'app.bsky.feed.post', { text: 'come too late' }, 'later')
    expect(await seen('app.bsky.feed.getAuthorFeed', { actor: bob })).not.toContain('too late')
    moderate('show', later.uri)
    expect(await seen('app.bsky.feed.getAuthorFeed', { actor: bob })).toContain('too late')
  })

  test('reports a decision that changes nothing', () => {
    expect(moderate('show', post.uri)).toBe(false)
    moderate('hide', post.uri)
    expect(moderate('hide', post.uri)).toBe(false)
    expect(() => moderate('hide', 'at://nobody')).toThrow('neither a DID nor the at-URI')
  })
})

describe('an account', () => {
  test('is nowhere while hidden, whatever its own server says, and everywhere again once shown', async () => {
    searchable(w)
    expect(await words()).toEqual(EVERYWHERE)
    moderate('hide', bob)
    expect(await words()).toEqual(NOWHERE)
    expect((await w.ask('app.bsky.actor.getProfile', { actor: bob }, alice)).body).toMatchObject({
      error: 'AccountTakedown',
    })
    expect(await seen('app.bsky.graph.getFollows', { actor: carol })).not.toContain(bob)
    w.status(bob, 'deactivated')
    w.status(bob)
    expect(await words()).toEqual(NOWHERE)
    moderate('show', bob)
    expect(await words()).toEqual(EVERYWHERE)
  })

  test('that its own server took down meanwhile stays away', async () => {
    searchable(w)
    moderate('hide', bob)
    w.status(bob, 'suspended')
    moderate('show', bob)
    expect(await words()).toEqual(NOWHERE)
    w.status(bob)
    expect(await words()).toEqual(EVERYWHERE)
  })

  test('that was deleted and comes back is still hidden', async () => {
    moderate('hide', bob)
    w.status(bob, 'deleted')
    w.status(bob)
    w.post(bob, 'unfit words by bob, again')
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain('unfit words')
    moderate('show', bob)
    expect(await seen('app.bsky.feed.getTimeline')).toContain('again')
  })
})

describe('other records', () => {
  test('a list is not shown, and no longer blocks', async () => {
    const purpose = 'app.bsky.graph.defs#modlist'
    const list = w.create(carol, 'app.bsky.graph.list', { name: 'boors', purpose })
    w.create(carol, 'app.bsky.graph.listitem', { list: list.uri, subject: bob })
    w.create(alice, 'app.bsky.graph.listblock', { subject: list.uri })
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain('unfit words')
    moderate('hide', list.uri)
    expect(await seen('app.bsky.feed.getTimeline')).toContain('unfit words')
    expect(await seen('app.bsky.graph.getLists', { actor: carol })).not.toContain('boors')
    moderate('show', list.uri)
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain('unfit words')
    expect(await seen('app.bsky.graph.getLists', { actor: carol })).toContain('boors')
  })

  test('a feed generator is not shown where it is quoted', async () => {
    const record = { did: carol, displayName: 'Nothing but rage' }
    const feed = w.create(carol, 'app.bsky.feed.generator', record)
    const embed = { $type: 'app.bsky.embed.record', record: feed }
    w.post(carol, { text: 'read this', embed })
    expect(await seen('app.bsky.feed.getTimeline')).toContain('but rage')
    moderate('hide', feed.uri)
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain('but rage')
    expect(await seen('app.bsky.feed.getActorFeeds', { actor: carol })).not.toContain('but rage')
    moderate('show', feed.uri)
    expect(await seen('app.bsky.feed.getTimeline')).toContain('but rage')
  })

  test('a profile is emptied, but its account remains', async () => {
    w.create(bob, 'app.bsky.actor.profile', { displayName: 'Rude Name' }, 'self')
    expect(await seen('app.bsky.feed.getTimeline')).toContain('Rude Name')
    moderate('hide', `at://${bob}/app.bsky.actor.profile/self`)
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain('Rude Name')
    expect(await seen('app.bsky.actor.getProfile', { actor: bob })).not.toContain('Rude Name')
    expect(await seen('app.bsky.feed.getTimeline')).toContain('unfit words')
  })

  test('a live status is shown only to its owner, as disabled', async () => {
    const status = 'app.bsky.actor.status#live'
    const live = w.create(bob, 'app.bsky.actor.status', { status, durationMinutes: 60 }, 'self')
    const statusFor = async (viewer: string) =>
      JSON.parse(await seen('app.bsky.actor.getProfile', { actor: bob }, viewer)).status
    expect(await statusFor(alice)).toMatchObject({ status })
    moderate('hide', live.uri)
    expect(await statusFor(alice)).toBeUndefined()
    expect(await statusFor(bob)).toMatchObject({ status, isDisabled: true })
    expect(await seen('app.bsky.feed.getTimeline')).not.toContain(status)
    moderate('show', live.uri)
    expect(await statusFor(alice)).toMatchObject({ status })
    expect(await seen('app.bsky.feed.getTimeline')).toContain(status)
  })

  test('a repost disappears from the feed, but its post remains', async () => {
    searchable(w)
    const repost = w.create(alice, 'app.bsky.feed.repost', { subject: post })
    const reposts = async () =>
      JSON.parse(await seen('app.bsky.feed.getAuthorFeed', { actor: alice }))
    expect((await reposts()).feed).toHaveLength(1)
    moderate('hide', repost.uri)
    expect((await reposts()).feed).toHaveLength(0)
    expect(await words()).toEqual(EVERYWHERE)
  })
})

test('a hidden reply’s notification is neither listed nor counted', async () => {
  const NOTIFICATION = 'app.bsky.notification'
  const unread = async () =>
    (await w.ask<{ count: number }>(`${NOTIFICATION}.getUnreadCount`, {}, carol)).body.count
  const unfit = w.post(bob, { text: 'unfit answer', reply: { parent: quote } })
  w.post(bob, { text: 'fit answer', reply: { parent: quote } })
  const before = await unread()
  expect(await seen(`${NOTIFICATION}.listNotifications`, {}, carol)).toContain(unfit.uri)
  moderate('hide', unfit.uri)
  expect(await seen(`${NOTIFICATION}.listNotifications`, {}, carol)).not.toContain(unfit.uri)
  expect(await unread()).toBe(before - 1)
  moderate('show', unfit.uri)
  expect(await unread()).toBe(before)
})
