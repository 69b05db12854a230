// Muted threads: every post of the thread is marked as muted for the viewer, and no post in it notifies them
// any more.

import { afterEach, expect, test } from 'vitest'
import { createServingWorld } from '../../../../../support/serving-world.ts'

type Thread = { thread: { value: { post: { uri: string; viewer?: { threadMuted: boolean } } } }[] }
type Notifications = { notifications: { reason: string; uri: string }[] }

let w: ReturnType<typeof createServingWorld>
afterEach(() => w.dispose())

function start() {
  w = createServingWorld({ scope: 'network', members: ['alice', 'bob'] })
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => w.account(name)) as [
    string,
    string,
    string,
  ]
  for (const did of [alice, bob, carol]) w.profile(did)
  const root = w.post(alice, 'root')
  const reply = w.post(bob, { reply: { parent: root } })
  const other = w.post(alice, 'other')
  return { alice, bob, carol, root, reply, other }
}

const mute = (root: string, viewer: string) => w.tell('app.bsky.graph.muteThread', { root }, viewer)
const unmute = (root: string, viewer: string) =>
  w.tell('app.bsky.graph.unmuteThread', { root }, viewer)

async function mutedIn(anchor: string, viewer: string): Promise<(boolean | undefined)[]> {
  const { thread } = await w.get<Thread>(
    'app.bsky.unspecced.getPostThreadV2',
    { anchor, sort: 'oldest' },
    viewer,
  )
  return thread.map(({ value }) => value.post.viewer?.threadMuted)
}

async function notifiedOf(viewer: string): Promise<string[]> {
  const nsid = 'app.bsky.notification.listNotifications'
  const { notifications } = await w.get<Notifications>(nsid, {}, viewer)
  return notifications.map(({ reason }) => reason)
}

test('marks every post of the thread for the muting viewer only, until it is unmuted', async () => {
  const { alice, bob, root, reply, other } = start()
  expect(await mutedIn(root.uri, alice)).toEqual([false, false])
  expect((await mute(root.uri, alice)).status).toBe(200)
  expect(await mutedIn(root.uri, alice)).toEqual([true, true])
  expect(await mutedIn(reply.uri, alice)).toEqual([true, true])
  expect(await mutedIn(other.uri, alice)).toEqual([false])
  expect(await mutedIn(root.uri, bob)).toEqual([false, false])
  expect((await mute(root.uri, alice)).status).toBe(200)
  expect((await unmute(root.uri, alice)).status).toBe(200)
  expect(await mutedIn(root.uri, alice)).toEqual([false, false])
})

test('stops notifications about one’s posts in the thread', async () => {
  const { alice, bob, carol, root, reply, other } = start()
  expect(await notifiedOf(alice)).toEqual(['reply'])
  await mute(root.uri, alice)
  w.post(carol, { reply: { parent: reply, root } })
  w.like(carol, root)
  w.repost(carol, root)
  w.post(carol, { quote: root })
  expect(await notifiedOf(alice)).toEqual(['reply'])
  w.like(carol, other)
  expect(await notifiedOf(alice)).toEqual(['like', 'reply'])
  // Bob did not mute it.
  expect(await notifiedOf(bob)).toContain('reply')
})

test('notifies again of what happens after unmuting', async () => {
  const { alice, carol, root } = start()
  await mute(root.uri, alice)
  w.like(carol, root)
  await unmute(root.uri, alice)
  w.repost(carol, root)
  expect(await notifiedOf(alice)).toEqual(['repost', 'reply'])
})

test('survives a restart', async () => {
  const { alice, root } = start()
  await mute(root.uri, alice)
  w.restart()
  const muted = w.world.db.prepare('SELECT count(*) FROM thread_mutes').pluck().get()
  expect(muted).toBe(1)
})

test('an unknown thread can be muted before it arrives', async () => {
  const { alice, carol } = start()
  const event = w.hold(() => w.post(carol, 'later'))
  const [later] = event as unknown as [{ rkey: string }]
  const uri = `at://${carol}/app.bsky.feed.post/${later.rkey}`
  expect((await mute(uri, alice)).status).toBe(200)
  w.apply(event)
  expect(await mutedIn(uri, alice)).toEqual([true])
})

test('is refused without a token, for a non-post, and for an account that does not exist', async () => {
  w = createServingWorld({ members: ['alice'], absent: ['did:plc:nobody2222222222222222222'] })
  const alice = w.account('alice')
  const nobody = 'at://did:plc:nobody2222222222222222222/app.bsky.feed.post/3kabcdefgh222'
  const own = `at://${alice}/app.bsky.feed.post/3kabcdefgh222`
  const list = `at://${alice}/app.bsky.graph.list/3kabcdefgh222`
  for (const nsid of ['app.bsky.graph.muteThread', 'app.bsky.graph.unmuteThread']) {
    expect((await w.tell(nsid, { root: own })).status).toBe(401)
    expect((await w.tell(nsid, { root: list }, alice)).status).toBe(400)
    expect((await w.tell(nsid, { root: nobody }, alice)).status).toBe(400)
    expect((await w.tell(nsid, {}, alice)).status).toBe(400)
  }
  expect(w.db.prepare('SELECT count(*) FROM posts').pluck().get()).toBe(0)
})
