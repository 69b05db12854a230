// Profile fields from other records: labelers, live statuses, chat and subscription settings, verifications,
// and the numbers of feeds and starter packs. The cached and the uncached view must agree, so each is checked
// in a profile and in a list of followers.

import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../../../src/base/util/json-object.ts'
import { decide } from '../../../../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../../../../support/records.ts'
import {
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const [alice, bob, verifier, other] = ['alice', 'bob', 'verifier', 'other'].map(didOf) as [
  string,
  string,
  string,
  string,
]

type Profile = {
  did: string
  associated: JsonObject
  verification?: {
    verifications: { issuer: string; isValid: boolean; issuerDisplayName?: string; uri: string }[]
    verifiedStatus: string
    trustedVerifierStatus: string
  }
  status?: { status: string; isActive?: boolean; expiresAt?: string; isDisabled?: boolean }
}

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({
    scope: 'community',
    members: ['alice'],
    trustedVerifiers: [verifier],
    ...options,
  })
  for (const did of [bob, verifier, other]) world.follow(alice, did)
  for (const did of [bob, verifier]) world.follow(did, alice)
  for (const did of [alice, bob, verifier, other]) world.profile(did, { displayName: 'Somebody' })
  world.handle(bob, 'bob.test')
  world.handle(verifier, 'verifier.test')
  return world
}

/**
 * Returns the account from a profile and from a list of followers, which is built for every viewer
 * and cached.
 */
async function look(w: ServingWorld, did: string, viewer = alice): Promise<Profile[]> {
  const profile = await w.get<Profile>('app.bsky.actor.getProfile', { actor: did }, viewer)
  const { followers } = await w.get<{ followers: Profile[] }>(
    'app.bsky.graph.getFollowers',
    { actor: alice },
    viewer,
  )
  return [profile, followers.find((follower) => follower.did === did)!]
}

const self = (w: ServingWorld, did: string, collection: string, record: JsonObject) =>
  w.write({ did, collection, rkey: 'self', record })

test('an account without declarations shows only defaults', async () => {
  const w = start()
  const [profile, follower] = await look(w, bob)
  const activitySubscription = { allowSubscriptions: 'followers' }
  expect(follower!.associated).toEqual({ activitySubscription })
  expect(profile!.associated).toEqual({
    activitySubscription,
    lists: 0,
    feedgens: 0,
    starterPacks: 0,
    labeler: false,
  })
  for (const view of [profile!, follower!]) {
    expect(view.verification).toBeUndefined()
    expect(view.status).toBeUndefined()
  }
})

test('declarations appear, change and disappear', async () => {
  const w = start()
  self(w, bob, 'chat.bsky.actor.declaration', { allowIncoming: 'all' })
  self(w, bob, 'app.bsky.notification.declaration', { allowSubscriptions: 'mutuals' })
  const messageMe = { showButtonTo: 'usersIFollow', messageMeUrl: 'https://germ.test/bob' }
  const currentKey = { $bytes: 'AAAA' }
  self(w, bob, 'com.germnetwork.declaration', { version: '1.1.0', currentKey, messageMe })
  const labeler = self(w, bob, 'app.bsky.labeler.service', {
    policies: { labelValues: ['rude'] },
    createdAt: w.isoNow(),
  })
  for (const { associated } of await look(w, bob)) {
    expect(associated).toMatchObject({
      chat: { allowIncoming: 'all' },
      activitySubscription: { allowSubscriptions: 'mutuals' },
      germ: messageMe,
      labeler: true,
    })
  }
  w.write({
    did: bob,
    collection: 'chat.bsky.actor.declaration',
    rkey: 'self',
    operation: 'update',
    record: { allowIncoming: 'none', allowGroupInvites: 'following' },
  })
  w.delete(labeler)
  const [profile, follower] = await look(w, bob)
  expect(profile!.associated['labeler']).toBe(false)
  expect(follower!.associated['labeler']).toBeUndefined()
  expect(follower!.associated['chat']).toEqual({
    allowIncoming: 'none',
    allowGroupInvites: 'following',
  })
})

test('a profile counts its account’s feeds and starter packs', async () => {
  const w = start()
  const made = ['a', 'b'].map((rkey) =>
    w.write({
      did: bob,
      collection: 'app.bsky.feed.generator',
      rkey,
      record: { did: 'did:web:feeds.test', displayName: rkey, createdAt: w.isoNow() },
    }),
  )
  const record = { name: 'x', list: `at://${bob}/app.bsky.graph.list/x`, createdAt: w.isoNow() }
  w.write({ did: bob, collection: 'app.bsky.graph.starterpack', record })
  const counts = async () => (await look(w, bob))[0]!.associated
  expect(await counts()).toMatchObject({ feedgens: 2, starterPacks: 1 })
  w.delete(made[0]!)
  expect(await counts()).toMatchObject({ feedgens: 1, starterPacks: 1 })
  w.status(bob, 'deleted')
  w.status(bob)
  w.profile(bob, { displayName: 'back' })
  expect(await counts()).toMatchObject({ feedgens: 0, starterPacks: 0 })
})

