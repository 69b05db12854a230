// A frontend's bsync writes can be read again in order by a reader that waits for more, and the ages and
// priorities it writes appear on the accounts it requests next. With a real writer and real sockets.

import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import type { WriterRequest } from '../../../src/bridge/messages.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import {
  Service as BsyncService,
  Method,
  MuteOperation_Type,
} from '../../../src/features/dataplane/generated/bsync-pb.ts'
import {
  appendOperation,
  operationsAfter,
} from '../../../src/features/dataplane/store/bsync-operations.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { createWorld, type World } from '../../support/world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

let world: World
let dataplane: DataplaneWorld
let vera: string
let gil: string

beforeEach(async () => {
  world = createWorld({ scope: 'network', members: ['vera'] })
  vera = world.account('vera')
  gil = world.account('gil')
  for (const did of [vera, gil]) world.profile(did, { displayName: 'somebody' })
  const { reader: db, actors, graph } = world
  const urls = createMediaUrls(referenceUrlPatterns)
  const hydrator = createHydrator({ db, actors, graph, urls, trustedVerifiers: [] })
  dataplane = await startDataplaneOver(
    { db, hydrator, written: { actors, graph } },
    { writer: { send: async (request) => world.request({ id: 1, ...request } as WriterRequest) } },
  )
})

afterEach(async () => {
  await dataplane.close()
  world.dispose()
})

const bsync = () =>
  createClient(BsyncService, createConnectTransport({ baseUrl: dataplane.url, httpVersion: '1.1' }))
const bsyncByGrpc = () =>
  createClient(BsyncService, createGrpcTransport({ baseUrl: dataplane.url }))
const bsky = () => createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))
const json = (value: object) => Buffer.from(JSON.stringify(value))
const { ADD, REMOVE } = MuteOperation_Type

test('mutes are read in order, page by page, each once', async () => {
  const calls = bsync()
  await calls.addMuteOperation({ type: ADD, actorDid: vera, subject: gil, onlyReposts: true })
  await calls.addNotifOperation({ actorDid: vera, priority: true })
  await calls.addMuteOperation({ type: REMOVE, actorDid: vera, subject: gil })
  const first = await calls.scanMuteOperations({ limit: 1 })
  const second = await bsyncByGrpc().scanMuteOperations({ cursor: first.cursor })
  expect([...first.operations, ...second.operations]).toMatchObject([
    { type: ADD, actorDid: vera, subject: gil, onlyReposts: true, onlyQuoteposts: false },
    { type: REMOVE, actorDid: vera, subject: gil },
  ])
  const ids = [first, second].flatMap(({ operations }) => operations.map(({ id }) => Number(id)))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(second.cursor).toBe(String(ids.at(-1)))
  const { operations } = await calls.scanNotifOperations({})
  expect(operations).toMatchObject([{ actorDid: vera, priority: true }])
  await expect(calls.scanMuteOperations({ cursor: 'rubbish' })).rejects.toThrow('invalid cursor')
})

test('a reader at the end receives the next operation, whatever its namespace', async () => {
  const waiting = bsync().scanOperations({})
  const namespace = 'app.bsky.contact.defs#notification'
  const operation = { actorDid: vera, namespace, key: 'k', method: Method.CREATE }
  await bsync().putOperation({ ...operation, payload: json({ from: gil }) })
  const { operations, cursor } = await waiting
  expect(operations).toMatchObject([operation])
  expect(JSON.parse(Buffer.from(operations[0]!.payload).toString())).toEqual({ from: gil })

  const request = { actorDid: vera, namespace }
  const { deletedCount } = await bsync().deleteOperationsByActorAndNamespace(request)
  expect(deletedCount).toBe(1)
  await bsync().putOperation({ ...operation, key: 'l', payload: json({}) })
  const next = await bsync().scanOperations({})
  expect(next.operations.map(({ key }) => key)).toEqual(['l'])
  expect(Number(next.cursor)).toBeGreaterThan(Number(cursor))
})

