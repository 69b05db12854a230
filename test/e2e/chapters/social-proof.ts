// Who follows whom, and which of a viewer's follows follow another account.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { block, follow, remove } from '../support/account.ts'
import {
  followers,
  follows,
  knownFollowers,
  profile,
  relationship,
  socialProof,
} from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function socialProofChapter(world: () => World): void {
  test('known followers are exactly the viewer’s follows that follow the subject', async () => {
    const [alice, bob, carol, dan] = await people(world(), 'alice', 'bob', 'carol', 'dan')
    const [star, stranger] = await people(world(), 'star', 'stranger')
    for (const account of [bob, carol, dan]) await follow(alice, account)
    for (const account of [bob, carol, stranger]) await follow(account, star)
    const known = new Set([bob.did, carol.did])
    await eventually(async () => {
      const { subject, followers } = await knownFollowers(alice, star)
      expect(subject.did).toBe(star.did)
      expect(new Set(followers.map(({ did }) => did))).toEqual(known)
      const { viewer } = await profile(alice, star)
      expect(viewer?.knownFollowers?.count).toBe(2)
      expect(new Set(viewer?.knownFollowers?.followers.map(({ did }) => did))).toEqual(known)
      const [proof] = await socialProof(alice, [star, dan])
      expect(proof).toMatchObject({ did: star.did, count: 2 })
      expect(new Set(proof?.followers.map(({ did }) => did))).toEqual(known)
    })
    const [late] = await people(world(), 'late')
    await follow(alice, late)
    await follow(late, star)
    await eventually(async () => {
      expect((await profile(alice, star)).viewer?.knownFollowers?.count).toBe(3)
    })
  })

  test('known followers change with each follow and unfollow', async () => {
    const [alice, bob, carol, star] = await people(world(), 'alice', 'bob', 'carol', 'star')
    const mine = [await follow(alice, bob), await follow(alice, carol)]
    const theirs = [await follow(bob, star), await follow(carol, star)]
    const known = async () => (await knownFollowers(alice, star)).followers.map(({ did }) => did)
    await eventually(async () => expect((await known()).length).toBe(2))
    await remove(carol, theirs[1]!)
    await eventually(async () => expect(await known()).toEqual([bob.did]))
    await remove(alice, mine[0]!)
    await eventually(async () => expect(await known()).toEqual([]))
    await follow(carol, star)
    await world().stands('known followers', async () => {
      expect(await known()).toEqual([carol.did])
      expect((await profile(alice, star)).viewer?.knownFollowers).toMatchObject({
        count: 1,
        followers: [{ did: carol.did }],
      })
    })
  })

  test('known followers have pages that neither skip nor repeat', async () => {
    const [alice, star] = await people(world(), 'alice', 'star')
    const friends = await people(world(), 'ann', 'ben', 'cat', 'dot', 'eve', 'fay', 'guy')
    for (const friend of friends) {
      await follow(alice, friend)
      await follow(friend, star)
    }
    await world().stands('pages of known followers', async () => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await knownFollowers(alice, star, { limit: 2, ...(cursor && { cursor }) })
        expect(page.followers.length).toBeLessThanOrEqual(2)
        found.push(...page.followers.map(({ did }) => did))
        cursor = page.cursor
      } while (cursor)
      expect(found.toSorted()).toEqual(friends.map(({ did }) => did as string).toSorted())
      expect((await profile(alice, star)).viewer?.knownFollowers?.followers).toHaveLength(5)
    })
  })

  test('follow lists, counts and relationships match the written records', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    const alicesFollow = await follow(alice, bob)
    const bobsFollow = await follow(bob, alice)
    await follow(alice, carol)
    const wall = await block(bob, carol)
    await world().stands('follow lists', async () => {
      expect(new Set(await follows(alice, alice))).toEqual(new Set([bob.did, carol.did]))
      expect(await followers(alice, alice)).toEqual([bob.did])
      expect(await profile(carol, alice)).toMatchObject({ followsCount: 2, followersCount: 1 })
      expect(await relationship(alice, alice, bob)).toMatchObject({
        did: bob.did,
        following: alicesFollow.uri,
        followedBy: bobsFollow.uri,
      })
      expect(await relationship(alice, bob, carol)).toMatchObject({ blocking: wall.uri })
    })
  })
}
