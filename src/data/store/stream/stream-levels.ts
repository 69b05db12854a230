// What the stream may leave out of what strangers do, in this order, and what a day costs with each choice.
// Nothing of members and those they follow is ever left out: a second stream, filtered by account, brings it.

export type StreamLevel = 0 | 1 | 2 | 3 | 4

/** By collection or kind of event; `''` is all that every choice costs: headers, replays, repairs, relays. */
export type StreamPace = { kind: string; whose: 'all' | 'authors'; bytes: number; seconds: number }

const LIKES = ['app.bsky.feed.like']
const REPOSTS = [...LIKES, 'app.bsky.feed.repost']
const FOLLOWS = [...REPOSTS, 'app.bsky.graph.follow']

/** `collections`: of these, strangers’ records are left out. */
export const STREAM_LEVELS: readonly { name: string; collections: readonly string[] }[] = [
  { name: 'nothing', collections: [] },
  { name: 'strangers’ likes', collections: LIKES },
  { name: 'strangers’ likes and reposts', collections: REPOSTS },
  { name: 'strangers’ likes, reposts and follows', collections: FOLLOWS },
  { name: 'all that strangers do', collections: [] },
]
/** Leaves out all that strangers do: then there is only one stream, filtered by account. */
export const AUTHORS_ONLY: StreamLevel = 4

const LEAST_SECONDS = 3_600
const DAY_SECONDS = 86_400

/** @returns bytes a day; undefined until an hour was measured, or if nothing tells the authors’ share. */
export function dayBytesAt(level: number, paces: readonly StreamPace[]): number | undefined {
  const common = commonOf(paces)
  if (!common || common.seconds < LEAST_SECONDS) return undefined
  const shareOf = authorsShare(paces)
  const left = new Set(STREAM_LEVELS[level]!.collections)
  let sum = perSecond(common)
  for (const pace of paces) {
    if (pace.whose !== 'all' || pace.kind === '') continue
    if (level !== AUTHORS_ONLY && !left.has(pace.kind)) sum += perSecond(pace)
    else {
      const theirs = shareOf(pace)
      if (theirs === undefined && level === AUTHORS_ONLY) return undefined
      sum += theirs ?? 0
    }
  }
  return Math.round(sum * DAY_SECONDS)
}

/** For how long was measured, as far as it still counts. */
export function measuredMs(paces: readonly StreamPace[]): number {
  return (commonOf(paces)?.seconds ?? 0) * 1000
}

function commonOf(paces: readonly StreamPace[]): StreamPace | undefined {
  return paces.find(({ kind, whose }) => kind === '' && whose === 'all')
}

/** As measured; of other kinds, as large a part as of those that were. */
function authorsShare(paces: readonly StreamPace[]): (of: StreamPace) => number | undefined {
  const theirs = new Map(
    paces.filter(({ whose }) => whose === 'authors').map((pace) => [pace.kind, perSecond(pace)]),
  )
  const complete = paces.filter(({ kind, whose }) => whose === 'all' && theirs.has(kind))
  const totalSum = complete.reduce((sum, pace) => sum + perSecond(pace), 0)
  const theirSum = complete.reduce((sum, { kind }) => sum + theirs.get(kind)!, 0)
  const part = totalSum > 0 ? Math.min(1, theirSum / totalSum) : undefined
  return (pace) =>
    theirs.get(pace.kind) ?? (part === undefined ? undefined : part * perSecond(pace))
}

function perSecond({ bytes, seconds }: StreamPace): number {
  return seconds > 0 ? bytes / seconds : 0
}
