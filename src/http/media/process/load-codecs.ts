// What decodes and encodes videos: a package that an operator installs beside the others, so it may not be there.

import { RefusedBlob } from './jobs.ts'

/** @throws RefusedBlob */
export async function loadCodecs() {
  try {
    return await import('@napi-rs/webcodecs')
  } catch (cause) {
    throw new RefusedBlob('NoDecoder', 'this machine has no decoder of videos', { cause })
  }
}
