// A body in chunks of a byte: Node's parser and undici's hand over each of a hundred thousand in one go, before
// anyone who waits for them can count. So they are counted as they are handed over.

import type { Readable } from 'node:stream'

type Bounds = {
  /** Pieces that any body may have; honest ones have a few. */
  free: number
  /** And one more for as many bytes. */
  bytesAPiece: number
}

/** @param end - closes what the stream is read from; what still comes of it is dropped, as if `isOver` */
export function boundPieces(
  stream: Readable,
  { free, bytesAPiece }: Bounds,
  { isOver, end }: { isOver: () => boolean; end: () => void },
): void {
  const push = stream.push.bind(stream)
  let pieces = 0
  let bytes = 0
  stream.push = (piece: Buffer | null, ...rest) => {
    if (isOver()) return false
    if (piece === null) return push(piece, ...rest)
    pieces += 1
    bytes += piece.length
    if (pieces <= free + bytes / bytesAPiece) return push(piece, ...rest)
    end()
    return false
  }
}
