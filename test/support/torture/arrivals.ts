// In what order and when events come to a Jetstream host: as they happened, or, while it is told to, those
// of different accounts in an order of its own, as by relays whose paths differ in length. What one
// account did always stays in order, and comes after what strangers did that it points at.

import type { JetstreamDouble } from '../jetstream-double/double.ts'
import type { Random } from '../random.ts'
import type { NetworkEvent } from '../simulated-network/network.ts'

export type Arrivals = {
  take(event: NetworkEvent, number: number): void
  reorder(isOn: boolean): void
  /** The number of the event under this seq. */
  numberAt(seq: number): number
}

type Waiting = { event: NetworkEvent; number: number }

/** Of each account with something waiting, at each event. */
const PASS_CHANCE = 0.06

function mentions(event: NetworkEvent, did: string): boolean {
  return 'record' in event && JSON.stringify(event.record).includes(did)
}

/**
 * What is said of a stranger's post that did not come yet is not kept: nobody knows then whether it is one
 * to keep. Of an author's it is.
 */
export function createArrivals(
  host: JetstreamDouble,
  random: Random,
  isAuthor: (did: string) => boolean,
): Arrivals {
  const held = new Map<string, Waiting[]>()
  const numbers = new Map<number, number>()
  let isReordering = false
  let lastTimeUs = 0

  function pass({ event, number }: Waiting): void {
    lastTimeUs = Math.max(lastTimeUs + 1, Date.now() * 1000)
    numbers.set(host.emit({ ...event, timeUs: lastTimeUs }), number)
  }

  function release(did: string): void {
    const waiting = held.get(did) ?? []
    held.delete(did)
    for (const one of waiting) {
      const others = [...held.keys()].filter((other) => !isAuthor(other))
      for (const other of others) if (mentions(one.event, other)) release(other)
      pass(one)
    }
  }

  return {
    take: (event, number) => {
      if (!isReordering) return pass({ event, number })
      held.set(event.did, [...(held.get(event.did) ?? []), { event, number }])
      for (const did of [...held.keys()]) if (random.chance(PASS_CHANCE)) release(did)
    },
    reorder: (isOn) => {
      isReordering = isOn
      if (!isOn) for (const did of [...held.keys()].reverse()) release(did)
    },
    numberAt: (seq) => numbers.get(seq) ?? -1,
  }
}
