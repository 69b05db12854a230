// Slipstream stops, gracefully and not, while people continue to write.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { follow, post, remove } from '../support/account.ts'
import { knownFollowers, postView, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

export function restartsChapter(world: () => World): void {
  test.each(['stop', 'kill'] as const)(
    'after %s and start, all state is kept and no event was missed',
    async (end) => {
      const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
      await follow(alice, bob)
      const [stored, regretted] = [await post(bob, 'before'), await post(bob, 'regretted')]
      await eventually(async () => {
        expect(texts(await timeline(alice))).toEqual(['regretted', 'before'])
      })
      await world().slipstream[end]()
      await post(bob, 'meanwhile')
      await remove(bob, regretted)
      await follow(alice, carol)
      await follow(bob, carol)
      await post(carol, 'from someone new')
      await world().slipstream.start()
      await world().stands(`what happened around ${end}`, async () => {
        expect(texts(await timeline(alice))).toEqual(['from someone new', 'meanwhile', 'before'])
        expect((await knownFollowers(alice, carol)).followers).toMatchObject([{ did: bob.did }])
        expect((await postView(alice, stored)).likeCount).toBe(0)
      })
      await world().everythingStands()
    },
  )
}
