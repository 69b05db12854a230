// The blocks that a page of the plan names, fetched in its order, a few parts ahead.
//
// Of a whole segment only header, index and blocks are fetched, in ranges of one generation of the file; the
// filters in its footer would waste quota. If a server supports no ranges, or the plan names single blocks,
// each block is requested by its number. A segment rewritten meanwhile makes the plan stale.

import { type ArchiveAnswer, type ArchiveClient, ArchiveRefusal } from './archive-client.ts'
import { BadBlockError } from './block-rows.ts'
import type { ArchiveLimits } from './limits.ts'
import type { PlannedSegment } from './plan.ts'
import {
  type BlockLocation,
  HEADER_BYTES,
  PREFIX_BYTES,
  readSegmentHeader,
  readSegmentIndex,
  type SegmentHeader,
} from './segment-index.ts'

export type FetchedBlock = {
  segment: string
  index: number
  /** A zstd frame; undefined if it is too large or not where the index says. */
  frame: Buffer | undefined
}

/** Data named by the plan no longer exists: plan again. */
export class StalePlanError extends Error {
  override name = 'StalePlanError'
}

type Source = { client: ArchiveClient; limits: ArchiveLimits }
type Part = () => Promise<FetchedBlock[]>

/**
 * @param afterSeq blocks that end at or before it are left out, where an index tells.
 * @throws StalePlanError; BadBlockError if a segment's index is unreadable.
 */
export async function* fetchBlocks(
  source: Source,
  segments: readonly PlannedSegment[],
  afterSeq: number,
): AsyncGenerator<FetchedBlock[]> {
  yield* fetchAhead(partsOf(source, segments, afterSeq), source.limits.partsAhead)
}

/** One block by its number. @throws StalePlanError if it does not exist. */
export async function fetchBlock(
  { client, limits }: Source,
  segment: Pick<PlannedSegment, 'name' | 'checksum'>,
  index: number,
): Promise<Buffer> {
  const path = `getBlock?segment=${segment.name}&blockIndex=${index}`
  const answer = await orStale(client.ask({ path, maxBytes: limits.maxFrameBytes }))
  const etag = answer.headers.get('etag')
  if (etag === null || etag === `"${segment.checksum}:${index}"`) return answer.body
  throw new StalePlanError(`${segment.name} was rewritten`)
}

async function* partsOf(
  source: Source,
  segments: readonly PlannedSegment[],
  afterSeq: number,
): AsyncGenerator<Part> {
  for (const segment of segments) {
    if (!segment.blocks) yield* partsOfSegment(source, segment, afterSeq)
    for (const { first, last } of segment.blocks ?? []) {
      for (let index = first; index <= last; index++) yield partOfBlock(source, segment, index)
    }
  }
}

function partOfBlock(source: Source, segment: PlannedSegment, index: number): Part {
  return async () => {
    const frame = await fetchBlock(source, segment, index)
    return [{ segment: segment.name, index, frame }]
  }
}

async function* partsOfSegment(
  source: Source,
  segment: PlannedSegment,
  afterSeq: number,
): AsyncGenerator<Part> {
  const opened = await openSegment(source, segment.name)
  if (!opened) return yield* partsByNumber(source, segment)
  const { etag, blocks } = opened
  const wanted = blocks.filter(({ events, maxSeq }) => events > 0 && !(maxSeq <= afterSeq))
  for (const run of runsOf(wanted, source.limits)) {
    yield () => fetchRun(source, { name: segment.name, etag }, run)
  }
}

/** Fetches blocks by ascending number until one does not exist. */
async function* partsByNumber(source: Source, segment: PlannedSegment): AsyncGenerator<Part> {
  let isOver = false
  for (let index = 0; !isOver; index++) {
    const fetchIt = partOfBlock(source, segment, index)
    yield async () => {
      try {
        return await fetchIt()
      } catch (error) {
        if (!isMissing(error) || index === 0) throw error
        isOver = true
        return []
      }
    }
  }
}

function isMissing(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof ArchiveRefusal && cause.code === 'BlockNotFound'
}

