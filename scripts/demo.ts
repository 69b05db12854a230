// `scripts/start --demo`: Slipstream and the simulated network together, offline. Waits until the
// demo account's timeline is full, then prints a first request that anyone can paste.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSimulationOptions, startSimulation } from './simulation.ts'

const METHOD = 'app.bsky.feed.getTimeline'
const PREFERRED_PORT = 3000
const TOKEN_LIFETIME_SECONDS = 24 * 3600
const FULL_PAGE = 50
const PATIENCE_MS = 60_000
/** Good for nothing but this demo, which listens on this machine only. */
const OPERATOR_TOKEN = 'demo-operator-token'

const simulation = await startSimulation(readSimulationOptions(process.argv.slice(2)))
const viewer = simulation.network.repositories.at(-1)!
const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-demo-'))
const port = await freePort()
const origin = `http://localhost:${port}`

const slipstream = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
  stdio: 'inherit',
  // Ctrl-C goes to a whole group of processes: it would hear it twice, and not end in peace.
  detached: true,
  env: {
    ...withoutSettings(process.env),
    ...simulation.env,
    SLIPSTREAM_PORT: String(port),
    SLIPSTREAM_DATA_DIR: dataDir,
    SLIPSTREAM_MEMBERS: viewer.did,
    SLIPSTREAM_OPERATOR_TOKEN: OPERATOR_TOKEN,
  },
})
slipstream.once('exit', (code) => finish(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => slipstream.kill('SIGTERM'))

await introduce()

async function introduce(): Promise<void> {
  const aud = `did:web:localhost%3A${port}`
  const claims = { iss: viewer.did, aud, lxm: METHOD, lifetimeSeconds: TOKEN_LIFETIME_SECONDS }
  const token = await simulation.servers.serviceJwt(claims)
  const items = await waitForFullPage(token)
  console.log(`
Slipstream runs at ${origin}, reading a simulated network. ${viewer.handle} has ${items} items on the
first page of the timeline; the token in this line is good for a day:

curl -H 'Authorization: Bearer ${token}' '${origin}/xrpc/${METHOD}?limit=3'

Its status page is ${origin}/ and ${origin}/explore shows why the timeline of ${viewer.handle} is as it
is; the operator’s token there is ${OPERATOR_TOKEN}
`)
}

async function waitForFullPage(token: string): Promise<number> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (;;) {
    const items = await countItems(token)
    if (items >= FULL_PAGE || Date.now() > giveUpAt) return items
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

async function countItems(token: string): Promise<number> {
  try {
    const response = await fetch(`${origin}/xrpc/${METHOD}?limit=${FULL_PAGE}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const body = (await response.json()) as { feed?: unknown[] }
    return body.feed?.length ?? 0
  } catch {
    return 0
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const attempt = (port: number) => {
      const server = createServer()
      server.once('error', () => attempt(0))
      server.listen(port, '127.0.0.1', () => {
        const { port: found } = server.address() as { port: number }
        server.close(() => resolve(found))
      })
    }
    attempt(PREFERRED_PORT)
  })
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('SLIPSTREAM_')))
}

async function finish(code: number): Promise<void> {
  await simulation.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code)
}
