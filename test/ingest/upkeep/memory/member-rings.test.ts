// Which members' timelines are opened in memory when they make a request.

import { expect, onTestFinished, test } from 'vitest'
import { createMemberRings } from '../../../../src/ingest/upkeep/memory/member-rings.ts'
import { didOf } from '../../../support/records.ts'
import { createWorld } from '../../../support/world.ts'

test.each([
  { holds: 'all', isOurs: () => true },
  { holds: 'some', isOurs: (did: string) => did !== didOf('member 3') },
])('a node that holds $holds timelines opens those of its members that ask', ({ isOurs }) => {
  const members = Array.from({ length: 5 }, (_, i) => didOf(`member ${i}`))
  const world = createWorld({ scope: 'network' })
  onTestFinished(() => world.dispose())
  for (const did of members) {
    world.member(did)
    world.timelines.close(world.uid(did))
  }
  const { db, memory, now } = world
  const requested = createMemberRings({ db, memory, now, isOurs })
  requested(members[0]!)
  const open = () => members.filter((did) => world.timelines.isOpen(world.uid(did)))
  expect(open()).toEqual(members.slice(0, 1))
  for (const did of members) requested(did)
  expect(open()).toEqual(members.filter(isOurs))
})
