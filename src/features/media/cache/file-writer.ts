// Writes files for the disk cache: appends what a server sends behind room for the head, chunk by chunk, and
// writes the head once its contents are known.

import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type EntryHead, HEAD_BYTES, sealHead } from './cache-entry.ts'

const BEGINNING_BYTES = 32

/** Writes a body after the head's room, and collects the data for the head. */
export function createEntryWriter(file: FileHandle) {
  const sha = createHash('sha256')
  let beginning = Buffer.alloc(0)
  let length = 0
  let failure: unknown

  async function append(piece: Buffer): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const at = HEAD_BYTES + length + done
      done += (await file.write(piece, done, piece.length - done, at)).bytesWritten
    }
    length += piece.length
  }

  return {
    failure: () => failure,
    /** Bytes so far. */
    written: () => length,
    async write(piece: Buffer): Promise<void> {
      if (length < BEGINNING_BYTES) beginning = Buffer.concat([beginning, piece])
      beginning = beginning.subarray(0, BEGINNING_BYTES)
      sha.update(piece)
      await append(piece).catch((error: unknown) => {
        failure = error
        throw error
      })
    },
    end: () => ({ length, beginning, digest: sha.digest('hex') }),
  }
}

export async function writeHead(
  path: string,
  { contentType, digest, length }: EntryHead,
): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const head = sealHead({ contentType, digest, length })
    await file.write(head, 0, head.length, 0)
  } finally {
    await file.close()
  }
}
