// A real Prometheus reads a running server by deploy/prometheus, and every query of the dashboard is put to it. Where
// none is installed (Debian: apt-get install prometheus), these tests skip and say so.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../e2e/support/free-port.ts'
import { eventually, until } from '../support/eventually.ts'
import { signServiceJwt } from '../support/service-jwt.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../support/timelines-process.ts'

type Target = { expr: string; legendFormat: string }
type Panel = { title: string; type: string; targets?: Target[] }
type Rule = { name: string; health: string }
type Series = { metric: Record<string, string>; value: [number, string] }

const deploy = join(import.meta.dirname, '../../deploy')
const panels = (
  JSON.parse(readFileSync(join(deploy, 'grafana/slipstream.json'), 'utf8')) as { panels: Panel[] }
).panels.filter(({ type }) => type !== 'row')

/** What has no value on this server, which no labeler tells anything, and whose readers watch no video. */
const ABSENT =
  /slipstream_(stream_dropped_total|stream_ahead_bytes|stream_choice_month_bytes|labels_total|video_watched_seconds_total|video_sessions_total)\b/

const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)),
)

if (!prometheus || !promtool)
  console.warn(
    'no Prometheus here: the queries of deploy/grafana are NOT run, nor are its rules checked',
  )

async function readAsMember(slipstream: TimelinesProcess): Promise<void> {
  const document = await fetch(`${slipstream.origin()}/.well-known/did.json`)
  const { id: aud } = (await document.json()) as { id: string }
  const { did, keypair } = slipstream.accountOf('ann')
  const lxm = 'app.bsky.feed.getTimeline'
  const token = await signServiceJwt(keypair, { iss: did, aud, lxm })
  expect((await slipstream.ask('GET', `/xrpc/${lxm}`, { token })).status).toBe(200)
}

describe.skipIf(!prometheus || !promtool)('a real Prometheus', () => {
  let folder: string
  let slipstream: TimelinesProcess
  let running: ChildProcess
  let origin: string
  let posting: NodeJS.Timeout

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipstream-prometheus-'))
    slipstream = await startTimelinesProcess(['ann', 'bob'], { METRICS: 'open' })
    await slipstream.start()
    origin = await startPrometheus()
    await live()
  })

  afterAll(async () => {
    clearInterval(posting)
    running.kill('SIGKILL')
    await once(running, 'exit')
    await slipstream.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  async function startPrometheus(): Promise<string> {
    cpSync(join(deploy, 'prometheus'), folder, { recursive: true })
    const file = join(folder, 'prometheus.yml')
    const here = readFileSync(file, 'utf8')
      .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
      .replace('127.0.0.1:3000', new URL(slipstream.origin()).host)
    writeFileSync(file, here)
    const address = `127.0.0.1:${await freePort()}`
    const options = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ]
    running = spawn(prometheus!, options, { stdio: 'ignore' })
    return `http://${address}`
  }

  /** Something of everything that the dashboard shows. */
  async function live(): Promise<void> {
    slipstream.emit('ann', 'app.bsky.graph.follow', { subject: slipstream.didOf('bob') })
    posting = setInterval(() => slipstream.emit('bob', 'app.bsky.feed.post', { text: 'on' }), 200)
    for (let i = 0; i < 20; i++) await readAsMember(slipstream)
    const token = await slipstream.token('reader', 'read:*', 'graph:read')
    const key = `following:${slipstream.didOf('ann')}`
    await until(async () => (await slipstream.page(key, '', token)).body.events.length > 0)
    await slipstream.ask('GET', `/v1/graph/follows?actor=${slipstream.didOf('ann')}`, { token })
    await slipstream.ask('GET', '/xrpc/app.bsky.actor.searchActors?q=bob')
    await slipstream.ask(
      'GET',
      `/xrpc/app.bsky.feed.getAuthorFeed?actor=${slipstream.didOf('bob')}`,
    )
  }

  async function ask(expr: string): Promise<Series[]> {
    const query = expr.replaceAll('$job', '.*').replaceAll('$instance', '.*')
    const answer = await fetch(`${origin}/api/v1/query?${new URLSearchParams({ query })}`)
    const { status, data, error } = (await answer.json()) as {
      status: string
      error?: string
      data: { result: Series[] }
    }
    expect(status, `${query}: ${error}`).toBe('success')
    return data.result
  }

  const requested = panels.flatMap(({ title, targets }) =>
    targets!.map((target, i) => [`${title}, ${i + 1}`, target] as const),
  )

  test.each(requested)('answers “%s”', async (_, { expr, legendFormat }) => {
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!)
    await eventually(async () => {
      const series = await ask(expr)
      if (!ABSENT.test(expr)) expect(series.length, expr).toBeGreaterThan(0)
      for (const { metric } of series)
        expect(Object.keys(metric), expr).toEqual(expect.arrayContaining(labels))
    })
  })

  test('takes the shipped configuration, and evaluates each alert', async () => {
    execFileSync(promtool!, ['check', 'config', join(folder, 'prometheus.yml')], { stdio: 'pipe' })
    const names = [...readFileSync(join(folder, 'alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g)]
    await eventually(async () => {
      const answer = await fetch(`${origin}/api/v1/rules`)
      const { data } = (await answer.json()) as { data: { groups: { rules: Rule[] }[] } }
      const rules = data.groups.flatMap((group) => group.rules)
      expect(rules.map(({ name }) => name).sort()).toEqual(names.map(([, name]) => name).sort())
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    })
  })

  test('has nothing to say against the metrics', async () => {
    const metrics = await (await fetch(`${slipstream.origin()}/metrics`)).text()
    expect(metrics).toMatch(/^slipstream_connection_bytes_total\{direction="sent"\} [1-9]\d*$/m)
    const reported = spawnSync(promtool!, ['check', 'metrics'], {
      input: metrics,
      encoding: 'utf8',
    })
    expect(reported.stdout + reported.stderr).toBe('')
    expect(reported.status).toBe(0)
  })
})
