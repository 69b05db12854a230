// Writes through the dataplane become the requests that the same acts make by XRPC: bsync's operations,
// mutes, and the decisions of the frontend's admin routes, which then appear on records and accounts.

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putTag } from '../../../src/data/store/moderation/moderation-tags.ts'
import { parseTakedownSubject, putTakedown } from '../../../src/data/store/moderation/takedowns.ts'
import { readPreferences } from '../../../src/data/store/notifications/notification-preferences.ts'
import { transact } from '../../../src/data/store/transact.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import {
  Service as BsyncService,
  Method,
  MuteOperation_Type,
} from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import type { World } from '../../support/social-world.ts'
import { type DataplaneWorld, referenceClient, startDataplaneOver } from './dataplane-world.ts'

const ACTOR = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const OTHER = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const LIST = `at://${OTHER}/app.bsky.graph.list/3aaaaaaaaaa2a`
const POST = `at://${OTHER}/app.bsky.feed.post/3aaaaaaaaaa2a`
const CID = 'bafyreidlp6sdj6jkroakvmbntpy2clsj77foijheae5byt3iwz7d2k5abc'

let world: World
let ours: HydratedWorld
let dataplane: DataplaneWorld

beforeEach(async () => {
  world = randomWorld(createRandom(11), 60)
  ours = hydrateWorld(world)
  dataplane = await startDataplaneOver(ours, { world })
})

afterEach(async () => {
  await dataplane.close()
  ours.close()
})

const bsync = () =>
  createClient(BsyncService, createConnectTransport({ baseUrl: dataplane.url, httpVersion: '1.1' }))
const bsky = () => createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))
const json = (value: object) => Buffer.from(JSON.stringify(value))

/** Requests to the writer other than those that log operations in the stream. */
const actions = () => dataplane.requested.filter(({ kind }) => kind !== 'dataplane/log-operation')

async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  return call.then(
    () => undefined,
    (error: ConnectError) => error.code,
  )
}

describe('bsync', () => {
  test('mutes of accounts, lists and threads', async () => {
    const { ADD, REMOVE, CLEAR } = MuteOperation_Type
    const calls = bsync()
    await calls.addMuteOperation({ type: ADD, actorDid: ACTOR, subject: OTHER, onlyReposts: true })
    await calls.addMuteOperation({ type: REMOVE, actorDid: ACTOR, subject: OTHER })
    await calls.addMuteOperation({ type: ADD, actorDid: ACTOR, subject: LIST })
    await calls.addMuteOperation({ type: REMOVE, actorDid: ACTOR, subject: POST })
    const did = ACTOR
    expect(actions()).toEqual([
      { kind: 'mute', did, subjectDid: OTHER, onlyReposts: true, onlyQuoteposts: false },
      { kind: 'unmute', did, subjectDid: OTHER },
      { kind: 'mute-list', did, list: LIST },
      { kind: 'unmute-thread', did, root: POST },
    ])
    const wrong = { type: CLEAR, actorDid: ACTOR, subject: OTHER }
    expect(await codeOf(calls.addMuteOperation(wrong))).toBe(Code.InvalidArgument)
    const nobody = { type: ADD, actorDid: 'nobody', subject: OTHER }
    expect(await codeOf(calls.addMuteOperation(nobody))).toBe(Code.InvalidArgument)
  })

  test('notification preferences are replaced as a whole, and deleted', async () => {
    const put = (method: Method, preferences?: object) =>
      bsync().putOperation({
        actorDid: ACTOR,
        namespace: 'app.bsky.notification.defs#preferences',
        key: 'self',
        method,
        ...(preferences && { payload: json(preferences) }),
      })
    const quiet = { include: 'follows', list: true, push: false }
    await put(Method.UPDATE, { like: quiet, unknown: 1 })
    await put(Method.DELETE)
    const defaults = readPreferences(null)
    expect(defaults.like).not.toEqual(quiet)
    const kind = 'notification-preferences'
    expect(actions()).toEqual([
      { kind, did: ACTOR, patch: { ...defaults, like: quiet } },
      { kind, did: ACTOR, patch: defaults },
    ])
  })

  test('values stored by key', async () => {
    const put = (kind: string, method: Method, key: string, payload: object = {}) =>
      bsync().putOperation({
        actorDid: ACTOR,
        namespace: `app.bsky.${kind}`,
        key,
        method,
        ...(method !== Method.DELETE && { payload: json(payload) }),
      })
    const draft = { posts: [{ text: 'one' }] }
    await put('bookmark.defs#bookmark', Method.CREATE, 'x', { subject: { uri: POST, cid: CID } })
    await put('draft.defs#draftWithId', Method.CREATE, '3aaaaaaaaaa2a', { id: 'x', draft })
    await put('draft.defs#draftWithId', Method.DELETE, '3aaaaaaaaaa2a')
    const subscription = 'notification.defs#subjectActivitySubscription'
    const activitySubscription = { post: true, reply: false }
    await put(subscription, Method.CREATE, 'x', { subject: OTHER, activitySubscription })
    await put(subscription, Method.DELETE, OTHER)
    const did = ACTOR
    expect(actions()).toEqual([
      { kind: 'bookmark', did, uri: POST, cid: CID },
      { kind: 'create-draft', did, draftId: '3aaaaaaaaaa2a', draft: JSON.stringify(draft) },
      { kind: 'delete-draft', did, draftId: '3aaaaaaaaaa2a' },
      { kind: 'activity-subscription', did, subject: OTHER, post: true, reply: false },
      { kind: 'activity-subscription', did, subject: OTHER, post: false, reply: false },
    ])
    expect(await codeOf(put('elsewhere', 9 as Method, 'x'))).toBe(Code.InvalidArgument)
    expect(await codeOf(put('bookmark.defs#bookmark', Method.CREATE, 'x', { subject: 7 }))).toBe(
      Code.InvalidArgument,
    )
  })

  test('how far notifications were seen', async () => {
    const seenAt = Date.UTC(2026, 10, 22)
    await bsync().fanoutNotificationSeen({ actorDid: ACTOR, timestamp: timestampFromMs(seenAt) })
    await bsync().addNotifOperation({ actorDid: ACTOR, priority: true })
    expect(actions()).toEqual([
      { kind: 'notifications-seen', did: ACTOR, seenAt },
      { kind: 'notification-priority', did: ACTOR, priority: true },
    ])
  })
})

