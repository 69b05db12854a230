// The hosts' own account of what they sent: every event must have left one of them at least once,
// whatever became of the connection. One that never did was skipped by a resumption.

import type { Difference } from './compare.ts'
import type { World } from './world.ts'

export function findUnsent({ hosts }: World): Difference[] {
  const sent = new Set<number>()
  for (const host of hosts) {
    const first = host.entries()[0]?.event.seq ?? 0
    for (const connection of host.connections()) {
      for (const seq of connection.sent) sent.add(seq - first)
    }
  }
  return hosts[0]!
    .entries()
    .filter(({ event }, index) => !sent.has(index) && event.kind !== 'sync')
    .map(({ event }) => ({
      what: 'event on the stream',
      viewer: '',
      about: event.did,
      expected: 'sent',
      got: event,
    }))
}
