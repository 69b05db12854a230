// Blobs whose fetch waits for a slot, so that a second caller can bring the fetch forward. Otherwise the first
// caller, who may have asked for a thousand others before, would decide when it starts for everybody.

import type { BlobName } from '../media-path.ts'

export type WaitingBlobs = {
  /** @returns a function that removes it again. */
  add(name: BlobName, join: (asker: string | undefined) => void): () => void
  /** Called for each request. */
  join(name: BlobName): void
}

export function createWaitingBlobs(): WaitingBlobs {
  const waiting = new Map<string, Set<(asker: string | undefined) => void>>()
  const keyOf = ({ did, cid }: BlobName) => `${did} ${cid}`
  return {
    add(name, join) {
      const key = keyOf(name)
      const joins = waiting.get(key) ?? new Set()
      waiting.set(key, joins.add(join))
      return () => {
        joins.delete(join)
        if (joins.size === 0) waiting.delete(key)
      }
    },
    join(name) {
      for (const join of waiting.get(keyOf(name)) ?? []) join(name.asker)
    },
  }
}