describe('takedowns', () => {
  test('are decided like the operator’s own', async () => {
    await bsky().takedownActor({ did: OTHER, ref: 'case 7' })
    await bsky().untakedownRecord({ recordUri: POST })
    expect(dataplane.requested).toMatchObject([
      { kind: 'moderate', act: 'hide', subject: OTHER, ref: 'case 7' },
      { kind: 'moderate', act: 'show', subject: POST },
    ])
    expect(await codeOf(bsky().takedownRecord({ recordUri: 'nothing' }))).toBe(Code.InvalidArgument)
  })

  test('are shown on their subjects', async () => {
    const { uri, did } = world.of('app.bsky.feed.post')[0]!
    hide(uri, 'case 1')
    hide(did, '')
    const { records } = await bsky().getPostRecords({ uris: [uri] })
    expect(records[0]).toMatchObject({ takenDown: true, takedownRef: 'case 1' })
    const { actors } = await bsky().getActors({ dids: [did] })
    expect(actors[0]).toMatchObject({ takenDown: true, takedownRef: 'TAKEDOWN' })
    expect(await bsky().getRecordTakedown({ recordUri: uri })).toMatchObject({
      takenDown: true,
      takedownRef: 'case 1',
    })
  })

  test('tags are shown on posts and accounts', async () => {
    const { uri, did } = world.of('app.bsky.feed.post')[0]!
    for (const [text, tag] of [
      [uri, 'search-hide'],
      [did, 'thread-hide'],
      [`at://${did}/app.bsky.actor.profile/self`, 'search-hide-all'],
    ] as const) {
      const subject = parseTakedownSubject(text)!
      const row = { ...subject, tag, uid: ours.written.uid(did), at: 1 }
      transact(ours.writer, () => void putTag(ours.writer, row))
    }
    const { records } = await bsky().getPostRecords({ uris: [uri] })
    expect(records[0]).toMatchObject({ tags: ['search-hide'] })
    const { actors } = await bsky().getActors({ dids: [did] })
    expect(actors[0]).toMatchObject({ tags: ['thread-hide'], profileTags: ['search-hide-all'] })
  })

  test('of a hidden profile only the profile is marked, not its account', async () => {
    const { did, uri } = world.of('app.bsky.actor.profile')[0]!
    const before = await bsky().getActors({ dids: [did] })
    hide(uri, 'case 2')
    const { actors } = await bsky().getActors({ dids: [did] })
    expect(actors[0]).toMatchObject({ takenDown: false, statusRecord: { takenDown: false } })
    const { record, cid } = before.actors[0]!.profile!
    expect(actors[0]?.profile).toMatchObject({
      takenDown: true,
      takedownRef: 'case 2',
      record,
      cid,
    })
    const client = await referenceClient(dataplane.url)
    const read = (await client['getActors']!({ dids: [did] })) as unknown as typeof before
    expect(read.actors[0]?.profile).toMatchObject({ takenDown: true, cid })
  })

  function hide(text: string, ref: string): void {
    const subject = parseTakedownSubject(text)!
    const row = { ...subject, uid: ours.written.uid(subject.did), ref, because: null, at: 1 }
    transact(ours.writer, () => void putTakedown(ours.writer, row))
  }
})
