// Streams a video, or the range that a player asks for, from its file. Whatever its size, only a quarter of a
// megabyte is in memory; or a whole one for a client that takes each chunk at once, as fewer and larger reads
// need a fifth less of a core. Buffers are reused (spare-buffers.ts).

import type { FileHandle } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { CallTime } from '../../base/util/turn.ts'
import type { Connected } from '../../http/server/http-request.ts'
import { createLender, LARGE_BYTES } from './cache/spare-buffers.ts'
import { isKnown, mediaHeaders } from './media-headers.ts'
import { parseRange } from './range.ts'
import { chargeBytes, timeOf } from './visitor.ts'

type VideoRequest = {
  method: string
  range: string | undefined
  ifNoneMatch: string | undefined
  ifRange: string | undefined
  /** The response written to, if known. */
  outgoing: ServerResponse | undefined
  /** Of the request, which is charged for the bytes. */
  time: CallTime | undefined
}

/** A range of an open file, and its description. */
export type FilePart = {
  file: FileHandle
  at: number
  length: number
  contentType: string
  /** Of the bytes, or of a name that never denotes others. */
  digest: string
}

const CHUNK_BYTES = 256 * 1024
/** For one of the former. */
const FAST_MS = 20

export function requestOf(c: Context): VideoRequest {
  return {
    method: c.req.method,
    range: c.req.header('range'),
    ifNoneMatch: c.req.header('if-none-match'),
    ifRange: c.req.header('if-range'),
    outgoing: (c.env as Connected | undefined)?.outgoing,
    time: timeOf(c),
  }
}

/** Closes the file, immediately or when the stream ends or is cancelled. */
export async function videoResponse(part: FilePart, request: VideoRequest): Promise<Response> {
  const { contentType, digest, length, file, at } = part
  const headers = { ...mediaHeaders(contentType, digest), 'accept-ranges': 'bytes' }
  const isSame = request.ifRange === undefined || isKnown(request.ifRange, digest)
  const wanted = parseRange(isSame ? request.range : undefined, length)
  const finish = async (status: number, extra: Record<string, string> = {}) => {
    await file.close()
    return new Response(null, { status, headers: { ...headers, ...extra } })
  }

  if (isKnown(request.ifNoneMatch, digest)) return finish(304)
  if (wanted === 'beyond') return finish(416, { 'content-range': `bytes */${length}` })
  const { first, last } = wanted === 'whole' ? { first: 0, last: length - 1 } : wanted
  const status = wanted === 'whole' ? 200 : 206
  const extra: Record<string, string> = { 'content-length': String(last - first + 1) }
  if (status === 206) extra['content-range'] = `bytes ${first}-${last}/${length}`
  if (request.method === 'HEAD') return finish(status, extra)
  const body = streamPart(file, { start: at + first, end: at + last, request })
  return new Response(body, { status, headers: { ...headers, ...extra } })
}

/** From byte `at` to `end`, both inclusive. */
function streamPart(
  file: FileHandle,
  { start, end, request }: { start: number; end: number; request: VideoRequest },
): ReadableStream<Uint8Array> {
  const lender = createLender(request.outgoing)
  let at = start
  let requestedAt = 0
  const nextSize = () => {
    const isFast = performance.now() - requestedAt < FAST_MS
    requestedAt = performance.now()
    return Math.min(isFast ? LARGE_BYTES : CHUNK_BYTES, end - at + 1)
  }
  return new ReadableStream(
    {
      async pull(controller) {
        const size = nextSize()
        const { bytesRead, buffer } = await file.read(lender.take(size), 0, size, at)
        at += bytesRead
        chargeBytes(request.time, bytesRead)
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead))
        if (bytesRead > 0 && at <= end) return
        await file.close()
        if (at > end) controller.close()
        else controller.error(new Error('the file became shorter'))
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}
