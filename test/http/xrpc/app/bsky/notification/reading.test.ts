// Reading notifications: pages, the seen time, priority and preferences.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyLabels } from '../../../../../../src/ingest/indexing/moderation/label.ts'
import {
  asLine,
  LIST,
  type NotificationPage,
  notificationsOf,
  notified,
  readPage,
  unread,
} from '../../../../../support/notifications.ts'
import { createRandom } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const alice = didOf('alice')
const people = Array.from({ length: 30 }, (_, i) => didOf(`person${i}`))
const NOTIFICATION = 'app.bsky.notification'

let w: ServingWorld
let post: RecordId
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice'] })
  w.profile(alice)
  post = w.post(alice)
})
afterEach(() => w.dispose())

const likeAll = (dids: string[]) => dids.map((did) => `like ${w.like(did, post).uri} ${post.uri}`)

describe('paging', () => {
  test('returns each once to the end, newest first, at any limit', async () => {
    const complete = likeAll(people).reverse()
    for (const limit of [1, 7, 29, 30, 100])
      expect(await notified(w, alice, { limit })).toEqual(complete)
  })

  test('neither skips nor repeats while notifications are added and removed', async () => {
    const random = createRandom(testSeed('notifications while they change'))
    // Many notifications of one time: the page ends among them.
    const createdAt = w.isoNow()
    const early = people.map((did) =>
      w.create(did, 'app.bsky.feed.like', {
        subject: post,
        createdAt: random.chance(0.7) ? createdAt : w.isoNow(),
      }),
    )
    const gone = new Set<string>()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page: NotificationPage = await readPage(w, alice, { limit: 4, cursor })
      seen.push(...page.notifications.map(({ uri }) => uri))
      w.post(random.pick(people), { reply: { parent: post } })
      if (random.chance(0.5)) {
        const like = random.pick(early)
        gone.add(like.uri)
        w.delete(like)
      }
      cursor = page.cursor
    } while (cursor)

    expect(new Set(seen).size).toBe(seen.length)
    const missing = early.filter(({ uri }) => !seen.includes(uri) && !gone.has(uri))
    expect(missing).toEqual([])
    expect(seen.filter((uri) => !early.some((like) => like.uri === uri))).toEqual([])
  })

  test('fills pages from which many items are left out', async () => {
    likeAll(people)
    for (const did of people.slice(3)) w.mute(alice, did)
    expect((await readPage(w, alice, { limit: 3 })).notifications).toHaveLength(3)
  })

  test('refuses cursors that the server cannot have written, and retired parameters', async () => {
    for (const cursor of [
      'rubbish',
      '1__',
      '1__x',
      '1__0',
      '1__-1',
      '1__1__1',
      '2026-01-01T00:00:00Z',
    ]) {
      const { status, body } = await w.ask(LIST, { cursor }, alice)
      expect([status, body['error']], cursor).toEqual([400, 'InvalidRequest'])
    }
    const seenAt = w.isoNow()
    expect((await w.ask(LIST, { seenAt }, alice)).status).toBe(400)
    expect((await w.ask(`${NOTIFICATION}.getUnreadCount`, { seenAt }, alice)).status).toBe(400)
    expect((await readPage(w, alice, { cursor: '1::2' })).notifications).toEqual([])
  })

  test('by reasons returns full pages of those reasons', async () => {
    const replies: string[] = []
    for (const did of people) {
      w.like(did, post)
      replies.unshift(`reply ${w.post(did, { reply: { parent: post } }).uri} ${post.uri}`)
    }
    const reasons = ['reply', 'mention']
    expect((await readPage(w, alice, { limit: 20, reasons })).notifications).toHaveLength(20)
    expect(await notified(w, alice, { limit: 20, reasons })).toEqual(replies)
    expect(await notified(w, alice, { reasons: ['contact-match'] })).toEqual([])
  })

  test('requires a viewer, and is empty for an unknown one', async () => {
    for (const name of [
      'listNotifications',
      'getUnreadCount',
      'getPreferences',
      'listActivitySubscriptions',
    ]) {
      expect((await w.ask(`${NOTIFICATION}.${name}`)).status, name).toBe(401)
    }
    const nobody = didOf('nobody')
    expect(await readPage(w, nobody)).toEqual({ notifications: [], priority: false })
    expect(await unread(w, nobody)).toBe(0)
  })
})

