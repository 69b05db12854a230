// The draw of a lossy timeline as a picture: a number between 0 and 1 for each post, and those below the share that is
// kept. The posts themselves say the same in words.

import { element, svg } from './dom.ts'

/** `own`: the reader's, which no draw drops. */
type Drawn = { way: string; draw: number; keepShare: number }
type Strip = { keepShare: number; marks: { x: number; isKept: boolean }[]; words: string }

const WIDTH = 1_000
const HEIGHT = 40

/** Of the posts that were drawn; undefined if the timeline keeps all. */
export function stripOf(verdicts: readonly Drawn[]): Strip | undefined {
  const drawn = verdicts.filter(({ way, keepShare }) => way !== 'own' && keepShare < 1)
  const [first] = drawn
  if (!first) return undefined
  const marks = drawn.map(({ draw, keepShare }) => ({ x: draw, isKept: draw < keepShare }))
  const kept = marks.filter(({ isKept }) => isKept).length
  const words = `Each line is the number drawn for a post: ${kept} of these ${marks.length} are below ${first.keepShare.toFixed(3)}, and kept.`
  return { keepShare: first.keepShare, marks, words }
}

export function drawStrip({ keepShare, marks, words }: Strip): HTMLElement {
  const picture = svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': words,
    },
    svg('rect', { class: 'zone', x: 0, y: 0, width: keepShare * WIDTH, height: HEIGHT }),
    ...marks.map(({ x, isKept }) =>
      svg('line', {
        class: isKept ? 'kept' : 'dropped',
        x1: x * WIDTH,
        x2: x * WIDTH,
        y1: isKept ? 0 : HEIGHT / 4,
        y2: HEIGHT,
      }),
    ),
  )
  return element('figure', { class: 'draws' }, picture, element('figcaption', {}, words))
}
