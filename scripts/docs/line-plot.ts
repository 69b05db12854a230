// A small line plot as SVG, without a library: logarithmic axes, and for each series a line with points and
// its last value. The colours follow the reader's light or dark scheme.

export type Series = { name: string; points: readonly (readonly [x: number, y: number])[] }

export type Plot = {
  title: string
  xLabel: string
  yLabel: string
  /** Makes the vertical axis logarithmic; otherwise it begins at 0. */
  logarithmic: boolean
  /** A horizontal line, for example a target. */
  limit?: { value: number; name: string }
  series: readonly Series[]
}

const WIDTH = 640
const HEIGHT = 360
const MARGIN = { top: 44, right: 130, bottom: 48, left: 68 }
const COLOURS = ['a', 'b', 'c', 'd']

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #333 }
  .title { font-size: 14px; font-weight: 600 }
  .ground { fill: #fff }
  .grid { stroke: #ddd }
  .limit { stroke: #888; stroke-dasharray: 5 4 }
  .line { fill: none; stroke-width: 2 }
  .a { stroke: #0969da } .b { stroke: #cf222e } .c { stroke: #1a7f37 } .d { stroke: #8250df }
  circle { fill: #fff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    .ground, circle { fill: #0d1117 }
    .grid { stroke: #30363d }
    .a { stroke: #58a6ff } .b { stroke: #ff7b72 } .c { stroke: #3fb950 } .d { stroke: #bc8cff }
  }`

type Scale = (value: number) => number

export function drawPlot(plot: Plot): string {
  const xs = plot.series.flatMap(({ points }) => points.map(([x]) => x))
  const ys = [...plot.series.flatMap(({ points }) => points.map(([, y]) => y))]
  if (plot.limit) ys.push(plot.limit.value)
  const xTicks = powersAround(xs)
  const yTicks = plot.logarithmic ? powersAround(ys) : roundSteps(Math.max(...ys))
  const x = logScale(xTicks, MARGIN.left, WIDTH - MARGIN.right)
  const [bottom, top] = [HEIGHT - MARGIN.bottom, MARGIN.top]
  const y = plot.logarithmic
    ? logScale(yTicks, bottom, top)
    : linearScale(yTicks.at(-1)!, bottom, top)
  const parts = [
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(WIDTH / 2, 24, plot.title, 'title', 'middle'),
    ...xTicks.map((tick) => verticalTick(x(tick), tick)),
    ...yTicks.map((tick) => horizontalTick(y(tick), tick)),
    text((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 10, plot.xLabel, '', 'middle'),
    text(MARGIN.left - 50, MARGIN.top - 12, plot.yLabel, '', 'start'),
    ...limitLine(plot, y),
    ...plot.series.flatMap((series, i) => line(series, COLOURS[i % COLOURS.length]!, x, y)),
    ...seriesNames(plot.series, y),
  ]
  const box = `width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" aria-label="${escaped(plot.title)}">`
  return `${head}\n<style>${STYLE}\n</style>\n${parts.join('\n')}\n</svg>\n`
}

/** From the power of ten at or below the minimum to the one at or above the maximum. */
function powersAround(values: readonly number[]): number[] {
  const from = Math.floor(Math.log10(Math.min(...values)) + 1e-9)
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9))
  return Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i))
}

/** From 0 in steps of 1, 2 or 5 times a power of ten. */
function roundSteps(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size * 6 >= most)!
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}

function logScale(ticks: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.log10(ticks[0]!), Math.log10(ticks.at(-1)!)]
  return (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
}

function linearScale(most: number, from: number, to: number): Scale {
  return (value) => from + (value / most) * (to - from)
}

function verticalTick(x: number, value: number): string {
  const at = x.toFixed(1)
  const bottom = HEIGHT - MARGIN.bottom
  const grid = `<line class="grid" x1="${at}" x2="${at}" y1="${MARGIN.top}" y2="${bottom}"/>`
  return grid + text(x, bottom + 18, short(value), '', 'middle')
}

function horizontalTick(y: number, value: number): string {
  const at = y.toFixed(1)
  const right = WIDTH - MARGIN.right
  const grid = `<line class="grid" x1="${MARGIN.left}" x2="${right}" y1="${at}" y2="${at}"/>`
  return grid + text(MARGIN.left - 8, y + 4, short(value), '', 'end')
}

function limitLine({ limit }: Plot, y: Scale): string[] {
  if (!limit) return []
  const at = y(limit.value).toFixed(1)
  const right = WIDTH - MARGIN.right
  return [
    `<line class="limit" x1="${MARGIN.left}" x2="${right}" y1="${at}" y2="${at}"/>`,
    text(MARGIN.left + 6, y(limit.value) - 6, limit.name, '', 'start'),
  ]
}

function line({ points }: Series, colour: string, x: Scale, y: Scale): string[] {
  const positions = points.map(([a, b]) => [x(a).toFixed(1), y(b).toFixed(1)] as const)
  const path = positions.map(([a, b]) => `${a},${b}`).join(' ')
  const dots = positions.map(([a, b]) => `<circle class="${colour}" cx="${a}" cy="${b}" r="3.5"/>`)
  return [`<polyline class="line ${colour}" points="${path}"/>`, ...dots]
}

/** Placed next to the last points and moved apart where they would overlap. */
function seriesNames(series: readonly Series[], y: Scale): string[] {
  const LINE = 15
  const wanted = series
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => ({ name, last: points.at(-1)![1] }))
    .map(({ name, last }) => ({ label: `${name} ${short(last)}`, at: y(last) + 4 }))
    .sort((a, b) => a.at - b.at)
  let floor = -Infinity
  return wanted.map(({ label, at }) => {
    floor = Math.max(at, floor + LINE)
    return text(WIDTH - MARGIN.right + 10, floor, label, '', 'start')
  })
}

function text(x: number, y: number, content: string, kind: string, anchor: string): string {
  const attributes = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"`
  return `<text ${attributes}${kind && ` class="${kind}"`}>${escaped(content)}</text>`
}

/** Formats 1,500 as 1.5k; three digits. */
export function short(value: number): string {
  const units: [number, string][] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ]
  const [size, unit] = units.find(([size]) => Math.abs(value) >= size) ?? [1, '']
  return `${Number((value / size).toPrecision(3))}${unit}`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