describe('seen', () => {
  const see = (seenAt: string) => w.tell(`${NOTIFICATION}.updateSeen`, { seenAt }, alice)
  const readOnes = async () => (await notificationsOf(w, alice)).map(({ isRead }) => isRead)

  test('never set: the top notification is unread, and all are counted', async () => {
    likeAll(people.slice(0, 4))
    const { notifications, seenAt } = await readPage(w, alice)
    expect(notifications.map(({ isRead }) => isRead)).toEqual([false, true, true, true])
    expect(seenAt).toBe(notifications[0]!.indexedAt)
    expect(await unread(w, alice)).toBe(4)
  })

  test('set to a time: later ones are unread', async () => {
    likeAll(people.slice(0, 2))
    w.tick()
    const at = new Date(w.now()).toISOString()
    expect((await see(at)).status).toBe(200)
    w.tick(10)
    likeAll(people.slice(2, 5))

    expect((await readPage(w, alice)).seenAt).toBe(at)
    expect(await readOnes()).toEqual([false, false, false, true, true])
    expect(await unread(w, alice)).toBe(3)
  })

  test('never moves back, and never beyond now', async () => {
    likeAll(people.slice(0, 2))
    w.tick()
    await see(new Date(w.now() + 3_600_000).toISOString())
    await see('1999-01-01T00:00:00.000Z')
    expect(await unread(w, alice)).toBe(0)
    w.tick(10)
    likeAll(people.slice(2, 3))
    expect(await unread(w, alice)).toBe(1)
    expect(await readOnes()).toEqual([false, true, true])
  })

  test('hidden notifications are not counted', async () => {
    likeAll(people.slice(0, 5))
    w.mute(alice, people[0]!)
    w.block(people[1]!, alice)
    w.status(people[2]!, 'takendown')
    expect(await unread(w, alice)).toBe(2)
    expect(await notified(w, alice)).toHaveLength(2)
  })

  test('replies that the list leaves out are not counted: those the member hid, and those a labeler did', async () => {
    const [bob, carol, dan, labeler] = people as [string, string, string, string]
    w.dispose()
    w = createServingWorld({ scope: 'network', members: ['alice'], labelers: [labeler] })
    for (const did of [alice, labeler]) w.profile(did)
    post = w.post(alice)
    const reply = (did: string, parent: RecordId) => w.post(did, { reply: { root: post, parent } })
    const [hidden, reviewed] = [reply(bob, post), reply(carol, post)]
    reply(dan, post)
    const lists = async () => {
      const headers = { 'atproto-accept-labelers': `${labeler};redact` }
      const { body } = await w.ask<NotificationPage>(LIST, {}, alice, headers)
      const counted = await w.ask(`${NOTIFICATION}.getUnreadCount`, {}, alice, headers)
      return [body.notifications.length, counted.body['count']]
    }
    expect(await lists()).toEqual([3, 3])
    w.threadgate(post, undefined, { hiddenReplies: [hidden.uri] })
    expect(await lists()).toEqual([2, 2])
    const label = { uri: reviewed.uri, val: 'needs-review', neg: false, cid: undefined }
    const cts = w.isoNow()
    w.run((ctx) => applyLabels(ctx, labeler, [{ ...label, cts, exp: undefined }]))
    expect(await lists()).toEqual([1, 1])
    w.follow(alice, carol)
    expect(await lists()).toEqual([2, 2])
  })

  test('counts up to a limit', async () => {
    const many = Array.from({ length: 1_100 }, (_, i) => didOf(`fan${i}`))
    w.apply(w.hold(() => void likeAll(many)))
    expect(await unread(w, alice)).toBe(1_000)
  })
})

