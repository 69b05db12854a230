// A real server whose log is never copied: it accepts what fits, reports what it waits for, and exits so that
// it gets restarted. The next process then imports everything.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ImportReport } from '../../../src/ingest/indexing/imports/import-tally.ts'
import { cliJson, runCli } from '../../support/cli.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { createRandom } from '../../support/random.ts'
import { didOf, tidAt } from '../../support/records.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const LINES = 60_000
const STUCK = pathToFileURL(join(import.meta.dirname, '../../support/stuck-checkpoints.ts')).href

const random = createRandom(12)

let stream: JetstreamDouble
let env: Record<string, string>
let server: SlipstreamProcess

beforeAll(async () => {
  stream = await createJetstreamDouble()
  env = { DATA_DIR: freshDataDir(), JETSTREAM_HOSTS: stream.url, INDEX_SCOPE: 'network' }
  server = startSlipstream(env, [], { options: ['--import', STUCK] })
  await server.port()
})

afterAll(async () => {
  await server.stop('SIGKILL')
  await stream.close()
})

/** Writes a list in which hardly two lines change the same page, so that the log fills up. */
function writeList(): string {
  const accounts = Array.from({ length: LINES }, (_, i) => didOf(`account-${i}`))
  const lines = accounts.map((_, i) => {
    const creator = random.below(LINES)
    const subject = (creator + 1 + i) % LINES
    return `${accounts[creator]},${accounts[subject]},${tidAt(1.7e15 + i)}`
  })
  const path = join(env['DATA_DIR']!, 'list.csv')
  writeFileSync(path, lines.join('\n'))
  return path
}

/**
 * Returns what the server reports to be waiting for; the serving threads learn it slightly later
 * than the log.
 */
async function standstillOf(port: number): Promise<string | undefined> {
  const health = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
  expect(health.status).toBe(200)
  const { ingest } = (await health.json()) as { ingest: { stalls: { what: string }[] } }
  return ingest.stalls[0]?.what
}

it('reports what it waits for, exits, and goes on after a restart', async () => {
  const port = await server.port()
  const list = writeList()
  const importing = runCli(env, ['import-follows', list])
  await server.waitFor(/standing still: /)
  await expect.poll(() => standstillOf(port), { timeout: MAX_WAIT_MS }).toMatch(/log to be copied/)
  expect(await server.exit).toBe(70)
  expect(server.output()).toMatch(/StandstillError: .* has stood still for 1\d\d s/)
  expect((await importing).code).not.toBe(0)
  server = startSlipstream(env)
  await server.port()
  const { lines, tally } = await cliJson<ImportReport>(env, ['import-follows', list])
  expect([lines, tally.added + tally.known]).toEqual([LINES, LINES])
  expect(tally.known).toBeGreaterThan(LINES / 10)
})
