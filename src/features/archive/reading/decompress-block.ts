// Decompresses a block's frame to its columns. libzstd checks the frame's checksum; a frame that would exceed
// the maximum block size is abandoned before it does.

import { promisify } from 'node:util'
import { constants, zstdDecompress } from 'node:zlib'
import { readFrameHeader } from '@slipstream/zstd-dictionary'
import { BadBlockError } from './block-rows.ts'

const decompress = promisify(zstdDecompress)
/** 2^26 bytes: the most a frame may make the decoder keep. */
const MAX_WINDOW_LOG = 26

/** Runs off this thread. @throws BadBlockError */
export async function decompressBlock(frame: Buffer, maxBytes: number): Promise<Buffer> {
  const header = readFrameHeader(frame)
  if (!header) throw new BadBlockError('no zstd frame')
  if ((header.contentSize ?? 0) > maxBytes) throw new BadBlockError('too large')
  try {
    return await decompress(frame, {
      maxOutputLength: maxBytes,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    })
  } catch (error) {
    throw new BadBlockError((error as Error).message, { cause: error })
  }
}
