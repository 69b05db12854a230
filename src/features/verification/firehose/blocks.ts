// The blocks of a commit's CAR slice. Nothing is believed of a block before it is used: then it must hash to
// its CID. CIDs are their 36 bytes as latin1 text. Specs: https://ipld.io/specs/transport/car/carv1/,
// https://atproto.com/specs/sync.

import { decodeObject, decodeObjects } from '../../../base/atproto/dag-cbor/decode.ts'
import { CID_BYTES } from '../../../base/atproto/keys.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { blockOf, type Section, sectionAt } from '../../../sources/car-sections.ts'

/** The specification's limits: 2,000,000 bytes and 200 operations, each with some nodes of the tree. */
const MAX_CAR_BYTES = 2_000_000
const MAX_BLOCKS = 20_000
const MAX_VARINT_BYTES = 4

export class Blocks {
  /** CID of the commit. */
  readonly root: string
  readonly #car: Buffer
  readonly #spans: ReadonlyMap<string, Section>

  constructor(root: string, car: Buffer, spans: ReadonlyMap<string, Section>) {
    this.root = root
    this.#car = car
    this.#spans = spans
  }

  /** The block's bytes; undefined if it is missing or is not what its CID says. */
  bytes(cid: string): Buffer | undefined {
    const span = this.#spans.get(cid)
    return span && blockOf(this.#car, span)
  }

  /** A block of the repository itself, with links and bytes as they are. */
  node(cid: string): JsonObject | undefined {
    const block = this.bytes(cid)
    if (!block) return undefined
    const values = decodeObjects(block, { from: 0, to: block.length, count: 1, raw: true })
    return typeof values === 'string' ? undefined : values[0]
  }

  /** Whether any block is a record for which this holds. */
  some(holds: (record: JsonObject) => boolean): boolean {
    for (const cid of this.#spans.keys()) {
      const record = this.record(cid)
      if (record && holds(record)) return true
    }
    return false
  }

  /** A record, as JSON. */
  record(cid: string): JsonObject | undefined {
    const block = this.bytes(cid)
    const record = block && decodeObject(block, 0, block.length)
    return typeof record === 'string' ? undefined : record
  }
}

/** @returns undefined if it is no CAR file with one root, or is too large. */
export function readBlocks(car: Buffer): Blocks | undefined {
  if (car.length > MAX_CAR_BYTES) return undefined
  const header = sectionAt(car, 0, MAX_VARINT_BYTES)
  if (!header) return undefined
  const root = rootIn(car, header)
  if (root === undefined) return undefined
  const spans = new Map<string, Section>()
  for (let at = header.to; at < car.length; ) {
    const section = sectionAt(car, at, MAX_VARINT_BYTES)
    if (!section || section.to - section.from < CID_BYTES || spans.size > MAX_BLOCKS)
      return undefined
    spans.set(car.toString('latin1', section.from, section.from + CID_BYTES), section)
    at = section.to
  }
  return new Blocks(root, car, spans)
}

/** Only the commit of a repository’s file, however large. @returns undefined if there is none */
export function readCommit(car: Buffer): Blocks | undefined {
  const header = sectionAt(car, 0, MAX_VARINT_BYTES)
  const root = header && rootIn(car, header)
  if (!header || root === undefined) return undefined
  for (let at = header.to; at < car.length; ) {
    const section = sectionAt(car, at, MAX_VARINT_BYTES)
    if (!section) return undefined
    const cid = car.toString('latin1', section.from, section.from + CID_BYTES)
    if (cid === root) return new Blocks(root, car, new Map([[root, section]]))
    at = section.to
  }
  return undefined
}

function rootIn(car: Buffer, { from, to }: Section): string | undefined {
  const values = decodeObjects(car, { from, to, count: 1, raw: true })
  const roots = typeof values === 'string' ? undefined : values[0]!['roots']
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined
  return typeof root === 'string' ? root : undefined
}
