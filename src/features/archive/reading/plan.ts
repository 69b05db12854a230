// A page of the plan: which segments, or which of their blocks, may hold wanted records, in seq order.
// Lexicon: network.bsky.jetstream.planSnapshot.

import { isObject } from '../../../base/util/json-object.ts'

/** Inclusive. */
type BlockRange = { first: number; last: number }

export type PlannedSegment = {
  name: string
  checksum: string
  /** undefined: the whole segment. */
  blocks: BlockRange[] | undefined
}

export type PlanPage = {
  segments: PlannedSegment[]
  /** This page is complete up to here. */
  plannedThroughSeq: number
  /** Last sealed seq. */
  sealedTipSeq: number
}

/** The archive's answer violates the lexicon. */
export class BadPlanError extends Error {
  override name = 'BadPlanError'
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const CHECKSUM = /^[0-9a-f]{16}$/

/** @throws BadPlanError */
export function readPlan(body: Buffer): PlanPage {
  const page = parse(body)
  const plannedThroughSeq = seqOf(page['plannedThroughSeq'])
  const sealedTipSeq = seqOf(page['sealedTipSeq'])
  if (plannedThroughSeq > sealedTipSeq) throw new BadPlanError('it plans beyond the archive’s end')
  const { segments } = page
  if (!Array.isArray(segments)) throw new BadPlanError('no segments')
  return { segments: segments.map(readSegment), plannedThroughSeq, sealedTipSeq }
}

function parse(body: Buffer): Record<string, unknown> {
  let page: unknown
  try {
    page = JSON.parse(body.toString())
  } catch {
    throw new BadPlanError('no JSON')
  }
  if (isObject(page)) return page
  throw new BadPlanError('no object')
}

function readSegment(segment: unknown): PlannedSegment {
  const { name, checksum, mode, blocks } = isObject(segment) ? segment : {}
  const isNamed = typeof name === 'string' && NAME.test(name)
  if (!isNamed || typeof checksum !== 'string' || !CHECKSUM.test(checksum)) {
    throw new BadPlanError('a segment without a name or a checksum')
  }
  if (mode === 'segment') return { name, checksum, blocks: undefined }
  if (mode !== 'blocks' || !Array.isArray(blocks)) throw new BadPlanError(`of mode ${mode}`)
  return { name, checksum, blocks: blocks.map(readRange) }
}

function readRange(range: unknown): BlockRange {
  const { first, last } = isObject(range) ? range : {}
  const from = seqOf(first)
  const to = seqOf(last)
  if (from <= to) return { first: from, last: to }
  throw new BadPlanError('a range of blocks that ends before it begins')
}

function seqOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new BadPlanError('a number that is none')
}
