// Packs whole lists at once into full chunks, as in a list that was never changed. For lists from elsewhere;
// the caller must order them.

import { type CreatorChunk, firstChunkOf, MAX_CHUNK_BYTES, type SubjectChunk } from './chunk.ts'
import { pointerTail } from './creator-entries.ts'
import type { Edge, Pointer } from './edge.ts'
import { edgeTail } from './subject-entries.ts'
import { writeVarint } from './varint.ts'

const LONGEST_VARINT = 8

/** @param pointers - of one creator, ascending by subject */
export function packPointers(pointers: Iterable<Pointer>): CreatorChunk[] {
  const chunks: CreatorChunk[] = []
  const bytes = newBytes()
  let last = 0
  for (const pointer of pointers) {
    const { subject, keyPeriod } = pointer
    const tail = pointerTail(pointer)
    let chunk = chunks.at(-1)
    // Entries of one subject stay together.
    if (!chunk || (bytes.isFull(tail.length) && subject !== last)) {
      if (chunk) chunk.bytes = bytes.take()
      // The first chunk is stored under 0.
      if (chunk) last = subject
      chunk = { first: last, oldest: keyPeriod, newest: keyPeriod, bytes: Buffer.alloc(0) }
      chunks.push(chunk)
    }
    bytes.add(subject - last, tail)
    chunk.oldest = Math.min(chunk.oldest, keyPeriod)
    chunk.newest = Math.max(chunk.newest, keyPeriod)
    last = subject
  }
  const chunk = chunks.at(-1)
  if (chunk) chunk.bytes = bytes.take()
  return chunks
}

/** @param edges - of one subject, ascending by sortAt and account */
export function packEdges(edges: Iterable<Omit<Edge, 'subject'>>): SubjectChunk[] {
  const chunks: SubjectChunk[] = []
  const bytes = newBytes()
  let last = { sortAt: 0, uid: 0 }
  for (const edge of edges) {
    const { sortAt, uid } = edge
    const tail = edgeTail(edge)
    const chunk = chunks.at(-1)
    // Entries of one account and time stay together.
    const isSame = sortAt === last.sortAt && uid === last.uid
    if (!chunk || (bytes.isFull(tail.length) && !isSame)) {
      if (chunk) chunk.bytes = bytes.take()
      const added = chunk ? { at: sortAt, uid, bytes: Buffer.alloc(0) } : firstChunkOf(sortAt)
      last = { sortAt: added.at, uid: added.uid }
      chunks.push(added)
    }
    bytes.add(sortAt - last.sortAt, tail)
    last = { sortAt, uid }
  }
  const chunk = chunks.at(-1)
  if (chunk) chunk.bytes = bytes.take()
  return chunks
}

function newBytes() {
  let buffer = Buffer.allocUnsafe(4 * MAX_CHUNK_BYTES)
  let length = 0
  return {
    isFull: (more: number) => length + more + LONGEST_VARINT > MAX_CHUNK_BYTES,
    add(delta: number, tail: Uint8Array): void {
      if (length + tail.length + LONGEST_VARINT > buffer.length) {
        buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      }
      length = writeVarint(buffer, length, delta)
      buffer.set(tail, length)
      length += tail.length
    },
    take(): Buffer {
      const taken = Buffer.from(buffer.subarray(0, length))
      length = 0
      return taken
    },
  }
}
