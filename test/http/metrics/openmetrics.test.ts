// /metrics beside the rules of OpenMetrics 1.0, as a running server answers it: ours, and those of the parser that the
// format's authors maintain (Python's prometheus_client), where that is installed. promtool has its say in
// test/deploy/prometheus.test.ts.

import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, until } from '../../support/eventually.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

type Sample = { name: string; labels: ReadonlyMap<string, string>; value: number }
type Family = { name: string; type: string; help: string; samples: Sample[] }

const OPEN = 'application/openmetrics-text'
/** What Prometheus 2 and 3 send. */
const REQUESTED = `${OPEN};version=1.0.0,${OPEN};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`
const SUFFIXES: Record<string, readonly string[]> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

let slipstream: TimelinesProcess
let text: string

beforeAll(async () => {
  slipstream = await startTimelinesProcess(['ann', 'bob'], { METRICS: 'open' })
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
  slipstream.emit('ann', 'app.bsky.feed.post', { text: 'one' })
  await slipstream.ask('GET', '/xrpc/app.bsky.actor.searchActors?q=bob')
  await eventually(async () => {
    text = await (await load(REQUESTED)).text()
    expect(text).toMatch(/^slipstream_events_total\{kind="commit"\} [1-9]/m)
    expect(text).toMatch(/^slipstream_request_duration_seconds_count\{/m)
  })
})
afterAll(() => slipstream.close())

const load = (accept: string) => fetch(`${slipstream.origin()}/metrics`, { headers: { accept } })

/** @throws Error at the first line that is none of the format */
function familiesOf(lines: readonly string[]): Family[] {
  const families: Family[] = []
  for (const line of lines) {
    const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') families.push({ name: name!, help: rest!, type: '', samples: [] })
    else if (kind === 'TYPE') {
      const family = families.at(-1)!
      expect([name, family.type, family.samples], line).toEqual([family.name, '', []])
      family.type = rest!
    } else families.at(-1)!.samples.push(sampleOf(line))
  }
  return families
}

function sampleOf(line: string): Sample {
  const [, name, , inside = '', value] =
    /^([a-z_]+)(\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/.exec(line) ?? []
  if (name === undefined) throw new Error(`no sample: ${line}`)
  const labels = [...inside.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
  expect(new Set(labels.map(([, label]) => label)).size, line).toBe(labels.length)
  expect(value, line).toMatch(/^[+-]?(\d+(\.\d+)?(e[+-]?\d+)?|Inf)$/i)
  return {
    name,
    labels: new Map(labels.map(([, value, of]) => [value!, of!])),
    value: Number(value),
  }
}

const seriesOf = ({ name, labels }: Sample, without = '') =>
  `${name} ${JSON.stringify([...labels].filter(([label]) => label !== without).sort())}`

test('it is sent to whoever asks for it by its version, and ends as it must', async () => {
  for (const accept of [REQUESTED, `text/plain;q=0.3, ${OPEN}; version=1.0.0`]) {
    const answer = await load(accept)
    expect(answer.headers.get('content-type')).toBe(`${OPEN}; version=1.0.0; charset=utf-8`)
    expect(await answer.text()).toMatch(/[^\n]\n# EOF\n$/)
  }
  for (const accept of [
    '*/*',
    'text/plain',
    OPEN,
    `${OPEN};version=0.0.1`,
    `${OPEN};version=1.0.0;q=0`,
  ]) {
    const answer = await load(accept)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).not.toContain('# EOF')
  }
})

test('each family has one help and one type, and samples with the names of that type', () => {
  const lines = text.split('\n').slice(0, -2)
  expect(lines).not.toContain('')
  const families = familiesOf(lines)
  expect(families.length).toBeGreaterThan(60)
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  for (const { name, type, samples } of families) {
    expect(Object.keys(SUFFIXES), name).toContain(type)
    expect(name).not.toMatch(/_(total|bucket|sum|count|created)$/)
    const names = SUFFIXES[type]!.map((suffix) => name + suffix)
    for (const sample of samples) expect(names).toContain(sample.name)
  }
  const all = families.flatMap(({ samples }) => samples.map((sample) => seriesOf(sample)))
  expect(new Set(all).size).toBe(all.length)
})

test('counters do not fall below nothing, and histograms count upwards to their number', () => {
  const families = familiesOf(text.split('\n').slice(0, -2))
  const counted = families
    .filter(({ type }) => type === 'counter')
    .flatMap((family) => family.samples)
  expect(counted.filter(({ value }) => !(value >= 0))).toEqual([])
  const histograms = families.filter(({ type }) => type === 'histogram')
  expect(histograms.length).toBeGreaterThan(2)
  for (const { name, samples } of histograms) {
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
    const series = Map.groupBy(buckets, (bucket) =>
      seriesOf(bucket, 'le').slice(`${name}_bucket`.length),
    )
    const totals = samples.filter((sample) => sample.name === `${name}_count`)
    expect(series.size, name).toBe(totals.length)
    for (const total of totals) {
      const own = series.get(seriesOf(total).slice(total.name.length))!
      const bounds = own.map(({ labels }) => labels.get('le')!)
      expect(bounds.at(-1)).toBe('+Inf')
      for (const bound of bounds.slice(0, -1)) expect(bound).toMatch(/^\d+\.\d+$/)
      const values = own.map(({ value }) => value)
      expect(values.toSorted((a, b) => a - b)).toEqual(values)
      expect(values.at(-1)).toBe(total.value)
    }
  }
})

test('both formats have the same samples, but for how bounds are written', async () => {
  const named = (all: string) =>
    new Set(
      all
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.replace(/ \S+$/, '').replace(/le="(\d+)\.0"/, 'le="$1"')),
    )
  const [open, plain] = await Promise.all([load(REQUESTED), load('text/plain')])
  expect(named(await open.text())).toEqual(named(await plain.text()))
})

const PARSE =
  'import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as f; print(len(list(f(sys.stdin.read()))))'
const hasParser =
  spawnSync('python3', ['-c', 'import prometheus_client.openmetrics.parser']).status === 0
if (!hasParser) console.warn('no prometheus_client for Python here: its parser is NOT asked')

test.skipIf(!hasParser)('the format’s own parser takes it', () => {
  const reported = spawnSync('python3', ['-c', PARSE], { input: text, encoding: 'utf8' })
  expect(reported.stderr).toBe('')
  expect(Number(reported.stdout)).toBeGreaterThan(60)
})
