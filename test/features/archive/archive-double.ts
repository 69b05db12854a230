// The archive of a Jetstream double: seals emitted events into segments, in the server's format, and serves
// them at the double's own address as the server does: plans, whole segments with ranges, blocks. Written
// from the server's source (segment/, internal/manifest/plan.go, internal/xrpcapi/). It misbehaves on demand.
// The double's `raiseFloor` moves sealed events out of the live window.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { zstdCompressSync } from 'node:zlib'
import { encode, type LexValue } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import type { JetstreamDouble } from '../../support/jetstream-double/double.ts'
import type { LoggedEmission } from '../../support/jetstream-double/emission.ts'

const PREFIX = '/xrpc/network.bsky.jetstream.'
const HEADER_BYTES = 256
const INDEX_ENTRY_BYTES = 52
const COMPLETE_FROM = 0.75

type Block = { minSeq: number; maxSeq: number; rows: LoggedEmission[]; frame: Buffer }
type Segment = { name: string; generation: number; blocks: Block[]; file: Buffer }

export type ArchiveRequest = {
  method: string
  key: string | undefined
  range: string | undefined
  query: URLSearchParams
}

type Refusal = { status: number; headers?: Record<string, string>; error?: string }

/** `cut`: the connection breaks in the middle of the body. */
export type ArchiveFault = Refusal | 'cut'

export type ArchiveDouble = {
  /** Turns the events emitted up to here into segments. */
  seal(throughSeq: number): void
  /** Gives every segment another checksum, as compaction does. */
  rewrite(): void
  readonly requests: readonly ArchiveRequest[]
  /** Called for each request for data or a plan. */
  fault: (request: ArchiveRequest) => ArchiveFault | undefined
  /** Sent with every good answer. */
  headers: Record<string, string>
  /** undefined: no key is required. */
  key: string | undefined
  hasRanges: boolean
  /** Damages the frame of `segment/block` from now on. */
  damage(segment: number, block: number, isForGood: boolean): { rows: LoggedEmission[] }
}

export function createArchiveDouble(
  double: JetstreamDouble,
  options: { rowsPerBlock?: number; blocksPerSegment?: number; maxEntries?: number } = {},
): ArchiveDouble {
  const { rowsPerBlock = 32, blocksPerSegment = 6, maxEntries = 3 } = options
  const shelf = createShelf(rowsPerBlock, blocksPerSegment)
  const requests: ArchiveRequest[] = []
  let sealedSeq = 0

  function seal(throughSeq: number): void {
    const rows = double
      .entries()
      .map(({ event }) => event)
      .filter(({ seq }) => seq > sealedSeq && seq <= throughSeq)
    shelf.add(rows)
    sealedSeq = rows.at(-1)?.seq ?? sealedSeq
  }

  const archive: ArchiveDouble = {
    seal,
    rewrite: shelf.rewrite,
    requests,
    fault: () => undefined,
    headers: {},
    key: undefined,
    hasRanges: true,
    damage: shelf.damage,
  }
  double.serve = (request, response) => {
    const requested = readRequested(request)
    if (!requested) return false
    requests.push(requested)
    serve({ archive, shelf, maxEntries }, requested, request, response)
    return true
  }
  return archive
}

type Shelf = ReturnType<typeof createShelf>

/** The sealed segments, and the damage to their blocks. */
function createShelf(rowsPerBlock: number, blocksPerSegment: number) {
  const segments: Segment[] = []
  /** By segment and block: whether the damage is for good, or for one answer. */
  const damaged = new Map<string, boolean>()

  function frameToSend(segment: Segment, index: number): Buffer {
    const frame = Buffer.from(segment.blocks[index]!.frame)
    const key = `${segment.name}/${index}`
    const isForGood = damaged.get(key)
    if (isForGood === undefined) return frame
    if (!isForGood) damaged.delete(key)
    frame[frame.length - 6]! ^= 0x55
    return frame
  }

  function fileToSend(segment: Segment): Buffer {
    if (![...damaged.keys()].some((key) => key.startsWith(segment.name))) return segment.file
    const file = Buffer.from(segment.file)
    let at = HEADER_BYTES
    for (const [index, { frame }] of segment.blocks.entries()) {
      if (damaged.has(`${segment.name}/${index}`)) frameToSend(segment, index).copy(file, at + 8)
      at += 8 + frame.length
    }
    return file
  }

  return {
    segments,
    frameToSend,
    fileToSend,
    add(rows: LoggedEmission[]): void {
      const perSegment = rowsPerBlock * blocksPerSegment
      for (let i = 0; i < rows.length; i += perSegment) {
        const name = `seg_${segments.length.toString(16).padStart(10, '0')}.jss`
        const blocks = blocksOf(rows.slice(i, i + perSegment), rowsPerBlock)
        segments.push(written({ name, generation: 1, blocks, file: Buffer.alloc(0) }))
      }
    },
    rewrite(): void {
      for (const segment of segments)
        Object.assign(segment, written({ ...segment, generation: segment.generation + 1 }))
    },
    damage(segment: number, block: number, isForGood: boolean): Block {
      damaged.set(`${segments[segment]!.name}/${block}`, isForGood)
      return segments[segment]!.blocks[block]!
    },
  }
}

