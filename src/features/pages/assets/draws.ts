// The draw of a lossy timeline as a picture: a number between 0 and 1 for each post, and those below the share that is
// kept. The posts themselves say the same in words.

import { element, svg } from './dom.ts'
import type { Strip } from './strip-of-draws.ts'

const WIDTH = 1_000
const HEIGHT = 40

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
