// Finds the blocks of a CAR file (v1): a header with the root, then blocks in any order, more than the
// repository needs in some servers' files. Nothing is believed of a block before it is used: then it must hash
// to its CID. Spec: https://ipld.io/specs/transport/car/carv1/, https://atproto.com/specs/repository.

import { decodeObject } from '../../base/atproto/dag-cbor/decode.ts'
import { CID_BYTES, cidAt } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/util/json-object.ts'
import { blockOf, type Section, sectionAt } from '../car-sections.ts'

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

/** Even the largest repositories that fit in memory have fewer. */
const MAX_BLOCKS = 400_000
/** The specification's limit of a record is 1,000,000 bytes. */
const MAX_BLOCK_BYTES = 1024 * 1024
const MAX_VARINT_BYTES = 5
/** Blocks looked at before other work has its turn. */
const BLOCKS_AT_ONCE = 4_000

/**
 * @param pause - yields to other work
 * @throws BadCarError
 */
export async function readCar(car: Buffer, pause: () => Promise<void>): Promise<CarBlocks> {
  const header = nextSection(car, 0)
  const root = rootOf(decodeObject(car, header.from, header.to))
  const spans = new Map<string, Section>()
  for (let at = header.to, count = 1; at < car.length; count++) {
    const { from, to } = nextSection(car, at)
    const cid = to - from > CID_BYTES ? cidAt(car, from) : undefined
    if (cid !== undefined) spans.set(cid, { from, to })
    if (count > MAX_BLOCKS) throw new BadCarError(`more than ${MAX_BLOCKS} blocks`)
    if (count % BLOCKS_AT_ONCE === 0) await pause()
    at = to
  }
  return { root, read: (cid) => readBlock(car, spans.get(cid)) }
}

function readBlock(car: Buffer, span: Section | undefined): JsonObject | undefined {
  if (!span || span.to - span.from > MAX_BLOCK_BYTES) return undefined
  if (!blockOf(car, span)) return undefined
  const decoded = decodeObject(car, span.from + CID_BYTES, span.to)
  return typeof decoded === 'string' ? undefined : decoded
}

/** @throws BadCarError */
function nextSection(car: Buffer, at: number): Section {
  const section = sectionAt(car, at, MAX_VARINT_BYTES)
  if (!section) throw new BadCarError('a CAR file that ends too soon')
  return section
}

function rootOf(header: JsonObject | string): string {
  const roots = typeof header === 'object' ? header['roots'] : undefined
  const [root] = Array.isArray(roots) ? roots : []
  const link = (root as JsonObject | undefined)?.['$link']
  if (typeof link !== 'string') throw new BadCarError('a CAR file without a root')
  return link
}