/** @returns undefined for requests that are not the archive's */
function readRequested({ url: path = '/', headers }: IncomingMessage): ArchiveRequest | undefined {
  const url = new URL(path, 'http://double')
  const method = url.pathname.slice(PREFIX.length)
  const known = ['planSnapshot', 'getSegment', 'getBlock'].includes(method)
  if (!url.pathname.startsWith(PREFIX) || !known) return undefined
  return { method, key: headers.authorization, range: headers.range, query: url.searchParams }
}

type Dependencies = { archive: ArchiveDouble; shelf: Shelf; maxEntries: number }

function serve(
  { archive, shelf, maxEntries }: Dependencies,
  requested: ArchiveRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const fault = archive.fault(requested)
  if (fault && fault !== 'cut') return refuse(response, fault)
  const isAllowed = archive.key === undefined || requested.key === `Bearer ${archive.key}`
  if (!isAllowed) return refuse(response, { status: 401, error: 'AuthRequired' })
  if (requested.method !== 'planSnapshot') {
    const found = findData(shelf, requested)
    if ('status' in found) return refuse(response, found)
    return sendData(archive, { ...found, isCut: fault === 'cut' }, request, response)
  }
  void readJson(request).then((body) => {
    const plan = planFor(shelf.segments, Number(body['afterSeq'] ?? 0), maxEntries)
    response.writeHead(200, { 'content-type': 'application/json', ...archive.headers })
    response.end(JSON.stringify(plan))
  })
}

/** A segment's file or one of its frames, or the refusal of a request for neither. */
function findData(
  shelf: Shelf,
  { method, query }: ArchiveRequest,
): { body: Buffer; etag: string } | Refusal {
  const name = query.get(method === 'getBlock' ? 'segment' : 'name')
  const found = shelf.segments.find((segment) => segment.name === name)
  if (!found) return { status: 404, error: 'SegmentNotFound' }
  const checksum = checksumOf(found)
  if (method === 'getSegment') return { body: shelf.fileToSend(found), etag: `"${checksum}"` }
  const index = Number(query.get('blockIndex'))
  if (!found.blocks[index]) return { status: 404, error: 'BlockNotFound' }
  return { body: shelf.frameToSend(found, index), etag: `"${checksum}:${index}"` }
}

function sendData(
  archive: ArchiveDouble,
  { body, etag, isCut }: { body: Buffer; etag: string; isCut: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const condition = request.headers['if-range']
  const isPart = archive.hasRanges && range && (condition === undefined || condition === etag)
  const from = isPart ? Number(range[1]) : 0
  const to = isPart ? Math.min(Number(range[2]), body.length - 1) : body.length - 1
  const part = body.subarray(from, to + 1)
  response.writeHead(isPart ? 206 : 200, {
    etag,
    'content-length': part.length,
    ...archive.headers,
    ...(isPart ? { 'content-range': `bytes ${from}-${to}/${body.length}` } : {}),
  })
  if (!isCut) return void response.end(part)
  response.write(part.subarray(0, Math.floor(part.length / 2)))
  setTimeout(() => response.destroy(), 5)
}

function refuse(
  response: ServerResponse,
  { status, headers = {}, error = 'Trouble' }: Refusal,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ error, message: 'to order' }))
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}

function planFor(segments: readonly Segment[], afterSeq: number, maxEntries: number) {
  const sealedTipSeq = segments.at(-1)?.blocks.at(-1)?.maxSeq ?? 0
  const planned: unknown[] = []
  let plannedThroughSeq = sealedTipSeq
  let entries = 0
  for (const segment of segments) {
    const chosen = [...segment.blocks.entries()].filter(([, { maxSeq }]) => maxSeq > afterSeq)
    if (chosen.length === 0) continue
    if (entries >= maxEntries) {
      plannedThroughSeq = segments[segments.indexOf(segment) - 1]!.blocks.at(-1)!.maxSeq
      break
    }
    entries++
    const isComplete = chosen.length / segment.blocks.length >= COMPLETE_FROM
    const range = { first: chosen[0]![0], last: chosen.at(-1)![0] }
    planned.push({
      name: segment.name,
      index: 0,
      checksum: checksumOf(segment),
      minSeq: 1,
      maxSeq: 2,
      ...(isComplete ? { mode: 'segment' } : { mode: 'blocks', blocks: [range] }),
    })
  }
  return { plannedThroughSeq, sealedTipSeq, segments: planned, stats: {} }
}

