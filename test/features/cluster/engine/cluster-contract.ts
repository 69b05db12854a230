// What nodes guarantee for members, invites, tokens and the operator's decisions, for a single node and for
// several that share an engine: a change made on one node holds on all.

import { expect, test } from 'vitest'
import type { OperatorRequest } from '../../../../src/bridge/messages.ts'
import { findAdmission } from '../../../../src/data/store/members/admissions.ts'
import { findInvite } from '../../../../src/data/store/members/invites.ts'
import { allMembers } from '../../../../src/data/store/members/members.ts'
import { isBanned } from '../../../../src/data/store/moderation/bans.ts'
import { moderationLog } from '../../../../src/data/store/moderation/moderation-log.ts'
import { hasTag } from '../../../../src/data/store/moderation/moderation-tags.ts'
import { blobsHiddenWith, findTakedown } from '../../../../src/data/store/moderation/takedowns.ts'
import {
  prepareFindServiceToken,
  tokenDigest,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import type { ClusterNode } from './cluster-nodes.ts'

export const MAX_MEMBERS = 5
const SEED = testSeed('the place')
const TOKEN = `slt_${'a'.repeat(43)}`
const POST = `at://${didOf('mallory')}/app.bsky.feed.post/3kaaaaaaaaaa2`
const LIKE = POST.replace('post', 'like')

type Open = () => Promise<{ nodes: readonly ClusterNode[]; close(): void }>

/** @param open - opens nodes of a new keyspace with `MAX_MEMBERS` */
export function testClusterContract(open: Open): void {
  async function withNodes(work: (random: Random, nodes: readonly ClusterNode[]) => Promise<void>) {
    const { nodes, close } = await open()
    try {
      await work(createRandom(SEED), nodes)
    } finally {
      close()
    }
  }

  test(`an invite admits as many accounts as it allows, whichever nodes they use (seed ${SEED})`, () =>
    withNodes(async (random, nodes) => {
      const request = { code: 'abcd', maxUses: 3, note: 'a note', expiresAt: null }
      await random.pick(nodes).operate({ kind: 'create-invite', ...request })
      const people = Array.from({ length: 6 }, (_, i) => didOf(`guest ${i}`))
      const outcomes = await Promise.all(
        people.map((did) =>
          random
            .pick(nodes)
            .send({ kind: 'redeem-invite', did, code: 'abcd' })
            .then(
              () => 'in',
              ({ name, message }: Error) => `${name}: ${message}`,
            ),
        ),
      )
      expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(3)
      const left = outcomes.filter((outcome) => outcome !== 'in')
      expect(left).toEqual(left.map(() => 'InviteError: This invite is used up.'))
      const again = people[outcomes.indexOf('in')]!
      await random.pick(nodes).send({ kind: 'redeem-invite', did: again, code: 'abcd' })
      for (const { db } of await refreshed(nodes)) {
        expect(findInvite(db, 'abcd')).toMatchObject({ uses: 3, note: 'a note' })
        const admitted = people.map((did) => findAdmission(db, did)?.code === 'abcd')
        expect(admitted).toEqual(outcomes.map((outcome) => outcome === 'in'))
      }
      const end = { kind: 'disable-invite', code: 'abcd' } as const
      expect(await random.pick(nodes).operate(end)).toEqual({ disabled: 1 })
      expect(await random.pick(nodes).operate(end)).toEqual({ disabled: 0 })
    }))

  test('redeeming takes a seat, and none is taken twice', () =>
    withNodes(async (random, nodes) => {
      const request = { code: 'abcd', maxUses: 9, note: '', expiresAt: null }
      await random.pick(nodes).operate({ kind: 'create-invite', ...request })
      const people = Array.from({ length: 7 }, (_, i) => didOf(`guest ${i}`))
      const outcomes = await Promise.allSettled(
        people.map((did) => random.pick(nodes).send({ kind: 'redeem-invite', did, code: 'abcd' })),
      )
      const left = outcomes.filter(({ status }) => status === 'rejected')
      expect(left.map((result) => String((result as PromiseRejectedResult).reason))).toEqual(
        Array(2).fill('InviteError: This server is full: it takes no more members.'),
      )
      const members = people.filter((_, i) => outcomes[i]!.status === 'fulfilled').toSorted()
      expect(members).toHaveLength(MAX_MEMBERS)
      for (const node of await refreshed(nodes)) {
        expect(membersOf(node)).toEqual(members)
        expect(findInvite(node.db, 'abcd')).toMatchObject({ uses: MAX_MEMBERS })
      }
    }))

  test(`members never exceed the limit, and all nodes agree on them (seed ${SEED})`, () =>
    withNodes(async (random, nodes) => {
      const people = Array.from({ length: 9 }, (_, i) => didOf(`comer ${i}`))
      const outcomes: boolean[] = []
      for (const did of people) outcomes.push(await comes(random.pick(nodes), did))
      expect(outcomes.filter((outcome) => outcome)).toHaveLength(MAX_MEMBERS)
      const members = people.filter((_, i) => outcomes[i])
      for (const node of await refreshed(nodes)) expect(membersOf(node)).toEqual(members.toSorted())
      const { removed } = await random
        .pick(nodes)
        .operate({ kind: 'remove-member', did: members[0]! })
      expect(removed).toBe(1)
      const late = people[outcomes.indexOf(false)]!
      await random.pick(nodes).send({ kind: 'member-seen', did: late })
      for (const node of await refreshed(nodes)) {
        expect(membersOf(node)).toEqual([...members.slice(1), late].toSorted())
      }
    }))

  test('a token is valid on all nodes until it is revoked on one', () =>
    withNodes(async (random, nodes) => {
      const request = { name: 'echo', digest: tokenDigest(TOKEN), scopes: ['read:*'], rate: 7 }
      const body = { ...request, expiresAt: null }
      const create = { kind: 'timelines/create-token', body } as const
      await random.pick(nodes).operate(create)
      const find = ({ db }: ClusterNode) => prepareFindServiceToken(db)(TOKEN, 0)
      for (const node of await refreshed(nodes)) expect(find(node)).toMatchObject({ rate: 7 })
      const other = { ...create, body: { ...body, digest: tokenDigest('another') } }
      await expect(random.pick(nodes).operate(other)).rejects.toThrow('choose another name')
      const revoke = { kind: 'timelines/revoke-token', body: { name: 'echo' } } as const
      expect(await random.pick(nodes).operate(revoke)).toEqual({ revoked: 1 })
      for (const node of await refreshed(nodes)) expect(find(node)).toBeUndefined()
      expect(await random.pick(nodes).operate(revoke)).toEqual({ revoked: 0 })
    }))

  test('accounts hidden, tagged and banned on one node are so on all, with author and reason', () =>
    withNodes(async (random, nodes) => {
      const eve = didOf('eve')
      const about = { by: 'anna', reason: 'spam', ref: 'case 7' }
      const decide = async (act: string, subject: string, more: object = {}) => {
        const request = { kind: 'moderate', act, subject, ...about, ...more } as OperatorRequest
        return (await random.pick(nodes).operate(request))['changed']
      }
      await random.pick(nodes).operate({ kind: 'add-member', did: eve })
      const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
      expect(await decide('hide', POST, { blobs: [cid] })).toBe(1)
      expect(await decide('hide', POST)).toBe(0)
      expect(await decide('tag', eve, { tag: 'rude' })).toBe(1)
      expect(await decide('ban', eve)).toBe(1)
      await expect(decide('tag', LIKE, { tag: 'rude' })).rejects.toThrow('accounts, their profiles')
      await expect(decide('untag', eve)).rejects.toThrow('Which tag')
      for (const node of await refreshed(nodes)) {
        expect(findTakedown(node.db, POST)).toMatchObject({ ref: 'case 7' })
        expect(blobsHiddenWith(node.db, POST)).toEqual([cid])
        expect([isBanned(node.db, eve), hasTag(node.db, eve, 'rude')]).toEqual([true, true])
        expect(membersOf(node)).toEqual([])
        const log = moderationLog(node.db, 9).map(({ act, by, reason }) => [act, by, reason])
        const acts = ['ban', 'tag', 'hide'].map((act) => [act, 'anna', 'spam'])
        expect(log).toEqual(acts)
      }
      await expect(random.pick(nodes).operate({ kind: 'add-member', did: eve })).rejects.toThrow(
        'banned',
      )
      for (const [act, subject] of [
        ['show', POST],
        ['untag', eve],
        ['allow', eve],
      ] as const) {
        expect(await decide(act, subject, { tag: act === 'untag' ? 'rude' : undefined })).toBe(1)
      }
      for (const { db } of await refreshed(nodes)) {
        expect(findTakedown(db, POST)).toBeUndefined()
        expect([isBanned(db, eve), hasTag(db, eve, 'rude')]).toEqual([false, false])
      }
    }))
}

/** Stores something too, so that the member's seat is not given away. */
async function comes({ send }: ClusterNode, did: string): Promise<boolean> {
  try {
    await send({ kind: 'member-seen', did })
    await send({ kind: 'mute', did, subjectDid: didOf('mallory') })
    return true
  } catch {
    return false
  }
}

/** Waits until each node has taken in the others' decisions. */
async function refreshed(nodes: readonly ClusterNode[]): Promise<readonly ClusterNode[]> {
  await Promise.all(nodes.map((node) => node.refresh()))
  return nodes
}

function membersOf({ db, didOfUid }: ClusterNode): string[] {
  return allMembers(db)
    .map(({ uid }) => didOfUid(uid))
    .toSorted()
}