describe('a verification', () => {
  const verify = (w: ServingWorld, did: string, record: JsonObject) =>
    w.write({
      did,
      collection: 'app.bsky.graph.verification',
      record: {
        subject: bob,
        handle: 'bob.test',
        displayName: 'Somebody',
        ...record,
        createdAt: w.isoNow(),
      },
    })

  test('vouches for no account once the operator has hidden it', async () => {
    const w = start()
    const { uri } = verify(w, verifier, {})
    for (const { verification } of await look(w, bob)) expect(verification).toBeDefined()
    w.run((ctx) => {
      decide(ctx, { act: 'hide', subject: uri, by: 'tester', reason: 'a test' })
    })
    for (const { verification } of await look(w, bob)) expect(verification).toBeUndefined()
  })

  test('by a trusted verifier is valid until handle or name changes', async () => {
    const w = start()
    const { uri } = verify(w, verifier, {})
    verify(w, other, {})
    for (const { verification } of await look(w, bob)) {
      expect(verification).toMatchObject({ verifiedStatus: 'valid', trustedVerifierStatus: 'none' })
      expect(verification?.verifications).toMatchObject([
        {
          issuer: verifier,
          issuerHandle: 'verifier.test',
          issuerDisplayName: 'Somebody',
          uri,
          isValid: true,
        },
      ])
    }
    w.profile(bob, { displayName: 'Somebody else' })
    for (const { verification } of await look(w, bob)) {
      expect(verification).toMatchObject({ verifiedStatus: 'invalid' })
    }
    w.profile(verifier, { displayName: 'The Verifier' })
    for (const { verification } of await look(w, bob)) {
      expect(verification?.verifications[0]?.issuerDisplayName).toBe('The Verifier')
    }
    w.delete(uri)
    for (const { verification } of await look(w, bob)) expect(verification).toBeUndefined()
  })

  test('of one account by one verifier counts once: the first', async () => {
    const w = start()
    const { uri } = verify(w, verifier, {})
    verify(w, verifier, { displayName: 'Wrong' })
    const [profile] = await look(w, bob)
    expect(profile!.verification?.verifications.map((verification) => verification.uri)).toEqual([
      uri,
    ])
  })

  test('is not shown without a verified handle; a trusted verifier is marked as one', async () => {
    const w = start()
    verify(w, verifier, { subject: other, handle: 'other.test' })
    const profile = await w.get<Profile>('app.bsky.actor.getProfile', { actor: other }, alice)
    expect(profile.verification).toBeUndefined()
    for (const { verification } of await look(w, verifier)) {
      expect(verification).toEqual({
        verifications: [],
        verifiedStatus: 'none',
        trustedVerifierStatus: 'valid',
      })
    }
  })

  test('makes an unknown account known only if from a trusted verifier', () => {
    const w = start()
    const [far, farther] = [w.account('far'), w.account('farther')]
    verify(w, w.account('anybody'), { subject: far })
    expect(w.uid(far)).toBe(0)
    verify(w, verifier, { subject: farther })
    expect(w.uid(farther)).not.toBe(0)
  })
})

describe('a live status', () => {
  const live = (w: ServingWorld, createdAt: string, durationMinutes?: number) =>
    self(w, bob, 'app.bsky.actor.status', {
      status: 'app.bsky.actor.status#live',
      embed: {
        $type: 'app.bsky.embed.external',
        external: { uri: 'https://live.test/bob', title: 'Bob live', description: '' },
      },
      createdAt,
      ...(durationMinutes && { durationMinutes }),
    })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

  test('is active until it expires', async () => {
    const w = start({ startAt: Date.now() })
    live(w, minutesAgo(10), 30)
    for (const { status } of await look(w, bob)) {
      expect(status).toMatchObject({
        status: 'app.bsky.actor.status#live',
        isActive: true,
        embed: { external: { uri: 'https://live.test/bob' } },
      })
      expect(status?.isDisabled).toBeUndefined()
    }
    const [own] = await look(w, bob, bob)
    expect(own!.status?.isDisabled).toBe(false)
  })

  test('lasts at least five minutes and at most four hours', async () => {
    const w = start({ startAt: Date.now() })
    const began = minutesAgo(1)
    const lasts = async () => {
      const [{ status }] = (await look(w, bob)) as [Profile]
      return (Date.parse(status!.expiresAt!) - Date.parse(began)) / 60_000
    }
    const status = live(w, began, 1)
    expect(await lasts()).toBe(5)
    w.delete(status)
    live(w, began, 9_999)
    expect(await lasts()).toBe(240)
  })
})
