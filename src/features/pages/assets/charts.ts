// History charts: one for each element with series, drawn by uPlot in the page's colours, with a text summary
// for screen readers.

import uPlot from 'uplot'
import { DURATION_STEPS, heightOf, spanOf } from './chart-scale.ts'

type History = {
  stepSeconds: number
  /** How far the charts may reach back from `until`. */
  spanSeconds: number
  /** Milliseconds since 1970. */
  until: number
  /** Milliseconds since 1970. */
  at: number[]
  series: Record<string, (number | null)[]>
  incidents: Incident[]
}

/** Start and end, in milliseconds since 1970. */
type Incident = { from: number; to: number; level: string; title: string }

type Unit = 'count' | 'ms' | 'bytes'
type Chart = {
  position: HTMLElement
  names: string[]
  unit: Unit
  /** Upper end of the y axis. */
  top: number
  /** Start and end, in seconds since 1970. */
  span: [number, number]
  incidents: Incident[]
  plot?: uPlot
}

const HEIGHT = 148
const AXIS_WIDTH = 62
const BAND_ALPHA = 0.16
/** Minimum, in canvas pixels. */
const BAND_WIDTH = 3
/** A longer gap, in steps, is drawn as a gap. */
const MAX_MISSING_STEPS = 2.5

/** @param ask - fetches the history of a ring */
export function createCharts(ask: (ring: string) => Promise<History>) {
  const charts = [...document.querySelectorAll<HTMLElement>('[data-series]')].map(
    (position): Chart => ({
      position,
      names: position.dataset['series']!.split(' '),
      unit: position.dataset['unit'] as Unit,
      top: 1,
      span: [0, 1],
      incidents: [],
    }),
  )
  let history: History | undefined

  function draw(): void {
    if (!history) return
    for (const chart of charts) drawOne(chart, history)
  }

  function forgetPlots(): void {
    for (const chart of charts) {
      chart.plot?.destroy()
      delete chart.plot
    }
  }

  const resized = new ResizeObserver(() => {
    for (const { plot, position } of charts) {
      // Elements in a hidden tab have no width.
      if (position.clientWidth > 0) plot?.setSize({ width: position.clientWidth, height: HEIGHT })
    }
  })
  for (const { position } of charts) resized.observe(position)

  return {
    async load(ring: string): Promise<void> {
      history = withHoles(await ask(ring))
      draw()
    },
    /** Call after the page's colours changed. */
    redraw(): void {
      forgetPlots()
      draw()
    },
    clear(): void {
      history = undefined
      forgetPlots()
      for (const { position } of charts)
        position.setAttribute('aria-label', position.dataset['title']!)
    },
  }
}

function drawOne(chart: Chart, history: History): void {
  const { position, names, unit } = chart
  chart.span = spanOf(history)
  chart.incidents = history.incidents
  const data = [
    history.at.map((ms) => ms / 1000),
    ...names.map((name) => history.series[name] ?? []),
  ] as uPlot.AlignedData
  position.setAttribute(
    'aria-label',
    inWords(position.dataset['title']!, history.series[names[0]!], unit),
  )
  showPeak(
    chart,
    data.slice(1).flatMap((values) => [...values]),
  )
  if (chart.plot) chart.plot.setData(data)
  else chart.plot = new uPlot(optionsFor(chart), data, position)
}

function optionsFor(chart: Chart): uPlot.Options {
  const { position, names, unit } = chart
  const colours = ['--chart', '--chart-second'].map((name) => colourOf(position, name))
  const grid = { stroke: colourOf(position, '--line'), width: 1 }
  const font = `12px ${getComputedStyle(document.body).fontFamily}`
  const axis = { stroke: colourOf(position, '--muted'), font, grid, ticks: { show: false } }
  const write = (value: number | null) => (value == null ? '' : inUnit(value, unit))
  return {
    width: position.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    // Synchronises the cursor across all charts.
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 6 },
      sync: { key: 'history' },
    },
    padding: [8, 4, 0, 0],
    scales: {
      x: { time: true, range: () => chart.span },
      y: { range: () => [0, chart.top] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70, values: TIMES },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 36,
        values: (_plot, values) => values.map(write),
        ...(unit === 'ms' && { incrs: [...DURATION_STEPS] }),
      },
    ],
    series: [
      {},
      ...names.map((name, i) => ({
        label: name,
        stroke: colours[i],
        width: 1.5,
        points: { show: false },
        ...(i === 0 && { fill: colourOf(position, '--chart-fill') }),
      })),
    ],
    hooks: {
      drawClear: [(plot) => markIncidents(plot, chart)],
      setCursor: [(plot) => tell(plot, chart, write)],
    },
  }
}

