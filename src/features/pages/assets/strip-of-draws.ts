// What the picture of a lossy timeline's draw (draws.ts) shows.

/** `own`: the reader's, which no draw drops. */
type Drawn = { way: string; draw: number; keepShare: number }
export type Strip = { keepShare: number; marks: { x: number; isKept: boolean }[]; words: string }

/** Of the posts that were drawn; undefined if the timeline keeps all. */
export function stripOf(verdicts: readonly Drawn[]): Strip | undefined {
  const drawn = verdicts.filter(({ way, keepShare }) => way !== 'own' && keepShare < 1)
  const [first] = drawn
  if (!first) return undefined
  const marks = drawn.map(({ draw, keepShare }) => ({ x: draw, isKept: draw < keepShare }))
  const filtered = marks.filter(({ isKept }) => isKept).length
  const words = `Each line is the number drawn for a post: ${filtered} of these ${marks.length} are below ${first.keepShare.toFixed(3)}, and kept.`
  return { keepShare: first.keepShare, marks, words }
}
