/** @throws Error if `who` sends more, unless truncation is allowed. */
export async function readBody(
  response: Response,
  options: {
    who: string
    maxBytes: number
    isCut?: boolean
    onChunk?: (bytes: number) => void
  },
): Promise<Buffer> {
  const { who, maxBytes, isCut, onChunk } = options
  const chunks: Uint8Array[] = []
  let length = 0
  if (!response.body) return Buffer.alloc(0)
  for await (const chunk of response.body) {
    onChunk?.(chunk.length)
    length += chunk.length
    if (length > maxBytes && !isCut) throw new Error(`${who} sends more than ${maxBytes} bytes`)
    chunks.push(chunk)
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks)
}
