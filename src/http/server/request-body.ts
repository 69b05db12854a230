// Reads a request's body up to the limit, whether or not its length was announced and whether or not it is
// compressed.

import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { HttpRequest } from './http-request.ts'

/** As in the reference. */
const MAX_BODY_BYTES = 100 * 1024

/** Each chunk of a body costs as much as a thousand bytes. Honest bodies have a few. */
const MAX_PIECES = 1_000

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** @throws XRPCError PayloadTooLarge, InvalidRequest, or UnsupportedMediaType */
export async function readRequestBody(request: HttpRequest): Promise<Buffer> {
  const announced = Number(request.header('content-length') ?? 0)
  if (announced > MAX_BODY_BYTES) throw tooLarge()
  if (!request.body) return Buffer.alloc(0)
  const received = await collect(request.body).catch(asRefusal)
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  return encoding === 'identity' ? received : decode(received, encoding)
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw tooLarge()
    if (chunks.push(chunk) > MAX_PIECES) throw tooManyPieces()
  }
  return Buffer.concat(chunks)
}

/** A client that disconnects halfway, or frames its body wrongly, is not a server error. */
function asRefusal(error: unknown): never {
  if (error instanceof XRPCError) throw error
  throw new XRPCError(400, 'InvalidRequest', 'The request body ended early', { cause: error })
}

async function decode(received: Buffer, encoding: string): Promise<Buffer> {
  if (!Object.hasOwn(decoders, encoding)) {
    throw new XRPCError(415, 'UnsupportedMediaType', 'unsupported content-encoding')
  }
  const decoder = decoders[encoding as keyof typeof decoders]
  try {
    return await decoder(received, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new XRPCError(400, 'InvalidRequest', 'The compressed request body is torn')
  }
}

/** Closes the connection, since the rest of the body would only be read to be discarded. */
function tooManyPieces(): XRPCError {
  const message = `The request body comes in more than ${MAX_PIECES} chunks`
  return new XRPCError(400, 'InvalidRequest', message, { headers: { connection: 'close' } })
}

function tooLarge(): XRPCError {
  return new XRPCError(413, 'PayloadTooLarge', 'request entity too large')
}
