// `scripts/start --demo`: Slipstream and the simulated network together, offline. Waits until the timelines
// of two readers are full, one with fifty follows and one with thousands, then prints what to open, type and paste.
// Environment settings apply, except those that lead to a network. A .env file is ignored: it belongs to a
// real server, whose data folder must not receive made-up records.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { loadConfig } from '../src/base/config/config.ts'
import { fail } from '../src/tools/fail.ts'
import { readArguments } from '../src/tools/script-usage.ts'
import type { SimulatedAccount } from '../test/support/simulated-network/repository.ts'
import { asFunctions, type Request } from './demo/requests.ts'
import { screen } from './demo/screen.ts'
import { postVideo, videoBlobs } from './demo/video.ts'
import { followsOf, introduce, wordsBy } from './simulated-people.ts'
import { drawPictures } from './simulated-pictures.ts'
import { readSimulationOptions, simulationHelp, startSimulation } from './simulation.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const KNOWN_FOLLOWERS = 'app.bsky.graph.getKnownFollowers'
const SOCIAL_PROOF = 'io.slipstream.graph.getSocialProof'
const PREFERRED_PORT = 3000
const TOKEN_LIFETIME_SECONDS = 24 * 3600
const FULL_PAGE = 50
const FEW_FOLLOWS = 50
const PATIENCE_MS = 60_000
/** With these settings the server would not use the simulated network. */
const NETWORK = /^SLIPSTREAM_(JETSTREAM_|PLC_URL|FALLBACK_APPVIEW|ALLOW_PRIVATE_HOSTS)/

const SMALL = { accounts: 2_500, follows: 12, past: 12_000 }
const USAGE = `scripts/start --demo [options]
Runs Slipstream with a simulated network, offline. Options and their defaults:
${simulationHelp(SMALL)}`

const network = readArguments(USAGE, (args) => readSimulationOptions(args, SMALL))
console.log(
  `Drawing a network of ${network.accounts.toLocaleString('en-US')} people, which takes some seconds.`,
)
const pictures = await drawPictures()
const simulation = await startSimulation(network, {
  words: wordsBy(pictures.scenes),
  blobs: new Map([...pictures.blobs, ...videoBlobs]),
})
introduce(simulation.network, pictures.faces)
const readers = chooseReaders()
const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-demo-'))
const env = await settings()
const config = readConfig()
const origin = `http://localhost:${config.port}`
/** Of pages with a session: a PDS sends browsers back to the address, not to the name. */
const clientOrigin = `http://127.0.0.1:${config.port}`
simulation.servers.homes!.appview = { did: config.serviceDid, origin: clientOrigin }

