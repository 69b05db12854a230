// The state that nodes share on a real engine: the contract with two nodes, the contents of the tables, and
// two whole servers where one learns what the other was told.

import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { createCqlClusterChanges } from '../../../../src/features/cluster/engine/cql-cluster-changes.ts'
import { createCqlPrivateChanges } from '../../../../src/features/cluster/engine/cql-private-changes.ts'
import { cliJson, runCli } from '../../../support/cli.ts'
import { didOf } from '../../../support/records.ts'
import { becomes, startTimelinesProcess } from '../../../support/timelines-process.ts'
import { MAX_MEMBERS, testClusterContract } from './cluster-contract.ts'
import { createClusterNode } from './cluster-nodes.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }

const PATIENCE_MS = 30_000

export function testCluster({ connect, address }: ClusterState): void {
  const engines: Engine[] = []

  async function emptied() {
    if (engines.length === 0) engines.push(await connect(), await connect())
    const [engine] = engines
    await engine!.define(`TRUNCATE ${engine!.keyspace}.place_changes`)
    return engines.map(createCqlClusterChanges)
  }

  describe('two nodes that share state', () => {
    testClusterContract(async () => {
      const nodes = (await emptied()).map((placeChanges) =>
        createClusterNode(MAX_MEMBERS, { id: 'place', decisions: async () => placeChanges }),
      )
      return { nodes, close: () => nodes.forEach((node) => void node.close()) }
    })
  })

  test('keeps the latest change of each key, and gives an absent node all that remain', async () => {
    const [first, second] = await emptied()
    const about = (key: string, replaces?: number) => {
      return { key, change: '{}', isGone: replaces !== undefined, replaces }
    }
    expect(await first!.put(0, [about('x'), about('y')])).toBe(true)
    expect(await second!.put(0, [about('z')])).toBe(false)
    expect(await second!.put(2, [about('x', 1)])).toBe(true)
    const left = [
      { key: 'y', number: 2, isGone: false },
      { key: 'x', number: 3, isGone: true },
    ]
    expect(await first!.since(0)).toMatchObject({ version: 3, isComplete: false, changes: left })
    expect([await first!.prune(2, [3]), await first!.prune(3, [3])]).toEqual([false, true])
    const complete = { version: 3, isComplete: true, goneUntil: 3, changes: left.slice(0, 1) }
    expect(await second!.since(1)).toMatchObject(complete)
    expect(await second!.since(3)).toMatchObject({ isComplete: false, changes: [] })
  })

  test('a member’s stored state is dropped, and numbering continues afterwards', async () => {
    const changes = createCqlPrivateChanges(await connect(), PATIENCE_MS)
    const member = didOf('forgotten')
    const stored = ['a', 'b'].map((key) => ({ key, change: '1', madeAt: 1 }))
    expect(await changes.append(member, stored)).toBe(2)
    await changes.forget(member)
    expect([await changes.since(member, 0), await changes.version(member)]).toEqual([[], 3])
    await changes.forget(member)
    expect(await changes.append(member, stored.slice(0, 1))).toBe(4)
  })

  test('a token and an invite of one server are valid on the other until it revokes them', async () => {
    await emptied()
    const env = { ENGINE: address(), SERVE_THREADS: '1', MEMBERS: 'invite' }
    const first = await startTimelinesProcess(['alice'], env)
    const second = await startTimelinesProcess(['alice'], env, first)
    await Promise.all([first.start(), second.start()])
    const token = await first.token('echo', 'read:*')
    const status = async () => (await second.page('custom:none', 'limit=1', token)).status
    await becomes(status, (value) => value !== 401)
    const { code } = await cliJson<{ code: string }>(second.settings, ['invite', 'create'])
    const list = () => cliJson<{ invites: object[] }>(first.settings, ['invite', 'list'])
    await becomes(list, ({ invites }) => JSON.stringify(invites).includes(code))
    await cliJson(first.settings, ['token', 'revoke', 'echo'])
    await becomes(status, (value) => value === 401)
    await second.stop()
    const offline = await runCli(second.settings, ['token', 'create', 'late', '--scope', 'read:*'])
    expect([offline.code, offline.stderr]).toEqual([78, expect.stringContaining('shares members')])
    await second.close()
    await first.close()
  })
}