/** Sets the y axis, and notes the peak beside the title if it is cut off. */
function showPeak(chart: Chart, values: readonly (number | null | undefined)[]): void {
  const { top, peak } = heightOf(values)
  chart.top = top
  const note = chart.position.parentElement!.querySelector('.peak') as HTMLElement
  note.textContent = peak === undefined ? '' : `highest ${inUnit(peak, chart.unit)}`
}

/** Draws a band behind the lines, with a minimum width for short incidents. */
function markIncidents({ ctx, bbox, valToPos }: uPlot, { position, incidents, span }: Chart): void {
  for (const { from, to, level } of incidents) {
    const [start, end] = [from, to].map((ms) =>
      valToPos(Math.min(Math.max(ms / 1000, span[0]), span[1]), 'x', true),
    ) as [number, number]
    ctx.save()
    ctx.globalAlpha = BAND_ALPHA
    ctx.fillStyle = colourOf(position, `--${level}`)
    ctx.fillRect(start, bbox.top, Math.max(end - start, BAND_WIDTH), bbox.height)
    ctx.restore()
  }
}

/** Shows the values under the pointer as text above the chart. */
function tell(
  plot: uPlot,
  { position, incidents }: Chart,
  write: (value: number | null) => string,
): void {
  const { idx } = plot.cursor
  const readout = position.parentElement!.querySelector('figcaption strong') as HTMLElement
  if (idx == null) {
    delete readout.dataset['held']
    if (readout.dataset['latest']) readout.textContent = readout.dataset['latest']
    return
  }
  const at = plot.data[0][idx]
  const values = plot.data.slice(1).map((series) => write(series[idx] ?? null))
  const ms = (at ?? 0) * 1000
  const incident = incidents.find(({ from, to }) => ms >= from && ms < to)
  if (!('held' in readout.dataset)) readout.dataset['latest'] = readout.textContent ?? ''
  readout.dataset['held'] = ''
  const words = [...(incident ? [incident.title] : []), values.filter(Boolean).join(' / ')]
  readout.textContent = `${at === undefined ? '' : timeOf(at)} · ${words.filter(Boolean).join(', ') || 'not known'}`
}

function timeOf(seconds: number): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }
  return new Date(seconds * 1000).toLocaleString('en-GB', options)
}

/** 24-hour times, and days by date. */
const TIMES: uPlot.Axis.Values = [
  [86_400 * 3, '{D} {MMM}', null, null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
  [3_600, '{HH}:{mm}', null, null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', null, null, null, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1],
]

/** Inserts gaps where no samples were written for a while. */
function withHoles(history: History): History {
  const { stepSeconds, at, series } = history
  const names = Object.keys(series)
  const step = Math.max(stepSeconds * 1000, at.length > 1 ? (at.at(-1)! - at[0]!) / at.length : 0)
  const complete: History = { ...history, at: [], series: {} }
  for (const name of names) complete.series[name] = []
  for (const [i, moment] of at.entries()) {
    const before = at[i - 1]
    if (before !== undefined && moment - before > step * MAX_MISSING_STEPS) {
      complete.at.push(before + step)
      for (const name of names) complete.series[name]!.push(null)
    }
    complete.at.push(moment)
    for (const name of names) complete.series[name]!.push(series[name]![i] ?? null)
  }
  return complete
}

function inWords(title: string, values: (number | null)[] = [], unit: Unit): string {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return `${title}: no data yet`
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const latest = inUnit(known.at(-1)!, unit)
  return `${title}: ${latest} now, between ${inUnit(low, unit)} and ${inUnit(high, unit)}`
}

function inUnit(value: number, unit: Unit): string {
  if (unit === 'bytes') return scaled(value, 1_000, ['B', 'kB', 'MB', 'GB', 'TB'])
  if (unit === 'ms' && value >= 60_000) return `${short(value / 60_000)} min`
  if (unit === 'ms') return scaled(value, 1_000, ['ms', 's'])
  return scaled(value, 1_000, ['', 'k', 'M', 'G']).trim()
}

function scaled(value: number, base: number, units: string[]): string {
  let at = 0
  let size = value
  while (Math.abs(size) >= base && at < units.length - 1) {
    size /= base
    at++
  }
  return `${short(size)} ${units[at]}`
}

function short(value: number): string {
  return value === 0 ? '0' : String(Number(value.toPrecision(value < 100 ? 2 : 3)))
}

/**
 * Resolves a custom property to a colour for the canvas; properties resolve only where they are
 * used.
 */
function colourOf(position: HTMLElement, property: string): string {
  const probe = document.createElement('span')
  probe.className = `probe${property}`
  position.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