test('refused operations are not in the stream', async () => {
  const put = (change: object) =>
    bsync().putOperation({
      actorDid: vera,
      namespace: 'app.bsky.contact.defs#notification',
      key: 'k',
      method: Method.CREATE,
      payload: json({}),
      ...change,
    })
  const wrong = [
    { namespace: 'nothing' },
    { actorDid: 'nobody' },
    { payload: Buffer.from('no JSON') },
    { method: Method.DELETE },
    { method: Method.UNSPECIFIED },
  ]
  for (const change of wrong) await expect(put(change)).rejects.toThrow()
  expect(operationsAfter(world.reader, 'others', 0, 10)).toEqual([])
})

test('a created, changed and deleted record has one key in the stream and in answers', async () => {
  const post = world.post(gil)
  const put = (kind: string, method: Method, key: string, payload?: object) =>
    bsync().putOperation({
      actorDid: vera,
      namespace: `app.bsky.${kind}`,
      key,
      method,
      ...(payload && { payload: json(payload) }),
    })
  const [bookmark, subscription] = [
    'bookmark.defs#bookmark',
    'notification.defs#subjectActivitySubscription',
  ]
  const wanted = (reply: boolean) => ({
    subject: gil,
    activitySubscription: { post: true, reply },
  })
  await put(bookmark, Method.CREATE, '3aaaaaaaaaa2a', { subject: { uri: post.uri, cid: post.cid } })
  await put(subscription, Method.CREATE, '3aaaaaaaaaa2b', wanted(false))
  const { bookmarks } = await bsky().getActorBookmarks({ actorDid: vera, limit: 5 })
  const request = { actorDid: vera, subjectDids: [gil] }
  const { subscriptions } = await bsky().getActivitySubscriptionsByActorAndSubjects(request)
  const [first, second] = [bookmarks[0]!.key, subscriptions[0]!.key]
  await put(subscription, Method.UPDATE, second, wanted(true))
  await put(subscription, Method.DELETE, second)
  await put(bookmark, Method.DELETE, first)
  const { operations } = await bsync().scanOperations({ limit: 10 })
  expect(operations.map(({ key, method }) => [key, method])).toEqual([
    [first, Method.CREATE],
    [second, Method.CREATE],
    [second, Method.UPDATE],
    [second, Method.DELETE],
    [first, Method.DELETE],
  ])
  const left = await bsky().getActorBookmarks({ actorDid: vera, limit: 5, cursor: first })
  expect(left.bookmarks).toEqual([])
  const after = await bsky().getActivitySubscriptionsByActorAndSubjects(request)
  expect(after.subscriptions[0]?.key).toBe('')
})

test('the stream is bounded', () => {
  const operation = Buffer.from('x')
  world.run(({ db }) => {
    for (let i = 0; i < 9; i++) {
      appendOperation(db, 'others', { did: vera, namespace: `n${i}`, operation }, 5)
    }
  })
  expect(operationsAfter(world.reader, 'others', 0, 100)).toHaveLength(5)
})

test('ages and priorities appear on accounts', async () => {
  const actorOf = async () => {
    const dids = [vera, gil]
    const { actors } = await bsky().getActors({ dids, returnAgeAssuranceForDids: [vera] })
    return actors
  }
  const [before] = await actorOf()
  expect(before).toMatchObject({ priorityNotifications: false })
  expect(before!.ageAssuranceStatus).toMatchObject({ status: 'unknown', access: 'unknown' })

  const createdAt = '2026-11-01T00:00:00.000Z'
  const tell = (namespace: string, payload: object) =>
    bsync().putOperation({
      actorDid: vera,
      namespace,
      key: '3aaaaaaaaaa2a',
      method: Method.CREATE,
      payload: json(payload),
    })
  await tell('app.bsky.ageassurance.defs#event', { status: 'pending', access: 'safe', createdAt })
  await tell('app.bsky.unspecced.defs#ageAssuranceEvent', { status: 'assured', createdAt: 'later' })
  await bsync().addNotifOperation({ actorDid: vera, priority: true })
  const [after, other] = await actorOf()
  expect(after).toMatchObject({ priorityNotifications: true })
  expect(after!.ageAssuranceStatus).toMatchObject({
    status: 'assured',
    access: 'safe',
    lastInitiatedAt: { seconds: BigInt(Date.parse(createdAt) / 1_000) },
  })
  expect(other!.ageAssuranceStatus).toBeUndefined()
})
