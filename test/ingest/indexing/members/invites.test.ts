// Invites and admissions on a real database, and random histories of them against a naive model.

import { expect, test } from 'vitest'
import { findAdmission } from '../../../../src/data/store/members/admissions.ts'
import { newInviteCode, readInviteCode } from '../../../../src/data/store/members/invite-code.ts'
import { findInvite, listInvites } from '../../../../src/data/store/members/invites.ts'
import { findMember } from '../../../../src/data/store/members/members.ts'
import {
  createInvite,
  disableInvite,
  redeemInvite,
} from '../../../../src/ingest/indexing/members/invites.ts'
import {
  addMember,
  endMembership,
} from '../../../../src/ingest/indexing/members/operator-members.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type World } from '../../../support/world.ts'

type ModelInvite = { left: number; isOff: boolean; expiresAt: number | null }

function isDone(world: World, work: Parameters<World['run']>[0]): boolean {
  try {
    world.run(work)
    return true
  } catch (error) {
    if ((error as Error).name === 'InviteError') return false
    throw error
  }
}

test('random histories match a map', () => {
  const random = createRandom(testSeed('invites'))
  const world = createWorld()
  const codes = Array.from({ length: 6 }, newInviteCode)
  const limits = { maxMembers: 12, except: [] }
  const people = Array.from({ length: 30 }, (_, i) => `did:plc:${String(i).padStart(24, 'a')}`)
  const invites = new Map<string, ModelInvite>()
  const admitted = new Map<string, string | null>()
  const acts = {
    create(code: string) {
      if (invites.has(code)) return
      const maxUses = 1 + random.below(4)
      const expiresAt = random.chance(0.3) ? world.now() + random.below(200) : null
      world.run((ctx) => createInvite(ctx, { code, maxUses, note: '', expiresAt }))
      invites.set(code, { left: maxUses, isOff: false, expiresAt })
    },
    disable(code: string) {
      const invite = invites.get(code)
      let wasOn = false
      world.run((ctx) => {
        wasOn = disableInvite(ctx, code)
      })
      expect(wasOn).toBe(invite !== undefined && !invite.isOff)
      if (invite) invite.isOff = true
    },
    redeem(code: string, did: string) {
      const invite = invites.get(code)
      const isOver = invite?.expiresAt != null && invite.expiresAt <= world.now()
      const isUsable = invite && !invite.isOff && invite.left > 0 && !isOver
      const hasCapacity = admitted.size < limits.maxMembers
      expect(isDone(world, (ctx) => redeemInvite(ctx, did, { code, ...limits }))).toBe(
        (!!isUsable && hasCapacity) || admitted.has(did),
      )
      if (admitted.has(did) || !isUsable || !hasCapacity) return
      invite.left -= 1
      admitted.set(did, code)
    },
    admit(_: string, did: string) {
      world.run((ctx) => addMember(ctx, did))
      if (!admitted.has(did)) admitted.set(did, null)
    },
    dismiss(_: string, did: string) {
      world.run((ctx) => endMembership(ctx, did))
      admitted.delete(did)
    },
  }

  for (let i = 0; i < 600; i++) {
    world.tick(random.below(5))
    const name = random.pick(['create', 'redeem', 'redeem', 'redeem', 'admit', 'dismiss'] as const)
    const act = random.chance(0.02) ? 'disable' : name
    acts[act](random.pick(codes), random.pick(people))
  }
  for (const did of people) {
    expect(findAdmission(world.db, did)?.code, did).toEqual(admitted.get(did))
    expect(findMember(world.db, world.uid(did)) !== undefined, did).toBe(admitted.has(did))
  }
  for (const [code, { left, isOff }] of invites) {
    const row = findInvite(world.db, code)!
    expect([row.max_uses - row.uses, row.disabled_at !== null]).toEqual([left, isOff])
  }
  expect(listInvites(world.db, 100).length).toBe(invites.size)
  world.dispose()
})

test('reads a code in any spelling a person may type, and nothing else', () => {
  for (let i = 0; i < 200; i++) {
    const code = newInviteCode()
    const bare = code.replaceAll('-', '')
    for (const typed of [code, ` ${code.toUpperCase()} `, bare, bare.replace(/(.{4})/g, '$1 ')]) {
      expect(readInviteCode(typed)).toBe(code)
    }
  }
  for (const text of [
    '',
    '-',
    'abcde',
    'a'.repeat(16),
    'a'.repeat(1e6),
    '00000-11111-lllll',
    '%',
  ]) {
    expect(readInviteCode(text)).toBeUndefined()
  }
})
