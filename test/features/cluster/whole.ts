// What tests of the whole must know of nodes that share.

import { nobody, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    const uid = world.uid(did)
    world.run(({ db }) => {
      db.prepare("INSERT INTO shared_state VALUES (?, 'engine', 1)").run(uid)
      db.prepare("INSERT INTO shared_keys VALUES ('member ' || ?, 1, 0)").run(did)
    })
  },
  storedTables: {
    shared_state: private_('one row for each member', 'it leaves'),
    shared_keys: {
      goes: 'stays',
      why: 'how far this node has what nodes share on an engine, where the row itself is: members and decisions',
      bound: 'members, invites, tokens and decisions, and 11,000 that are deleted',
      until: 'another engine is used',
    },
    shared_places: nobody('one row', 'another engine is used'),
  },
  wiring: ['features/cluster/sharing'],
}
