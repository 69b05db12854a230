// What features keep of a member: it moves with the member's document, and nodes that share an engine have it alike.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Writer } from '../../src/bridge/messages.ts'
import { runCli } from '../support/cli.ts'
import { cidOf, didOf } from '../support/records.ts'
import { createServingWorld, type ServingWorld } from '../support/serving-world.ts'
import { startNode } from './cluster/engine/sharing-nodes.ts'
import { createPlainPrivateChanges } from './cluster/support/plain-private-changes.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const FEED = 'io.slipstream.feed'
const NOTIFICATION = 'io.slipstream.notification'
const HOURS = { from: '22:30', until: '07:00', timeZone: 'Europe/Berlin' }
const POSITION = `1700000000000__${cidOf('a post')}`
const LIST = `at://${bob}/app.bsky.graph.list/3kaaaaaaaaaaa`

/** Alice sets all that features keep of a member. */
async function setAll(w: ServingWorld, writer: Writer = w.requests): Promise<void> {
  await w.tell(`${NOTIFICATION}.putQuietHours`, HOURS, alice)
  for (const timeline of [LIST, 'following'])
    await w.tell(`${FEED}.putPosition`, { timeline, position: POSITION }, alice)
  for (const times of [1, 2]) await wantLess(writer, times)
}

/** @param times - how often by then */
function wantLess(writer: Writer, times: number): Promise<void> {
  const body = { author: bob, times }
  return writer.send({ kind: 'for-you/less', did: alice, body })
}

function expected(updatedAt: unknown) {
  const position = POSITION
  return {
    'for-you': { less: [{ did: bob, times: 2, createdAt: updatedAt }] },
    push: { quietHours: HOURS },
    read: {
      positions: [
        { timeline: LIST, position, updatedAt },
        { timeline: 'following', position, updatedAt },
      ],
    },
  }
}

test('moves with the member’s document to a server that knows none of the accounts', async () => {
  const w = createServingWorld({ scope: 'network', members: ['alice'] })
  onTestFinished(() => w.dispose())
  for (const did of [alice, bob]) w.profile(did, { displayName: did.slice(-5) })
  await setAll(w)
  const exported = await runCli({ DATA_DIR: w.dataDir }, ['member', 'export', alice])
  const document = JSON.parse(exported.stdout) as { features: Record<string, unknown> }
  expect(document.features).toEqual(expected(expect.any(String)))
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-parts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const there = (args: string[], input?: string) => runCli({ DATA_DIR: folder }, args, input)
  const at = '2026-11-30T00:00:00.000Z'
  for (const bad of [
    { read: { positions: [{ timeline: 'followed', position: POSITION, updatedAt: at }] } },
    { read: { positions: [{ timeline: 'following', position: 'rubbish', updatedAt: at }] } },
    { read: { positions: [{ timeline: 'following', position: POSITION }] } },
    { 'for-you': { less: [{ did: 'bob', times: 1, createdAt: at }] } },
    { 'for-you': { less: [{ did: bob, times: 0, createdAt: at }] } },
    { 'for-you': null },
  ]) {
    const text = JSON.stringify({ ...document, features: bad })
    expect(await there(['member', 'import'], text)).toMatchObject({
      code: expect.toSatisfy((code: number) => code > 0),
      stderr: expect.stringContaining('bad features'),
    })
  }
  for (let i = 0; i < 2; i++)
    expect((await there(['member', 'import'], exported.stdout)).code).toBe(0)
  expect((await there(['member', 'export', alice])).stdout).toBe(exported.stdout)
})

test('is the same on all nodes of a cluster, also what a node had before it shared anything', async () => {
  const plain = createPlainPrivateChanges()
  const start = (id: string) => {
    const node = startNode({ id, changes: async () => plain })
    onTestFinished(() => node.world.dispose())
    node.world.follow(alice, bob)
    return node
  }
  const [one, other] = [start('cluster'), start('cluster')]
  await setAll(one.world, one.shared.writer)
  expect(await other.world.get(`${NOTIFICATION}.getQuietHours`, {}, alice)).toEqual(HOURS)
  const position = await other.world.get(`${FEED}.getPosition`, { timeline: 'following' }, alice)
  expect(position).toMatchObject({ position: POSITION })
  expect(other.state(alice)).toMatchObject({ features: expected(expect.any(String)) })

  await other.world.tell(`${NOTIFICATION}.putQuietHours`, {}, alice)
  expect(await one.world.get(`${NOTIFICATION}.getQuietHours`, {}, alice)).toEqual({})

  // An engine that was set up anew has nothing: the nodes bring what they have.
  const later = createPlainPrivateChanges()
  const [first, second] = [plain, later].map((changes, i) => ({ id: `c${i}`, changes }))
  let now = first!
  const moving = startNode({
    get id() {
      return now.id
    },
    changes: async () => now.changes,
  })
  onTestFinished(() => moving.world.dispose())
  moving.world.follow(alice, bob)
  await moving.shared.upToDate(alice)
  now = second!
  await moving.shared.upToDate(alice)
  const keys = (await later.since(alice, 0)).map(({ key }) => key).sort()
  expect(keys).toEqual(
    [`for-you/less ${bob}`, 'read/position following', `read/position ${LIST}`].sort(),
  )
})
