// Reads an answer's body, up to a limit, and no shorter than it should be.

/** A changed-pages object at its largest, with room for what does not compress. */
const MAX_BYTES = 256 << 20

/**
 * @param onPiece - called with each piece that arrives
 * @throws Error if it is longer than any object of ours, or ends too early
 */
export async function readBody(answer: Response, onPiece: () => void): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    onPiece()
    length += piece.length
    if (length > MAX_BYTES) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`)
    pieces.push(piece)
  }
  const promised = answer.headers.get('content-length')
  const isComplete = promised === null || answer.headers.has('content-encoding')
  if (!isComplete && Number(promised) !== length) throw new Error('its answer ended too early')
  return Buffer.concat(pieces, length)
}