/** @returns undefined if the server serves no ranges, or none that surely belong together. */
async function openSegment(
  source: Source,
  name: string,
): Promise<{ etag: string; blocks: BlockLocation[] } | undefined> {
  const { client } = source
  const path = `getSegment?name=${name}`
  const range = { from: 0, to: HEADER_BYTES - 1 }
  const first = await orStale(client.ask({ path, range, maxBytes: HEADER_BYTES }))
  const etag = first.headers.get('etag')
  if (first.status !== 206 || etag === null || etag.startsWith('W/')) return undefined
  const header = readSegmentHeader(first.body)
  return { etag, blocks: await readBlocks(source, { name, etag }, header) }
}

type Generation = { name: string; etag: string }

async function readBlocks(
  source: Source,
  segment: Generation,
  header: SegmentHeader,
): Promise<BlockLocation[]> {
  const { indexAt, indexBytes } = header
  if (indexBytes > source.limits.maxIndexBytes) throw new BadBlockError('a huge index')
  if (indexBytes === 0) return []
  const range = { from: indexAt, to: indexAt + indexBytes - 1 }
  return readSegmentIndex(await fetchRange(source, segment, range), header)
}

/** @throws StalePlanError if the file has changed. */
async function fetchRange(
  { client }: Source,
  { name, etag }: Generation,
  { from, to }: { from: number; to: number },
): Promise<Buffer> {
  const maxBytes = to - from + 1
  const path = `getSegment?name=${name}`
  const answer = await orStale(client.ask({ path, range: { from, to, etag }, maxBytes }))
  const isSame = answer.status === 206 && answer.headers.get('etag') === etag
  if (isSame && answer.body.length === maxBytes) return answer.body
  throw new StalePlanError(`${name} was rewritten`)
}

/** Turns the errors for missing or shortened data into StalePlanError. */
async function orStale(request: Promise<ArchiveAnswer>): Promise<ArchiveAnswer> {
  return request.catch((error: unknown) => {
    const isGone = error instanceof ArchiveRefusal && [404, 410, 416].includes(error.status)
    if (isGone) throw new StalePlanError(error.message, { cause: error })
    throw error
  })
}

/** Groups adjacent blocks, up to a total size. */
function runsOf(blocks: readonly BlockLocation[], { partBytes }: ArchiveLimits): BlockLocation[][] {
  const runs: BlockLocation[][] = []
  let bytes = 0
  let top = -1
  for (const block of blocks) {
    const size = PREFIX_BYTES + block.frameBytes
    if (block.at !== top || bytes + size > partBytes) {
      runs.push([])
      bytes = 0
    }
    runs.at(-1)!.push(block)
    bytes += size
    top = block.at + size
  }
  return runs
}

async function fetchRun(
  source: Source,
  segment: Generation,
  run: readonly BlockLocation[],
): Promise<FetchedBlock[]> {
  const from = run[0]!.at
  const { at, frameBytes } = run.at(-1)!
  const blocks = run.map(({ index }) => ({ segment: segment.name, index, frame: undefined }))
  if (frameBytes > source.limits.maxFrameBytes) return blocks
  const to = at + PREFIX_BYTES + frameBytes - 1
  const bytes = await fetchRange(source, segment, { from, to })
  return run.map((block, i) => ({ ...blocks[i]!, frame: frameIn(bytes, block, from) }))
}

function frameIn(
  bytes: Buffer,
  { at, frameBytes }: BlockLocation,
  from: number,
): Buffer | undefined {
  const start = at - from
  if (bytes.readBigUInt64LE(start) !== BigInt(frameBytes)) return undefined
  return bytes.subarray(start + PREFIX_BYTES, start + PREFIX_BYTES + frameBytes)
}

/** Starts up to `ahead` parts before the first is needed; yields them in order. */
async function* fetchAhead(
  parts: AsyncGenerator<Part>,
  ahead: number,
): AsyncGenerator<FetchedBlock[]> {
  const begun: Promise<FetchedBlock[]>[] = []
  let isOver = false
  for (;;) {
    while (!isOver && begun.length < ahead) {
      const next = await nextPart(parts)
      isOver = next === undefined
      if (!next) break
      const part = next()
      // The consumer of the part gets the error; until then it must not count as unhandled.
      part.catch(() => {})
      begun.push(part)
    }
    const part = begun.shift()
    if (!part) return
    yield await part
  }
}

/** A part that can't be started fails in its turn, after those before it. */
async function nextPart(parts: AsyncGenerator<Part>): Promise<Part | undefined> {
  try {
    const next = await parts.next()
    return next.done ? undefined : next.value
  } catch (error) {
    return () => Promise.reject(error)
  }
}
