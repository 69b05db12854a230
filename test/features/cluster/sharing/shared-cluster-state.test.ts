// The state that nodes share, on a single node and on three that share a plain twin of an engine; the same
// suite runs on a real one (test/features/cluster/engine/cassandra.test.ts).

import { describe, expect, test } from 'vitest'
import { forbidden } from '../../../../src/base/atproto/xrpc-error.ts'
import { findAdmission } from '../../../../src/data/store/members/admissions.ts'
import { findInvite } from '../../../../src/data/store/members/invites.ts'
import { isBanned } from '../../../../src/data/store/moderation/bans.ts'
import type { ClusterChanges } from '../../../../src/features/cluster/engine/cluster-changes.ts'
import { EngineUnavailableError } from '../../../../src/features/cluster/engine/connect.ts'
import {
  prepareFindServiceToken,
  tokenDigest,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import { didOf } from '../../../support/records.ts'
import { MAX_MEMBERS, testClusterContract } from '../engine/cluster-contract.ts'
import { type ClusterNode, createClusterNode } from '../engine/cluster-nodes.ts'
import { createPlainClusterChanges } from '../support/plain-cluster-changes.ts'

function opened(nodes: ClusterNode[]) {
  return { nodes, close: () => nodes.forEach((node) => void node.close()) }
}

function sharing(decisions: ClusterChanges, count: number): ClusterNode[] {
  const cluster = { id: 'place', decisions: async () => decisions }
  return Array.from({ length: count }, () => createClusterNode(MAX_MEMBERS, cluster))
}

describe('a single node', () => {
  testClusterContract(async () => opened([createClusterNode(MAX_MEMBERS)]))
})

describe('three nodes that share', () => {
  testClusterContract(async () => opened(sharing(createPlainClusterChanges(), 3)))
})

test('simultaneous newcomers at different nodes take no more seats than there are', async () => {
  const nodes = sharing(createPlainClusterChanges(), 3)
  const comers = Array.from({ length: 9 }, (_, i) =>
    nodes[i % 3]!.send({ kind: 'member-seen', did: didOf(`comer ${i}`) }),
  )
  const outcomes = await Promise.allSettled(comers)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_MEMBERS)
  for (const node of nodes) {
    await node.refresh()
    expect(node.cluster!.countMembers()).toBe(MAX_MEMBERS)
    node.close()
  }
})

const ban = (name: string) =>
  ({ kind: 'moderate', act: 'ban', subject: didOf(name), by: 'anna', reason: '' }) as const

test('a node’s earlier state is merged when it starts sharing, and it receives the others’', async () => {
  const decisions = createPlainClusterChanges()
  const [first] = sharing(decisions, 1)
  await first!.operate(ban('eve'))
  const alone = createClusterNode(MAX_MEMBERS)
  const token = `slt_${'b'.repeat(43)}`
  const request = { name: 'old', digest: tokenDigest(token), scopes: ['read:*'], rate: 0 }
  const cluster = { id: 'place', decisions: async () => decisions }
  const late = createClusterNode(MAX_MEMBERS, cluster, alone.world)
  await alone.operate({
    kind: 'timelines/create-token',
    body: { ...request, expiresAt: null },
  })
  const invite = { code: 'abcd', maxUses: 2, note: '', expiresAt: null }
  await alone.operate({ kind: 'create-invite', ...invite })
  await alone.send({ kind: 'redeem-invite', did: didOf('bob'), code: 'abcd' })
  await alone.operate({ kind: 'add-member', did: didOf('alice') })
  await alone.operate(ban('mallory'))
  await late.refresh()
  await first!.refresh()
  for (const { db } of [first!, late]) {
    expect([isBanned(db, didOf('eve')), isBanned(db, didOf('mallory'))]).toEqual([true, true])
    expect(prepareFindServiceToken(db)(token, 0)).toBeDefined()
    expect(findInvite(db, 'abcd')).toMatchObject({ uses: 1 })
    expect(findAdmission(db, didOf('bob'))).toMatchObject({ code: 'abcd' })
  }
  expect([first!, late].map((node) => node.cluster!.hasMember(didOf('alice')))).toEqual([
    true,
    true,
  ])
  for (const node of [first!, late]) node.close()
})

test('a decision with an unknown outcome is taken once', async () => {
  const decisions = createPlainClusterChanges()
  const puts: number[] = []
  const unsure: ClusterChanges = {
    ...decisions,
    async put(version, changes) {
      puts.push(version)
      const isDone = await decisions.put(version, changes)
      if (puts.length === 1) throw new EngineUnavailableError('too late')
      return isDone
    },
  }
  const [node] = sharing(unsure, 1)
  expect(await node!.operate(ban('eve'))).toEqual({ changed: 1 })
  expect(puts).toEqual([0])
  expect(await decisions.version()).toBe(1)
  node!.close()
})

test('without the engine decisions are refused with an error, and known state stays', async () => {
  const decisions = createPlainClusterChanges()
  let isAway = false
  const away = { id: 'place', decisions: async () => decisions }
  const node = createClusterNode(MAX_MEMBERS, {
    ...away,
    async decisions() {
      if (isAway) throw new EngineUnavailableError('away')
      return decisions
    },
  })
  await node.operate(ban('eve'))
  isAway = true
  await expect(node.operate(ban('mallory'))).rejects.toMatchObject({
    status: 503,
    error: 'EngineUnavailable',
  })
  expect([isBanned(node.db, didOf('eve')), isBanned(node.db, didOf('mallory'))]).toEqual([
    true,
    false,
  ])
  node.close()
})

test('a node that was away while many decisions were removed learns of all of them', async () => {
  const decisions = createPlainClusterChanges()
  const [first, away] = sharing(decisions, 2)
  for (const name of ['eve', 'mallory']) await first!.operate(ban(name))
  await away!.refresh()
  const allow = { ...ban('eve'), act: 'allow' } as const
  await first!.operate(allow)
  const version = await decisions.version()
  expect(await decisions.prune(version, [version])).toBe(true)
  await first!.operate(ban('trent'))
  await away!.refresh()
  const banned = ['eve', 'mallory', 'trent'].map((name) => isBanned(away!.db, didOf(name)))
  expect(banned).toEqual([false, true, true])
  for (const node of [first!, away!]) node.close()
})

test('an account admitted on one node is not refused by another that has not learnt of it yet', async () => {
  const nodes = sharing(createPlainClusterChanges(), 2)
  const [first, second] = nodes
  const invite = { code: 'abcd', maxUses: 1, note: '', expiresAt: null }
  await first!.operate({ kind: 'create-invite', ...invite })
  const may = (did: string) =>
    second!.cluster!.withNews((asking) => {
      if (!findAdmission(second!.db, asking)) throw forbidden('not here', 'NotAMember')
    })(did, { isForUs: true }, { header: () => undefined, remoteAddress: undefined })
  await expect(may(didOf('bob'))).rejects.toThrow('not here')
  await first!.send({ kind: 'redeem-invite', did: didOf('bob'), code: 'abcd' })
  await may(didOf('bob'))
  await expect(may(didOf('carol'))).rejects.toThrow('not here')
  for (const node of nodes) node.close()
})

test('an account whose membership the operator ends has no state left on the engine', async () => {
  const [node] = sharing(createPlainClusterChanges(), 1)
  await node!.operate({ kind: 'add-member', did: didOf('alice') })
  await node!.operate({ kind: 'remove-member', did: didOf('alice') })
  await node!.operate(ban('eve'))
  expect(node!.forgotten).toEqual([didOf('alice'), didOf('eve')])
  node!.close()
})
