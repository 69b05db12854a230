// A member’s private state shared between nodes, as the member's concurrent requests take it in.

import { expect, test } from 'vitest'
import { changesOf } from '../../../../src/features/cluster/state/changes.ts'
import { didOf } from '../../../support/records.ts'
import { ALICE, startNode } from '../engine/sharing-nodes.ts'
import { createPlainPrivateChanges } from '../support/plain-private-changes.ts'

test('a request shows the state at its arrival, even if an earlier one meanwhile takes in less', async () => {
  const plain = createPlainPrivateChanges()
  const requested: (() => void)[] = []
  const since = async (member: string, number: number) => {
    const found = await plain.since(member, number)
    await new Promise<void>((resolve) => requested.push(resolve))
    return found
  }
  const node = startNode({ id: 'place', changes: async () => ({ ...plain, since }) })
  const mute = async (name: string) => {
    const act = { kind: 'mute' as const, subjectDid: didOf(name) }
    await plain.append(ALICE, changesOf(act, 1_790_000_000_000))
  }
  const read = () => node.world.get('app.bsky.graph.getMutes', {}, ALICE)
  await mute('bob')
  const first = read()
  await expect.poll(() => requested.length).toBe(1)
  await mute('carol')
  const second = read()
  await expect.poll(() => requested.length).toBe(2)
  requested[0]!()
  await first
  requested[1]!()
  await second
  const { mutes } = node.state(ALICE) as { mutes: string[] }
  expect(mutes.map((mute) => (JSON.parse(mute) as { did: string }).did)).toEqual(
    [didOf('bob'), didOf('carol')].sort(),
  )
  node.world.dispose()
})

test('a request sent before a node was paused is not executed when it resumes', async () => {
  const plain = createPlainPrivateChanges()
  const node = startNode({ id: 'place', changes: async () => plain })
  const mute = () => node.world.tell('app.bsky.graph.muteActor', { actor: didOf('bob') }, ALICE)
  // As SIGSTOP does to all threads.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200)
  expect(await mute()).toMatchObject({ status: 503, body: { error: 'EngineUnavailable' } })
  await expect.poll(async () => (await mute()).status).toBe(200)
  node.world.dispose()
})
