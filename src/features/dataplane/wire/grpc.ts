// Answers gRPC calls over HTTP/2 directly on the stream. The frontend makes all of its calls this way, and
// Connect's adapter takes more processor time per call than most calls do. Handles only the plain case, one
// uncompressed message; everything else goes through the adapter to the same handlers.

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { MAX_TIMER_MS } from '../../../base/util/durations.ts'
import { createDecoder } from './decoding.ts'
import { encodedOf } from './encoded.ts'
import { tooLarge } from './messages.ts'

/**
 * One call of a service, counted, with errors mapped for the client. Bytes are an already encoded
 * answer.
 */
export type Call = {
  method: DescMethod
  run: (request: object, ended: Ended) => object | Promise<object>
}

/** Why the client no longer waits for the answer; undefined while it does. */
type Ended = () => ConnectError | undefined

/** @returns whether it handled the stream. */
export type Grpc = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean

type Limits = { maxRequestedBytes: number; maxAnsweredBytes: number }
type Decoded = Call & { decode: ReturnType<typeof createDecoder> }
type Answering = Limits & { call: Decoded; type: string; deadline: number }

const TYPES = new Set(['application/grpc', 'application/grpc+proto'])
const PREFIX_BYTES = 5

export function createGrpc(calls: ReadonlyMap<string, Call>, limits: Limits): Grpc {
  const decoded = new Map(
    Array.from(calls, ([path, call]) => [
      path,
      { ...call, decode: createDecoder(call.method.input) },
    ]),
  )
  return (stream, headers) => {
    const call = decoded.get(headers[':path'] as string)
    const type = headers['content-type'] ?? ''
    const isPlain = (headers['grpc-encoding'] ?? 'identity') === 'identity'
    if (!call || !isPlain || !TYPES.has(type) || headers[':method'] !== 'POST') return false
    const deadline = deadlineOf(headers['grpc-timeout'])
    readAll(stream, { ...limits, call, type, deadline })
    return true
  }
}

const UNIT_MS: Record<string, number> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
}

/** Deadline on `performance.now()`'s clock. An unparsable timeout means no deadline. */
function deadlineOf(timeout: unknown): number {
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(timeout)) ?? []
  if (unit === undefined) return Infinity
  const ms = Number(count) * UNIT_MS[unit]!
  return ms > MAX_TIMER_MS ? Infinity : performance.now() + ms
}

function readAll(stream: ServerHttp2Stream, answering: Answering): void {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('error', () => stream.destroy())
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= answering.maxRequestedBytes + PREFIX_BYTES) chunks.push(chunk)
    else if (!stream.headersSent) {
      const message = `message is larger than ${answering.maxRequestedBytes} bytes`
      refuse(stream, answering, new ConnectError(message, Code.ResourceExhausted))
    }
  })
  stream.once('end', () => {
    if (stream.headersSent) return
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
    answer(stream, body, answering)
  })
}

/** Most calls are answered synchronously. */
function answer(stream: ServerHttp2Stream, body: Buffer, answering: Answering): void {
  try {
    const request = requestOf(answering.call, body)
    const running = answering.call.run(request, () => endOf(stream, answering))
    if (running instanceof Promise) void answerLater(stream, running, answering)
    else respond(stream, running, answering)
  } catch (error) {
    refuse(stream, answering, ConnectError.from(error))
  }
}

async function answerLater(
  stream: ServerHttp2Stream,
  running: Promise<object>,
  answering: Answering,
): Promise<void> {
  try {
    respond(stream, await inTime(running, answering), answering)
  } catch (error) {
    refuse(stream, answering, ConnectError.from(error))
  }
}

/** @throws ConnectError */
function requestOf({ decode, method }: Decoded, body: Buffer): object {
  const isOne = body.length >= PREFIX_BYTES && body.readUInt32BE(1) === body.length - PREFIX_BYTES
  if (!isOne || body[0] !== 0) throw new ConnectError('not one message', Code.InvalidArgument)
  try {
    return decode(body.subarray(PREFIX_BYTES))
  } catch {
    throw new ConnectError(
      `not a message of the type ${method.input.typeName}`,
      Code.InvalidArgument,
    )
  }
}

function endOf(stream: ServerHttp2Stream, { deadline }: Answering): ConnectError | undefined {
  if (stream.closed) return new ConnectError('the client has gone', Code.Canceled)
  return performance.now() > deadline ? timedOut() : undefined
}

function timedOut(): ConnectError {
  return new ConnectError('the operation timed out', Code.DeadlineExceeded)
}

/** Rejects at the deadline. Work that continues past it is discarded. */
async function inTime(running: Promise<object>, { deadline }: Answering): Promise<object> {
  if (deadline === Infinity) return running
  const { promise: late, reject } = Promise.withResolvers<object>()
  const timer = setTimeout(() => reject(timedOut()), deadline - performance.now())
  return Promise.race([running, late]).finally(() => clearTimeout(timer))
}

/** @throws ConnectError if the answer is too large */
function respond(stream: ServerHttp2Stream, answer: object, answering: Answering): void {
  const { call, maxAnsweredBytes, type } = answering
  const bytes = encodedOf(call.method.output, answer)
  if (bytes.length > maxAnsweredBytes) throw tooLarge()
  if (!isOpen(stream)) return
  const message = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length)
  message[0] = 0
  message.writeUInt32BE(bytes.length, 1)
  message.set(bytes, PREFIX_BYTES)
  stream.respond([':status', '200', 'content-type', type], WITH_TRAILERS)
  stream.once('wantTrailers', sendTrailers)
  stream.end(message)
}

/**
 * A client that reset the stream or ended the session gets no answer. `closed` is set before
 * `destroyed`.
 */
function isOpen(stream: ServerHttp2Stream): boolean {
  return !stream.closed && !stream.destroyed && !stream.headersSent
}

const WITH_TRAILERS = { waitForTrailers: true, sendDate: false }
const ANSWERED = { 'grpc-status': '0' }

function sendTrailers(this: ServerHttp2Stream): void {
  this.sendTrailers(ANSWERED)
}

function refuse(stream: ServerHttp2Stream, { type }: Answering, error: ConnectError): void {
  if (!isOpen(stream)) return
  const status = {
    'grpc-status': String(error.code),
    'grpc-message': encodeURIComponent(error.rawMessage),
  }
  stream.respond({ ':status': 200, 'content-type': type, ...status }, { endStream: true })
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
}
