// Passes an incoming adjacency list to the writer in parts, a few ahead, so that the writer never waits for
// the next one; it interleaves slices of them with the stream's batches. More of the list is read once a part
// is committed.

import type { OperatorRequest } from '../../bridge/messages.ts'
import type { FollowLine } from '../../data/store/records/follows.ts'
import { createFollowReader } from '../../ingest/indexing/imports/follow-lines.ts'
import { addTo, emptyTally, type ImportReport } from '../../ingest/indexing/imports/import-tally.ts'

/**
 * The more of an account's lines come together, the fewer times its list is written. A line has at
 * most two kilobytes (ingest/indexing/imports/follow-lines.ts), but mostly eighty bytes.
 */
const PART_LINES = 16_384
const MAX_PARTS = 2

/** `operate` resolves once a part is committed. */
export async function importStream(
  text: AsyncIterable<Uint8Array>,
  options: {
    operate: (request: OperatorRequest) => Promise<Record<string, number>>
    isInScopeOnly: boolean
    firstLine: number
  },
): Promise<ImportReport> {
  const { operate, isInScopeOnly, firstLine } = options
  const reader = createFollowReader(firstLine)
  const decoder = new TextDecoder()
  const tally = emptyTally()
  const underWay: Promise<void>[] = []
  let part: FollowLine[] = []
  const send = async () => {
    const done = operate({ kind: 'import-follows', lines: part, isInScopeOnly })
    part = []
    const counted = done.then((figures) => addTo(tally, figures))
    // The next await reports the error; this avoids an unhandled rejection.
    counted.catch(() => undefined)
    underWay.push(counted)
    if (underWay.length >= MAX_PARTS) await underWay.shift()
  }
  const take = async (lines: readonly FollowLine[]) => {
    for (const line of lines) {
      part.push(line)
      if (part.length === PART_LINES) await send()
    }
  }
  for await (const bytes of text) await take(reader.take(decoder.decode(bytes, { stream: true })))
  await take(reader.finish())
  if (part.length > 0) await send()
  await Promise.all(underWay)
  const { bad, badLines } = reader
  return { tally, lines: reader.lines - firstLine + 1, bad, badLines }
}
