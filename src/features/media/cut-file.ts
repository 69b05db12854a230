// On-disk format of a video ready for streaming: the index's length in four bytes, the index, then the
// initialization section and the segments. Each piece is a range of the file, whatever the video's format,
// and the index alone suffices to write any kind of playlist.

import type { FileHandle } from 'node:fs/promises'

type CutIndex = {
  /** Length of the initialization section, in bytes. */
  init: number
  segments: { seconds: number; bytes: number }[]
}

/** A range of the file's body. */
export type Piece = { at: number; length: number }

export type CutFile = {
  /** Offset of the first piece. */
  dataAt: number
  index: CutIndex
}

export const CUT_TYPE = 'application/x-slipstream-cut'
/** Room for some 3600 segments. */
const MAX_INDEX_BYTES = 256 * 1024

/** Returns the bytes that precede the pieces. */
export function writeIndex({ init, segments }: CutIndex): Buffer {
  const rows = segments.map(({ seconds, bytes }) => [Number(seconds.toFixed(5)), bytes])
  const text = Buffer.from(JSON.stringify({ init, segments: rows }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text])
}

/**
 * @param at - offset of the body in the file.
 * @throws if it is not an index that `writeIndex` wrote for a body of this length.
 */
export async function readIndex(
  file: FileHandle,
  { at, length }: { at: number; length: number },
): Promise<CutFile> {
  const textBytes = (await readExactly(file, at, 4)).readUInt32BE()
  if (textBytes > Math.min(MAX_INDEX_BYTES, length)) throw new Error('not the index of a cut video')
  const text = (await readExactly(file, at + 4, textBytes)).toString()
  const { init, segments } = JSON.parse(text) as { init: number; segments: [number, number][] }
  const index = { init, segments: segments.map(([seconds, bytes]) => ({ seconds, bytes })) }
  const sizes = [init, ...index.segments.map(({ bytes }) => bytes)]
  const sum = sizes.reduce((total, bytes) => total + bytes, 0)
  if (!sizes.every(isSize) || 4 + textBytes + sum !== length) throw new Error('a damaged cut video')
  return { dataAt: 4 + textBytes, index }
}

function isSize(bytes: unknown): boolean {
  return Number.isSafeInteger(bytes) && (bytes as number) >= 0
}

export function initPiece({ dataAt, index }: CutFile): Piece {
  return { at: dataAt, length: index.init }
}

/**
 * @param number - from 0
 * @returns undefined if there is no such segment.
 */
export function segmentPiece({ dataAt, index }: CutFile, number: number): Piece | undefined {
  const segment = index.segments[number]
  if (!segment) return undefined
  const before = index.segments.slice(0, number).reduce((sum, { bytes }) => sum + bytes, 0)
  return { at: dataAt + index.init + before, length: segment.bytes }
}

async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  if (bytesRead < length) throw new Error('a cut video is truncated')
  return buffer
}
