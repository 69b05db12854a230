// The order and time in which events reach a Jetstream host: as they happened, or, while reordering is on,
// with accounts shuffled against each other, as by relays with paths of different length. The events of one
// account always stay in order, and follow the events of strangers that they refer to.

import type { Random } from '../random.ts'
import type { NetworkEvent } from '../simulated-network/network.ts'
import type { StreamHost } from './relay-host.ts'

export type Arrivals = {
  take(event: NetworkEvent, number: number): void
  reorder(isOn: boolean): void
  /** The number of the event with this seq. */
  numberAt(seq: number): number
}

type Waiting = { event: NetworkEvent; number: number }

/** Chance per event that an account with held events releases them. */
const PASS_CHANCE = 0.06

function mentions(event: NetworkEvent, did: string): boolean {
  return 'record' in event && JSON.stringify(event.record).includes(did)
}

/**
 * A reference to a stranger's post that has not arrived yet is not kept, since it is unknown
 * whether that post will be. A reference to an author's post is.
 */
export function createArrivals(
  host: StreamHost,
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
    for (const item of waiting) {
      const others = [...held.keys()].filter((other) => !isAuthor(other))
      for (const other of others) if (mentions(item.event, other)) release(other)
      pass(item)
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
