// The same requests sent by autocannon, a widely used load generator
// (https://github.com/mcollina/autocannon), so that no figure relies on ours alone. npx downloads it for the
// run; where it can't, nothing is measured.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type OutsideReport = { perSecond: number; p99Ms: number; refused: number }

const PACKAGE = 'autocannon@9.0.0'

type Plan = {
  port: number
  token: string
  /** Paths including query strings. */
  paths: readonly string[]
  connections: number
  seconds: number
}

/**
 * Each connection sends the next request as soon as it has its answer.
 * @returns undefined if autocannon is unavailable
 */
export async function runOutside(plan: Plan): Promise<OutsideReport | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-outside-'))
  try {
    const har = join(folder, 'requests.har')
    writeFileSync(har, JSON.stringify(archiveOf(plan)))
    const { connections, seconds } = plan
    const load = ['-c', String(connections), '-d', String(seconds), '--har', har, '--json']
    const output = await run(['--yes', PACKAGE, ...load, originOf(plan)])
    return output === undefined ? undefined : read(output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const originOf = ({ port }: Plan) => `http://127.0.0.1:${port}`

/** In the format of browsers: http://www.softwareishard.com/blog/har-12-spec. */
function archiveOf(plan: Plan) {
  const headers = [{ name: 'authorization', value: `Bearer ${plan.token}` }]
  const entries = plan.paths.map((path) => ({
    request: { method: 'GET', url: originOf(plan) + path, headers },
  }))
  return { log: { version: '1.2', creator: { name: 'bench', version: '1' }, entries } }
}

function run(args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('npx', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.once('error', () => resolve(undefined))
    child.once('close', (code) => resolve(code === 0 ? output : undefined))
  })
}

function read(output: string): OutsideReport {
  const result = JSON.parse(output) as {
    requests: { average: number }
    latency: { p99: number }
    non2xx: number
    errors: number
  }
  const { requests, latency, non2xx, errors } = result
  return { perSecond: requests.average, p99Ms: latency.p99, refused: non2xx + errors }
}
