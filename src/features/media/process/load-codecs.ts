// Loads the video decoder and encoder from an optional package, which the operator may not have installed.

import { RefusedBlob } from './jobs.ts'

/** @throws RefusedBlob */
export async function loadCodecs() {
  try {
    return await import('@napi-rs/webcodecs')
  } catch (cause) {
    throw new RefusedBlob('NoDecoder', 'this machine has no video decoder', { cause })
  }
}
