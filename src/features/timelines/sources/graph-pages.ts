// Pages of a graph: the accounts in one list or in all of several, and the adjacency list of all accounts. An
// intersection scans the shortest of its lists and looks accounts up in the others; if that takes too long,
// the page ends early. So does a page of the adjacency list, which has one line per stretch of an account's
// follows.

import type { GraphSource, Side } from './graph-source.ts'
import type { Cursors } from './signed-cursor.ts'

type ActorsPage = { actors: string[]; next_cursor: string | null }

/** One line of an adjacency list, in the form used for loading; `cursor` continues after it. */
type AdjacencyLine = { actor: string; follows: string[]; cursor: string }

type AdjacencyPage = { lines: AdjacencyLine[]; next: string | undefined }

const CHUNK = 1_000
const MAX_FOLLOWS_A_LINE = 1_000
const MAX_FOLLOWS_A_PAGE = 5_000
const ACCOUNTS_AT_ONCE = 500

type Request = { cursors: Cursors; cursor: string | undefined; limit: number }

/** @throws XRPCError 400 for a cursor of other lists. */
export function readActors(
  source: GraphSource,
  sides: readonly Side[],
  { cursors, cursor, limit }: Request,
): ActorsPage {
  const name = `${source.name}:${sides.map(({ of, id }) => `${of}:${id}`).join('+')}`
  const [shortest, ...others] = [...sides].sort((a, b) => source.size(a) - source.size(b))
  const isIn = ({ of, id }: Side, other: number) =>
    of === 'follows' ? source.has(id, other) : source.has(other, id)
  const actors: string[] = []
  let after = cursor === undefined ? 0 : cursors.read(name, cursor).at[0]!
  const isMore = () => ({
    actors,
    next_cursor: cursors.write(name, { isForward: true, at: [after] }),
  })
  // For a single list, the page holds all accounts but the few that are hidden.
  const chunk = others.length === 0 ? Math.min(CHUNK, limit + 1) : CHUNK
  for (let examined = 0; examined < source.maxExamined; examined += chunk) {
    const ids = source.list(shortest!, after, chunk)
    for (let i = 0; i < ids.length; i++) {
      after = ids[i]!
      if (!others.every((side) => isIn(side, after))) continue
      const found = source.nameOf(after)
      if (found !== undefined && actors.push(found) === limit) return isMore()
    }
    if (ids.length < chunk) return { actors, next_cursor: null }
  }
  return isMore()
}

/** @throws XRPCError 400 for any other cursor. */
export function readAdjacency(
  source: GraphSource,
  cursors: Cursors,
  cursor: string | undefined,
): AdjacencyPage {
  const name = `${source.name}:adjacency`
  const write = (...at: number[]) => cursors.write(name, { isForward: true, at })
  const [first, within] = cursor === undefined ? [0, 0] : cursors.read(name, cursor).at
  const lines: AdjacencyLine[] = []
  let capacity = MAX_FOLLOWS_A_PAGE
  // The account of the last line may have more follows.
  const ids = source.accounts(Math.max(first! - 1, 0), ACCOUNTS_AT_ONCE)
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!
    const actor = source.nameOf(id)
    let after = id === first ? within! : 0
    for (let isEnd = actor === undefined; !isEnd; ) {
      const follows = source.list({ of: 'follows', id }, after, MAX_FOLLOWS_A_LINE)
      isEnd = follows.length < MAX_FOLLOWS_A_LINE
      if (follows.length === 0) break
      after = follows[follows.length - 1]!
      lines.push({ actor: actor!, follows: namesOf(source, follows), cursor: write(id, after) })
      capacity -= follows.length
      if (capacity <= 0) return { lines, next: write(id, after) }
    }
  }
  const last = ids[ids.length - 1]
  const isEnd = ids.length < ACCOUNTS_AT_ONCE || last === undefined
  return { lines, next: isEnd ? undefined : write(last + 1, 0) }
}

function namesOf(source: GraphSource, ids: ArrayLike<number>): string[] {
  return Array.from(ids).flatMap((id) => source.nameOf(id) ?? [])
}
