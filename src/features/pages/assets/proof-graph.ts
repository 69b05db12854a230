// Social proof as a small graph: the viewer on the left, the subject on the right, and the accounts that
// connect them in between. A table shows the same for screen readers.

import { element, shortName, svg } from './dom.ts'
import type { Person } from './person.ts'
import { createFitting, type Fitted } from './text-width.ts'

export type Proof = {
  viewer: Person & { follows: number }
  subject: Person & { followers: number }
  isFollowing: boolean
  isFollowedBy: boolean
  count: number
  known: Person[]
}

/** Positions, in the graph's own units. */
type Layout = {
  width: number
  height: number
  /** Centres. */
  viewer: Point
  subject: Point
  nodes: Point[]
  /** Path from an end to a node's near side, or from its far side to the other end. */
  edge: (node: Point, side: -1 | 1) => string
}
type Point = { x: number; y: number }

const ROW = 34
const MOST_DRAWN = 12
const NODE = { height: 26, face: 20, padding: 12 }
/** What the ends leave between them, and an arrow on each side. */
const WIDEST_NODE = 236
const END = { width: 224, height: 50 }
/** Below this page width, the ends are above and below. */
const NARROW = 560

export function proofWords({
  viewer,
  subject,
  count,
  isFollowing,
  isFollowedBy,
}: Proof): HTMLElement {
  const between = [
    isFollowing ? 'follows already' : 'does not follow yet',
    isFollowedBy && 'is followed back',
  ].filter((part) => part !== false)
  const people = count === 1 ? '1 account' : `${count} accounts`
  return element(
    'p',
    {},
    `${people} followed by ${shortName(viewer)} ${count === 1 ? 'follows' : 'follow'} ${shortName(subject)}, whom ${shortName(viewer)} ${between.join(' and ')}.`,
  )
}

/** @param capacity - available width of the page */
export function proofGraph(proof: Proof, capacity: number): SVGElement {
  const drawn = proof.known.slice(0, MOST_DRAWN)
  const rest = proof.count - drawn.length
  const rows = drawn.length + (rest > 0 ? 1 : 0)
  const labels = middleLabels(drawn)
  const wide = Math.max(...labels.map((label) => label.width), 0) + around(drawn)
  const { width, height, viewer, subject, nodes, edge } =
    capacity < NARROW ? upright(rows, wide) : lying(rows, wide)
  const label = `${proof.count} accounts between ${shortName(proof.viewer)} and ${shortName(proof.subject)}; the table below lists them`
  return svg(
    'svg',
    { class: 'proof', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    ...nodes
      .slice(0, drawn.length)
      .flatMap((node) =>
        ([-1, 1] as const).map((side) => svg('path', { class: 'edge', d: edge(node, side) })),
      ),
    ...drawn.map((person, i) => middleNode(person, labels[i]!, { ...nodes[i]!, width: wide })),
    rest > 0 &&
      svg(
        'text',
        { class: 'rest', ...nodes[drawn.length]!, dy: 5, 'text-anchor': 'middle' },
        `and ${rest} more`,
      ),
    endNode(proof.viewer, viewer, `${proof.viewer.follows} follows`),
    endNode(proof.subject, subject, `${proof.subject.followers} followers`),
  )
}

/** What a node has beside its label. */
function around(drawn: readonly Person[]): number {
  return 2 * NODE.padding + (drawn.some(({ avatar }) => avatar) ? NODE.face : 0)
}

function middleLabels(drawn: readonly Person[]): Fitted[] {
  const cutLabel = createFitting('13px')
  return drawn.map((person) => cutLabel(shortName(person), WIDEST_NODE - around(drawn)))
}

function lying(rows: number, nodeWidth: number): Layout {
  const width = 720
  const height = Math.max(rows, 3) * ROW + 24
  const centre = { x: width / 2, y: height / 2 }
  const reach = END.width / 2 + 6
  const nodes = Array.from({ length: rows }, (_, i) => ({
    x: centre.x,
    y: centre.y + (i - (rows - 1) / 2) * ROW,
  }))
  return {
    width,
    height,
    nodes,
    viewer: { x: reach, y: centre.y },
    subject: { x: width - reach, y: centre.y },
    edge: ({ x, y }, side) => {
      const from = x + side * (centre.x - reach)
      const to = x + (side * nodeWidth) / 2
      return `M${from} ${centre.y}C${from - side * 90} ${centre.y} ${to + side * 94} ${y} ${to} ${y}`
    },
  }
}

function upright(rows: number, nodeWidth: number): Layout {
  const width = 340
  const top = END.height / 2 + 2
  const height = rows * ROW + END.height * 2 + 44
  const x = width / 2
  const nodes = Array.from({ length: rows }, (_, i) => ({ x, y: END.height + 38 + i * ROW }))
  return {
    width,
    height,
    nodes,
    viewer: { x, y: top },
    subject: { x, y: height - top },
    edge: ({ y }, side) => {
      const from = side < 0 ? top : height - top
      const to = x + (side * nodeWidth) / 2
      const out = x + side * (x - 4)
      return `M${x + (side * END.width) / 2} ${from}C${out} ${from} ${out} ${y} ${to} ${y}`
    },
  }
}

export function proofTable({ known, count }: Proof): HTMLElement {
  if (known.length === 0) return element('p', { class: 'aside' }, 'No account connects the two.')
  const rows = known.map(({ name, handle, did }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row', dir: 'auto' }, name || '–'),
      element('td', {}, shortName({ handle, did })),
    ),
  )
  const caption = count > known.length ? `The first ${known.length} of ${count}` : 'All of them'
  const table = element(
    'table',
    {},
    element('caption', {}, caption),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Name'),
        element('th', { scope: 'col' }, 'Handle'),
      ),
    ),
    element('tbody', {}, ...rows),
  )
  return element('details', {}, element('summary', {}, 'Show as a table'), table)
}

function middleNode(
  { avatar }: Person,
  label: Fitted,
  { x, y, width }: Point & { width: number },
): SVGElement {
  const { height, face, padding } = NODE
  const box = { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }
  const start = x - (label.width + (avatar ? face : 0)) / 2
  const round = { x: start - padding / 2, y: y - face / 2, width: face, height: face }
  return svg(
    'g',
    {},
    svg('rect', { class: 'node', ...box }),
    avatar !== undefined && svg('image', { class: 'face', href: avatar, ...round }),
    svg('text', { x: avatar ? start + face : start, y: y + 4 }, label.text),
  )
}

function endNode(person: Person, { x, y }: Point, below: string): SVGElement {
  const { width, height } = END
  const label = createFitting('600 13px')(shortName(person), width - 2 * NODE.padding)
  return svg(
    'g',
    {},
    svg('rect', { class: 'end', x: x - width / 2, y: y - height / 2, width, height, rx: 12 }),
    svg('text', { class: 'name', x, y: y - 3, 'text-anchor': 'middle' }, label.text),
    svg('text', { class: 'rest', x, y: y + 15, 'text-anchor': 'middle' }, below),
  )
}
