// Finds the blocks of a CAR file (v1): a header with the root, then blocks in any order, more than the
// repository needs in some servers' files. Nothing is believed of a block before it is used: then it must hash
// to its CID. Spec: https://ipld.io/specs/transport/car/carv1/, https://atproto.com/specs/repository.

import { hash } from 'node:crypto'
import { CID_BYTES, cidAt } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/util/json-object.ts'
import { decodeObject } from '../archive/dag-cbor.ts'

export type CarBlocks = {
  /** CID of the commit. */
  root: string
  /** The decoded block; undefined if it is missing, too large, no object, or not what its CID says. */
  read(cid: string): JsonObject | undefined
}

/** The bytes are no CAR file of a repository, or one too large to be read. */
export class BadCarError extends Error {
  override name = 'BadCarError'
}

type Span = { from: number; to: number }

/** Even the largest repositories that fit in memory have fewer. */
const MAX_BLOCKS = 400_000
/** The specification's limit of a record is 1,000,000 bytes. */
const MAX_BLOCK_BYTES = 1024 * 1024
const MAX_VARINT_BYTES = 5
const DIGEST_AT = 4
/** Blocks looked at before other work has its turn. */
const BLOCKS_AT_ONCE = 4_000

/**
 * @param pause - yields to other work
 * @throws BadCarError
 */
export async function readCar(car: Buffer, pause: () => Promise<void>): Promise<CarBlocks> {
  const header = sectionAt(car, 0)
  const root = rootOf(decodeObject(car, header.from, header.to))
  const spans = new Map<string, Span>()
  for (let at = header.to, count = 1; at < car.length; count++) {
    const { from, to } = sectionAt(car, at)
    const cid = to - from > CID_BYTES ? cidAt(car, from) : undefined
    if (cid !== undefined) spans.set(cid, { from, to })
    if (count > MAX_BLOCKS) throw new BadCarError(`more than ${MAX_BLOCKS} blocks`)
    if (count % BLOCKS_AT_ONCE === 0) await pause()
    at = to
  }
  return { root, read: (cid) => readBlock(car, spans.get(cid)) }
}

function readBlock(car: Buffer, span: Span | undefined): JsonObject | undefined {
  if (!span || span.to - span.from > MAX_BLOCK_BYTES) return undefined
  const dataAt = span.from + CID_BYTES
  const digest = car.subarray(span.from + DIGEST_AT, dataAt)
  if (!hash('sha256', car.subarray(dataAt, span.to), 'buffer').equals(digest)) return undefined
  const decoded = decodeObject(car, dataAt, span.to)
  return typeof decoded === 'string' ? undefined : decoded
}

/** The bytes of the section whose length stands at `at`. */
function sectionAt(car: Buffer, at: number): Span {
  let length = 0
  for (let i = 0; i < MAX_VARINT_BYTES; i++) {
    const byte = car[at + i]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) {
      const from = at + i + 1
      if (length === 0 || from + length > car.length) break
      return { from, to: from + length }
    }
  }
  throw new BadCarError('a CAR file that ends too soon')
}

function rootOf(header: JsonObject | string): string {
  const roots = typeof header === 'object' ? header['roots'] : undefined
  const [root] = Array.isArray(roots) ? roots : []
  const link = (root as JsonObject | undefined)?.['$link']
  if (typeof link !== 'string') throw new BadCarError('a CAR file without a root')
  return link
}
