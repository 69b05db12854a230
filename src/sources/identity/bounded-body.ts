// Reads a response's body into memory or a sink, up to a limit. Counts bytes on both sides of the
// decompression: after it because of bombs, before it because an endless stream of empty blocks decompresses
// to nothing.

import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { FetchError } from './fetch-error.ts'
import { atLeastAt } from './least-pace.ts'
import type { LeastPace } from './patience.ts'

/** Headers and checksums that compression adds to a small body. */
const ENCODING_OVERHEAD_BYTES = 1024

/** @throws FetchError `too-large`, `slow` or `encoding`; the caller must then destroy the stream. */
export async function readBody(
  body: Readable,
  {
    contentEncoding,
    maxBytes,
    leastPace,
    sink,
  }: {
    contentEncoding: string | null
    maxBytes: number
    leastPace: LeastPace
    /** Takes each piece; the body is then not kept in memory and the result is empty. */
    sink?: ((piece: Buffer) => Promise<void>) | undefined
  },
): Promise<Buffer> {
  const decoder = createDecoder(contentEncoding)
  const chunks: Buffer[] = []
  const collect = async (source: AsyncIterable<Buffer>) => {
    let length = 0
    for await (const chunk of source) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      if (sink) await sink(chunk)
      else chunks.push(chunk)
    }
  }
  const paced = (source: AsyncIterable<Buffer>) => atLeastAt(leastPace, source)
  try {
    if (decoder) {
      await pipeline(body, paced, countUpTo(maxBytes + ENCODING_OVERHEAD_BYTES), decoder, collect)
    } else await pipeline(body, paced, collect)
  } catch (error) {
    throw asEncodingError(error)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function createDecoder(contentEncoding: string | null): Transform | undefined {
  switch (contentEncoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new FetchError('encoding', `not asked for: content-encoding ${contentEncoding}`)
  }
}

function countUpTo(maxBytes: number): Transform {
  let length = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length
      if (length > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
}

function tooLarge(maxBytes: number): FetchError {
  return new FetchError('too-large', `more than ${maxBytes} bytes`)
}

function asEncodingError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^(Z_|ERR__ERROR|ERR_BROTLI)/.test(code)) return error
  return new FetchError('encoding', 'the compressed body is torn', { cause: error })
}
