// The hosts' own record of the events they sent: every event must have left one of them at least once,
// whatever happened to the connection. An event that never did was skipped when a connection resumed.

import type { Difference } from './checking.ts'
import type { World } from './world.ts'

export function findUnsent(world: World): Difference[] {
  const { hosts } = world
  const sent = new Set<number>()
  for (const [i, host] of hosts.entries()) {
    for (const connection of host.connections()) {
      for (const seq of connection.sent) sent.add(world.numberAt(i, seq))
    }
  }
  return hosts[0]!
    .entries()
    .filter(({ event }) => !sent.has(world.numberAt(0, event.seq)) && event.kind !== 'sync')
    .filter(({ event }) => !world.isLost(world.numberAt(0, event.seq)))
    .map(({ event }) => ({
      what: 'event on the stream',
      viewer: '',
      about: event.did,
      expected: 'sent',
      got: event,
    }))
}
