// Chooses a response's encoding from the client's preferences, and compresses the body. Weights matter: a PDS
// that is going to edit the answer asks for `identity;q=1,gzip;q=0.3`, and would have to undo our work.

import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, gzip, zstdCompress } from 'node:zlib'
import { preferenceWeights } from './preference-weights.ts'

type Encoding = 'zstd' | 'br' | 'gzip' | 'deflate' | 'identity'

/** Below this, compressing costs more than it saves. */
export const MIN_COMPRESSED_BYTES = 1024

/** Fast levels: an answer is compressed once and sent once, and higher levels save little. */
const GZIP_LEVEL = 1
const BROTLI_QUALITY = 1
const ZSTD_LEVEL = 1

/**
 * Best first, for clients without preference. A timeline of 144 KB at these levels: zstd 0.25 ms of
 * CPU and 26.5 KB, br 0.37 ms and 28 KB, gzip 0.88 ms and 37 KB.
 */
const preference: Encoding[] = ['zstd', 'br', 'gzip', 'deflate', 'identity']
const MAX_ENCODINGS = 16
const UNNAMED_IDENTITY_WEIGHT = 0.0001

const compressors = {
  zstd: promisify(zstdCompress),
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  deflate: promisify(deflate),
}

export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (!acceptEncoding) return 'identity'
  const weights = preferenceWeights(acceptEncoding.split(',', MAX_ENCODINGS))
  const any = weights.get('*') ?? 0
  let best: Encoding = 'identity'
  let bestWeight = 0
  for (const encoding of preference) {
    const weight = weights.get(encoding) ?? unnamedWeight(encoding, any)
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight]
  }
  return best
}

export function compress(body: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  switch (encoding) {
    case 'zstd':
      return compressors.zstd(body, {
        params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
        pledgedSrcSize: body.length,
      })
    case 'br':
      return compressors.br(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    default:
      return compressors[encoding](body, { level: GZIP_LEVEL })
  }
}

/** `*` stands for widely known encodings, which zstd is not. */
function unnamedWeight(encoding: Encoding, any: number): number {
  if (encoding === 'zstd') return 0
  return encoding === 'identity' ? Math.max(any, UNNAMED_IDENTITY_WEIGHT) : any
}