describe('priority', () => {
  test('lists only notifications from accounts the member follows, by request but not by a setting', async () => {
    w.follow(alice, people[0]!)
    const [first, ...others] = likeAll(people.slice(0, 3))

    expect(await notified(w, alice, { priority: true })).toEqual([first])
    const { status } = await w.tell(`${NOTIFICATION}.putPreferences`, { priority: true }, alice)
    expect(status).toBe(200)
    expect((await readPage(w, alice)).priority).toBe(false)
    expect(await notified(w, alice)).toEqual([...others.reverse(), first])
    expect(await notified(w, alice, { priority: true })).toEqual([first])
  })

  test('set for the first time, before anything was seen, marks all as seen', async () => {
    const put = (priority: boolean) => w.tell(`${NOTIFICATION}.putPreferences`, { priority }, alice)
    const counts = async () => [
      await unread(w, alice),
      (await notificationsOf(w, alice)).filter(({ isRead }) => !isRead).length,
    ]
    likeAll(people.slice(0, 3))
    expect(await counts()).toEqual([3, 1])
    w.tick()
    await put(false)
    expect(await counts()).toEqual([0, 0])
    w.tick()
    likeAll(people.slice(3, 5))
    await put(false)
    expect(await counts()).toEqual([2, 2])
  })
})

describe('preferences', () => {
  type Answer = { preferences: Record<string, Record<string, unknown>> }
  const get = () => w.get<Answer>(`${NOTIFICATION}.getPreferences`, {}, alice)
  const put = (input: object) => w.tell(`${NOTIFICATION}.putPreferencesV2`, input, alice)

  test('start with everything enabled, and keep settings that are not named', async () => {
    const all = { include: 'all', list: true, push: true }
    expect((await get()).preferences).toMatchObject({
      chat: { include: 'all', push: true },
      like: all,
      repostViaRepost: all,
      verified: { list: true, push: true },
    })
    const like = { include: 'follows', list: true, push: false }
    const answer = await put({ like })
    expect((answer.body as Answer).preferences['like']).toEqual(like)
    const link = { $link: post.cid }
    await put({
      verified: { list: false, push: true, link },
      link,
      chat: { include: 'accepted', push: false },
    })

    const { preferences } = await get()
    expect(preferences).toEqual((await put({})).body && preferences)
    expect(preferences).toMatchObject({ like, verified: { list: false, push: true }, repost: all })
    expect(preferences['chat']).toEqual({ include: 'all', push: true })
  })

  test('decide what is listed and counted', async () => {
    w.follow(alice, people[0]!)
    const [first] = likeAll(people.slice(0, 3))
    const reply = w.post(people[5]!, { reply: { parent: post } })
    w.follow(people[6]!, alice)
    await put({ like: { include: 'follows', list: true, push: true } })
    await put({ follow: { include: 'all', list: false, push: true } })

    expect((await notificationsOf(w, alice)).map(asLine)).toEqual([
      `reply ${reply.uri} ${post.uri}`,
      first,
    ])
    expect(await unread(w, alice)).toBe(2)
  })

  test('are refused where they do not match the lexicon', async () => {
    expect((await put({ like: { include: 'all' } })).status).toBe(400)
    expect((await w.tell(`${NOTIFICATION}.putPreferences`, {}, alice)).status).toBe(400)
    expect((await w.tell(`${NOTIFICATION}.updateSeen`, { seenAt: 'soon' }, alice)).status).toBe(400)
  })
})

test('push registration answers MethodNotImplemented', async () => {
  const input = { serviceDid: didOf('service'), token: 't', platform: 'ios', appId: 'app' }
  for (const name of ['registerPush', 'unregisterPush']) {
    const { status, body } = await w.tell(`${NOTIFICATION}.${name}`, input, alice)
    expect([status, (body as { error: string }).error]).toEqual([501, 'MethodNotImplemented'])
  }
})
