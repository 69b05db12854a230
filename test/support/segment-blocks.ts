// Frames of a sealed segment file, walked as in the server's recovery: by the length before each frame,
// without the index.

const HEADER_BYTES = 256
const FOOTER_AT = 58

export function framesIn(segment: Buffer): Buffer[] {
  const end = Number(segment.readBigUInt64LE(FOOTER_AT))
  const frames: Buffer[] = []
  for (let at = HEADER_BYTES; at < end; ) {
    const length = Number(segment.readBigUInt64LE(at))
    frames.push(segment.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return frames
}
