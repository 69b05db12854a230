// Content in chunks, each stored once under a name that its content gives it with a secret key: what has not
// changed since any earlier copy is not sent again, and the store learns nothing from a name.

import { createHmac } from 'node:crypto'
import type { Keys } from '../sealing/keys.ts'
import { chunkName, FOLDERS, readChunk } from './names.ts'
import type { Objects } from './objects.ts'

export const CHUNK_BYTES = 512 * 1024

export type Chunks = {
  /** Learns which chunks the store has. */
  load(): Promise<void>
  /**
   * Stores the chunk unless it is there.
   * @returns its hash, and how many bytes were sent
   */
  put(content: Uint8Array): Promise<{ hash: string; sent: number }>
  /** Hashes of all that are stored, with their sizes. */
  stored(): ReadonlyMap<string, number>
  /** Removes chunks from the store. */
  remove(hashes: readonly string[]): Promise<void>
  /** The store does not have them after all: they are sent again when they are needed. */
  miss(hashes: readonly string[]): void
}

export function createChunks(objects: Objects, keys: Keys): Chunks {
  const stored = new Map<string, number>()
  return {
    async load() {
      stored.clear()
      for (const { name, bytes } of await objects.list(FOLDERS.chunks)) {
        stored.set(readChunk(name), bytes)
      }
    },
    async put(content) {
      const hash = hashOf(keys, content)
      if (stored.has(hash)) return { hash, sent: 0 }
      const sent = await objects.put(chunkName(hash), content)
      stored.set(hash, sent)
      return { hash, sent }
    },
    stored: () => stored,
    async remove(hashes) {
      for (const hash of hashes) stored.delete(hash)
      await objects.remove(hashes.map(chunkName))
    },
    miss(hashes) {
      for (const hash of hashes) stored.delete(hash)
    },
  }
}

/** @throws SealError or BucketError, also if the content is not what the hash says */
export async function getChunk(objects: Pick<Objects, 'get'>, hash: string): Promise<Buffer> {
  return objects.get(chunkName(hash))
}

function hashOf(keys: Keys, content: Uint8Array): string {
  return createHmac('sha256', keys.naming).update(content).digest('hex').slice(0, 32)
}
