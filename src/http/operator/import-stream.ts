// An adjacency list as it comes in, applied a slice at a time: the stream's batches go between the
// slices, and the next piece of the list is read when the last one is committed.

import type { OperatorRequest } from '../../bridge/messages.ts'
import type { FollowLine } from '../../data/store/follows.ts'
import { createFollowReader } from '../../ingest/indexing/follow-lines.ts'
import { addTo, emptyTally, type ImportReport } from '../../ingest/indexing/import-tally.ts'

/** About ten milliseconds of the writer's time. */
const SLICE = 250

/** `operate` resolves when a slice is committed; nothing else is read meanwhile. */
export async function importStream(
  text: AsyncIterable<Uint8Array>,
  options: {
    operate: (request: OperatorRequest) => Promise<Record<string, number>>
    isInScopeOnly: boolean
    firstLine: number
  },
): Promise<ImportReport> {
  const reader = createFollowReader(options.firstLine)
  const decoder = new TextDecoder()
  const tally = emptyTally()
  const take = async (lines: readonly FollowLine[]) => {
    for (let start = 0; start < lines.length; start += SLICE) {
      const slice = lines.slice(start, start + SLICE)
      const { isInScopeOnly } = options
      addTo(tally, await options.operate({ kind: 'import-follows', lines: slice, isInScopeOnly }))
    }
  }
  for await (const bytes of text) await take(reader.take(decoder.decode(bytes, { stream: true })))
  await take(reader.finish())
  const { bad, badLines } = reader
  return { tally, lines: reader.lines - options.firstLine + 1, bad, badLines }
}