const main = join(import.meta.dirname, '../src/main.ts')
// Same as scripts/start.
const slipstream = spawn(process.execPath, ['--max-semi-space-size=16', main], {
  stdio: 'inherit',
  // Ctrl-C signals the whole process group; the server would get it twice and not shut down
  // cleanly.
  detached: true,
  env: { MALLOC_ARENA_MAX: '2', ...env },
  // A folder without a .env.
  cwd: dataDir,
})
const guard = endWithThis(slipstream.pid!)
slipstream.once('exit', (code) => finish(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => slipstream.kill('SIGTERM'))

await presentAll()

/**
 * Ends the server, and removes its folder, when this process ends without doing so itself (kill -9):
 * the pipe is then closed.
 */
function endWithThis(pid: number): ChildProcess {
  const script = `read -r _; kill -TERM "$0" && while kill -0 "$0"; do sleep 0.2; done; rm -rf "$1"`
  return spawn('sh', ['-c', script, String(pid), dataDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
}

/** One account that follows about fifty, and one that follows all. */
function chooseReaders(): { few: SimulatedAccount; many: SimulatedAccount } {
  const { repositories, follow } = simulation.network
  const [few, many] = [repositories.length - 1, repositories.length - 2]
  const atMs = Date.now() - 48 * 3_600_000
  const followUpTo = (account: number, most: number) => {
    let left = most - followsOf(repositories[account]!).length
    for (let subject = 0; subject < repositories.length && left > 0; subject++) {
      if (follow({ account, subject, atMs })) left--
    }
  }
  followUpTo(few, FEW_FOLLOWS)
  followUpTo(many, repositories.length)
  return { few: repositories[few]!, many: repositories[many]! }
}

/** Settings from the environment take precedence, except the network's. */
async function settings(): Promise<NodeJS.ProcessEnv> {
  const given = Object.entries(process.env).filter(([key]) => !NETWORK.test(key))
  const { few, many } = readers
  const network = Object.entries(simulation.env)
  return {
    SLIPSTREAM_PORT: String(await freePort()),
    SLIPSTREAM_MEMBERS: [few.did, many.did].join(','),
    // Only for this demo, which listens on this machine only.
    SLIPSTREAM_OPERATOR_TOKEN: 'demo-operator-token',
    SLIPSTREAM_IMAGES: 'own',
    SLIPSTREAM_VIDEOS: 'own',
    ...Object.fromEntries(network.filter(([key]) => !NETWORK.test(key))),
    ...Object.fromEntries(given),
    SLIPSTREAM_DATA_DIR: resolve(process.env['SLIPSTREAM_DATA_DIR'] || dataDir),
    ...Object.fromEntries(network.filter(([key]) => NETWORK.test(key))),
  }
}

function readConfig() {
  try {
    return loadConfig(env, join(dataDir, '.env'))
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true })
    return fail(error)
  }
}

async function presentAll(): Promise<void> {
  const { few, many } = readers
  const videoPath = postVideo(simulation.network.repositories[followed(few)]!, simulation.emit)
  await waitForFullPage(few)
  await waitForFullPage(many)
  const requests = await requestsOf()
  const functionsFile = join(dataDir, 'ask.sh')
  writeFileSync(functionsFile, asFunctions(origin, requests), { mode: 0o600 })
  const message = screen({
    origin,
    clientOrigin,
    people: simulation.network.repositories.length,
    few: { handle: few.handle, follows: followsOf(few).length },
    many: { handle: many.handle, follows: followsOf(many).length },
    limit: config.reasonableLimit,
    operatorToken: config.operatorToken ?? '',
    videoPath,
    requests,
    functionsFile,
    dataDir: env['SLIPSTREAM_DATA_DIR']!,
    ports: [config.port, Number(new URL(simulation.servers.origin).port)],
    isFromElsewhere: process.env['SSH_CONNECTION'] !== undefined,
  })
  console.log(message)
}

/** One whom the reader follows. */
function followed(reader: SimulatedAccount): number {
  const [first] = followsOf(reader)
  return simulation.network.repositories.findIndex(({ did }) => did === first)
}

async function requestsOf(): Promise<[Request, ...Request[]]> {
  const { few, many } = readers
  const [subject, second, third] = simulation.network.repositories.map(({ handle }) => handle)
  const requested = async (
    command: string,
    what: string,
    reader: SimulatedAccount,
    call: string,
  ) => ({
    command,
    what,
    path: `/xrpc/${call}`,
    token: await tokenOf(reader, call.split('?')[0]!),
  })
  const proof = [subject, second, third].map((value) => `subjects=${value}`).join('&')
  const token = await serviceToken()
  const sets = `set=follows:${many.handle}&set=followers:${subject}`
  return [
    await requested(
      'timeline',
      `the timeline of ${few.handle}, three items`,
      few,
      `${TIMELINE}?limit=3`,
    ),
    await requested(
      'known',
      `whom ${many.handle} follows, and who follows ${subject}`,
      many,
      `${KNOWN_FOLLOWERS}?actor=${subject}&limit=5`,
    ),
    await requested('proof', 'the same for three people at once', many, `${SOCIAL_PROOF}?${proof}`),
    {
      command: 'arrivals',
      what: '/v1: what arrives in that first timeline, live',
      token,
      path: `/v1/timelines/following%3A${few.did}/stream`,
      isStream: true,
    },
    {
      command: 'graph',
      what: '/v1: the accounts that are in two lists of the graph',
      token,
      path: `/v1/graph/intersection?${sets}`,
    },
  ]
}

/** For programs: the scopes of what is shown. */
async function serviceToken(): Promise<string> {
  const cli = join(import.meta.dirname, '../src/tools/cli/main.ts')
  const args = ['token', 'create', 'demo', '--scope', 'read:following:*', 'graph:read', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], {
    cwd: dataDir,
    env,
  })
  return (JSON.parse(stdout) as { token: string }).token
}

function tokenOf({ did }: SimulatedAccount, lxm: string): Promise<string> {
  const lifetimeSeconds = TOKEN_LIFETIME_SECONDS
  return simulation.servers.serviceJwt({ iss: did, aud: config.serviceDid, lxm, lifetimeSeconds })
}

async function waitForFullPage(reader: SimulatedAccount): Promise<number> {
  const token = await tokenOf(reader, TIMELINE)
  const giveUpAt = Date.now() + PATIENCE_MS
  for (;;) {
    const items = await countItems(token)
    if (items >= FULL_PAGE || Date.now() > giveUpAt) return items
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

async function countItems(token: string): Promise<number> {
  try {
    const response = await fetch(`${origin}/xrpc/${TIMELINE}?limit=${FULL_PAGE}`, {
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

async function finish(code: number): Promise<void> {
  guard.kill('SIGKILL')
  await simulation.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code)
}