function checksumOf({ name, generation }: Pick<Segment, 'name' | 'generation'>): string {
  return (BigInt(Number.parseInt(name.slice(4, 14), 16) + 1) * 0x100000001n + BigInt(generation))
    .toString(16)
    .padStart(16, '0')
}

function blocksOf(rows: LoggedEmission[], perBlock: number): Block[] {
  const blocks: Block[] = []
  for (let i = 0; i < rows.length; i += perBlock) {
    const own = rows.slice(i, i + perBlock)
    const frame = zstdCompressSync(columnsOf(own))
    blocks.push({ minSeq: own[0]!.seq, maxSeq: own.at(-1)!.seq, rows: own, frame })
  }
  return blocks
}

function columnsOf(rows: readonly LoggedEmission[]): Buffer {
  const texts = (name: string) =>
    rows.map((row) => Buffer.from(String((row as Record<string, unknown>)[name] ?? '')))
  const isCommit = (row: LoggedEmission) => (row.kind ?? 'commit') === 'commit'
  const only = (all: Buffer[]) =>
    all.map((text, i) => (isCommit(rows[i]!) ? text : Buffer.alloc(0)))
  const [collections, dids, rkeys, revs] = [
    ...[only(texts('collection')), texts('did'), only(texts('rkey')), only(texts('rev'))],
  ] as [Buffer[], Buffer[], Buffer[], Buffer[]]
  const payloads = rows.map(payloadOf)
  const lengths = (all: Buffer[], bytes: number) =>
    column(
      all.map(({ length }) => length),
      bytes,
    )
  return Buffer.concat([
    column([rows.length], 4),
    ...[
      column(
        rows.map(({ seq }) => seq),
        8,
      ),
      column(
        rows.map(({ timeUs }) => timeUs),
        8,
      ),
    ],
    ...[Buffer.alloc(rows.length * 8), column(rows.map(kindOf), 1)],
    ...[lengths(collections, 1), lengths(dids, 2), lengths(rkeys, 1), lengths(revs, 1)],
    lengths(payloads, 4),
    ...[...collections, ...dids, ...rkeys, ...revs, ...payloads],
  ])
}

function column(values: readonly number[], bytes: number): Buffer {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [i, value] of values.entries()) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), i * 8)
    else buffer.writeUIntLE(value, i * bytes, bytes)
  }
  return buffer
}

function kindOf(row: LoggedEmission): number {
  if ('operation' in row) return { create: 1, update: 2, delete: 3 }[row.operation]
  return { identity: 4, account: 5, sync: 6 }[row.kind as 'identity' | 'account' | 'sync']
}

function payloadOf(row: LoggedEmission): Buffer {
  if ('operation' in row) {
    return row.operation === 'delete' ? Buffer.alloc(0) : dagCbor(row.record)
  }
  const { did, seq } = row
  const base = { did, seq, time: '2026-01-01T00:00:00.000Z' }
  if (row.kind === 'identity') return dagCbor({ ...base, handle: row.handle })
  if (row.kind === 'account') return dagCbor({ ...base, active: row.active, status: row.status })
  return dagCbor({ ...base, rev: row.rev, blocks: { $bytes: 'AA' } })
}

export function dagCbor(value: unknown): Buffer {
  return Buffer.from(encode(jsonToLex(JSON.parse(JSON.stringify(value)) as never) as LexValue))
}

/**
 * Returns the segment with its file: header, length-prefixed blocks, index, and the rest of the
 * footer.
 */
function written(segment: Segment): Segment {
  const { blocks } = segment
  const header = Buffer.alloc(HEADER_BYTES)
  const index = Buffer.alloc(blocks.length * INDEX_ENTRY_BYTES)
  const parts: Buffer[] = [header]
  let top = HEADER_BYTES
  for (const [i, { frame, rows, minSeq, maxSeq }] of blocks.entries()) {
    const entry = i * INDEX_ENTRY_BYTES
    index.writeBigUInt64LE(BigInt(top), entry)
    index.writeUInt32LE(frame.length, entry + 8)
    index.writeUInt32LE(rows.length, entry + 16)
    index.writeBigUInt64LE(BigInt(minSeq), entry + 20)
    index.writeBigUInt64LE(BigInt(maxSeq), entry + 28)
    parts.push(column([frame.length], 8), frame)
    top += 8 + frame.length
  }
  header.write('jss0', 'latin1')
  header.writeBigUInt64LE(BigInt(`0x${checksumOf(segment)}`), 4)
  header.writeUInt16LE(1, 12)
  header.writeUInt32LE(blocks.length, 14)
  for (const at of [58, 90]) header.writeBigUInt64LE(BigInt(top), at)
  return { ...segment, file: Buffer.concat([...parts, index, Buffer.alloc(500, 7)]) }
}
