// Reads an adjacency list from a socket, in batches of lines sized for one write. A line is
// `{"actor": "…", "follows": ["…"]}`; other fields are ignored, so that a dump can be loaded as it is.

import { z } from 'zod'
import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { HttpRequest } from '../../../http/server/http-request.ts'
import { ACCOUNT_NAME, ACCOUNT_NAMES } from '../sources/graph-source.ts'

export const MAX_FOLLOWS_A_LINE = 1_000
export const MAX_LOAD_BYTES = 32 << 20
const MAX_LINE_LENGTH = 512 << 10
const FOLLOWS_AT_ONCE = 2_000
const LINES_AT_ONCE = 1_000

const name = z.string().regex(ACCOUNT_NAME)
export const lineSchema = z.object({
  actor: name,
  follows: z.array(name).max(MAX_FOLLOWS_A_LINE),
})

type LoadedLine = z.infer<typeof lineSchema>

/**
 * @param from - the number of the first line, for error messages
 * @throws XRPCError 400 or 413 after the batches before the bad line
 */
export async function* readLoad(request: HttpRequest, from: number): AsyncGenerator<LoadedLine[]> {
  const encoding = request.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    throw new XRPCError(415, 'UnsupportedMediaType', 'Send loads uncompressed')
  }
  let batch: LoadedLine[] = []
  let follows = 0
  let number = from
  for await (const text of linesOf(request)) {
    const line = parseLine(text)
    if (!line) {
      if (batch.length > 0) yield batch
      throw invalidRequest(
        `Line ${number} is not {"actor": "…", "follows": […]} with up to ${MAX_FOLLOWS_A_LINE}, an account being ${ACCOUNT_NAMES}: earlier lines are applied`,
        'BadLine',
      )
    }
    number++
    batch.push(line)
    follows += line.follows.length
    if (follows < FOLLOWS_AT_ONCE && batch.length < LINES_AT_ONCE) continue
    yield batch
    batch = []
    follows = 0
  }
  if (batch.length > 0) yield batch
}

function parseLine(text: string): LoadedLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Skips empty lines. The last line needs no line break. */
async function* linesOf({ body }: HttpRequest): AsyncGenerator<string> {
  let rest = ''
  let bytes = 0
  const decoder = new TextDecoder()
  for await (const chunk of chunksOf(body)) {
    bytes += chunk.length
    if (bytes > MAX_LOAD_BYTES) throw tooLarge('A load request')
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    if (rest.length > MAX_LINE_LENGTH) throw tooLarge('A line')
    for (const line of lines) if (line.trim() !== '') yield line
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield rest
}

/** A client that disconnects halfway is not a server error. */
async function* chunksOf(body: HttpRequest['body']): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body
  } catch (cause) {
    throw new XRPCError(400, 'InvalidRequest', 'The request body ended early', { cause })
  }
}

function tooLarge(what: string): XRPCError {
  return new XRPCError(413, 'PayloadTooLarge', `${what} is too large: earlier lines are applied`)
}
