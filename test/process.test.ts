// The process as an operator meets it: arguments, refusals, signals, an unreachable network.

import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../src/base/util/version.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from './support/slipstream-process.ts'

const EXIT_CONFIG = 78
const EXIT_IO = 74
const started: SlipstreamProcess[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop('SIGKILL')))
})

/** Nothing listens at its hosts. */
const NOWHERE = { JETSTREAM_HOSTS: 'ws://127.0.0.1:9', PLC_URL: 'http://127.0.0.1:9' }

/** Starts a process whose network is unreachable. */
function run(env: Record<string, string>, args: string[] = []): SlipstreamProcess {
  return startSlipstream({ ...NOWHERE, DATA_DIR: freshDataDir(), ...env }, args)
}

/** Starts a process that is stopped after the test. */
function start(env: Record<string, string> = {}, args: string[] = []): SlipstreamProcess {
  const server = run(env, args)
  started.push(server)
  return server
}

test('--version and --help answer without starting anything', async () => {
  const requested = start({}, ['--version'])
  expect(await requested.exit).toBe(0)
  expect(requested.output().trim()).toBe(version)
  const helped = start({}, ['--help'])
  expect(await helped.exit).toBe(0)
  expect(helped.output()).toContain('--print-config')
})

test('--print-config prints every setting and its value', async () => {
  const requested = start({ HOSTNAME: 'appview.example.org' }, ['--print-config'])
  expect(await requested.exit).toBe(0)
  expect(requested.output()).toContain('SLIPSTREAM_SERVICE_DID=did:web:appview.example.org')
})

test.each([
  [
    'an unknown setting',
    { JETSTREM_HOSTS: 'ws://x' },
    [],
    /Did you mean SLIPSTREAM_JETSTREAM_HOSTS/,
  ],
  ['an invalid value', { PORT: 'http' }, [], /must be a whole number/],
  ['an unknown option', {}, ['--prot'], /--help lists the options/],
  ['a data folder below a file', { DATA_DIR: '/dev/null/x' }, [], /is a file, not a folder/],
])('%s is refused with advice on how to fix it', async (_, env, args, expected) => {
  const refused = start(env, args)
  expect(await refused.exit).toBe(EXIT_CONFIG)
  expect(refused.output()).toMatch(expected)
})

test('V8 takes no object for long-lived because many of its kind survived', async () => {
  // A young generation so small that objects survive, and V8 would decide, while the server starts.
  const options = ['--max-semi-space-size=1', '--trace-pretenuring-statistics']
  const server = startSlipstream({ ...NOWHERE, DATA_DIR: freshDataDir() }, [], { options })
  started.push(server)
  await server.port()
  await server.stop('SIGTERM')
  expect(server.output()).not.toMatch(/=> (maybe )?tenure/)
})

test('what it compiled is stored while it runs, so that the start after a crash is quick', async () => {
  const compiled = freshDataDir()
  const env = { NODE_COMPILE_CACHE: compiled }
  const server = startSlipstream({ ...NOWHERE, DATA_DIR: freshDataDir() }, [], { env })
  started.push(server)
  await server.port()
  const stored = () => readdirSync(compiled, { recursive: true })
  // 505 with those of the ingest thread, 281 without.
  await expect.poll(() => stored().length).toBeGreaterThan(400)
  await server.stop('SIGKILL')
})

test('refuses a port in use by name, before anything is loaded or created', async () => {
  const holder = createServer()
  const port = await new Promise<number>((resolve) => {
    holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port))
  })
  const dataDir = freshDataDir()
  const refused = start({ PORT: String(port), DATA_DIR: dataDir })
  expect(await refused.exit).toBe(EXIT_CONFIG)
  expect(refused.output()).toMatch(new RegExp(`Cannot listen on 127.0.0.1:${port}`))
  expect(refused.output()).not.toContain('memory is ready')
  expect(readdirSync(dataDir)).not.toContain('slipstream.sqlite')
  holder.close()
})

test('refuses an address that is not of this machine, and names the setting', async () => {
  const refused = start({ BIND: '192.0.2.7' })
  expect(await refused.exit).toBe(EXIT_CONFIG)
  expect(refused.output()).toMatch(/Cannot listen on 192\.0\.2\.7:.*\n {2}Set SLIPSTREAM_BIND/)
})

test('refuses a data folder in which a file cannot be written', async () => {
  const dataDir = freshDataDir()
  mkdirSync(join(dataDir, 'slipstream.pid'))
  const refused = start({ DATA_DIR: dataDir })
  expect(await refused.exit).toBe(EXIT_CONFIG)
  expect(refused.output()).toMatch(/The data folder .* cannot be written/)
})

describe('a serving process', () => {
  const dataDir = join(freshDataDir(), 'data')
  let first: SlipstreamProcess
  let port: number
  beforeAll(async () => {
    first = run({ DATA_DIR: dataDir, PORT: '0' })
    port = await first.port()
  })
  afterAll(() => first.stop('SIGKILL'))

  test('makes a second process on the same data folder refuse, and is left alone', async () => {
    const second = start({ DATA_DIR: dataDir })
    expect(await second.exit).toBe(EXIT_CONFIG)
    expect(second.output()).toContain(`process ${first.child.pid}`)
    expect((await fetch(`http://127.0.0.1:${port}/xrpc/_health`)).status).toBe(200)
  })

  test('with port 0 uses the port it found in its DID and its address', async () => {
    const document = await fetch(`http://127.0.0.1:${port}/.well-known/did.json`)
    expect(await document.json()).toMatchObject({
      id: `did:web:localhost%3A${port}`,
      service: expect.arrayContaining([
        expect.objectContaining({ serviceEndpoint: `http://localhost:${port}` }),
      ]),
    })
  })

  test('serves while the network is unreachable, and says what it waits for', async () => {
    const health = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
    expect(await health.json()).toMatchObject({ version })
    await first.waitFor(/ws:\/\/127\.0\.0\.1:9.*(refused|ECONNREFUSED|connect)/i)
  })

  test('if run by hand, creates files that other users cannot read', () => {
    const modes = modesIn(dataDir)
    expect(modes.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'slipstream.sqlite',
        'slipstream.sqlite-wal',
        'slipstream.sqlite-shm',
      ]),
    )
    expect(modes.filter(([, open]) => open !== '0')).toEqual([])
  })
})

test('SIGTERM ends it cleanly with the database in a single file, from which it starts again', async () => {
  const dataDir = freshDataDir()
  const first = start({ DATA_DIR: dataDir })
  await first.port()
  expect(readdirSync(dataDir)).toContain('slipstream.sqlite-wal')
  expect(await first.stop('SIGTERM')).toBe(0)
  const left = readdirSync(dataDir).filter((name) => name.startsWith('slipstream.sqlite'))
  expect(left).toEqual(['slipstream.sqlite'])
  const second = start({ DATA_DIR: dataDir })
  await second.port()
})

test.each([
  ['a closed terminal', ['SIGHUP']],
  ['Ctrl-C under npm, which passes the signal of the terminal on', ['SIGINT', 'SIGINT']],
  ['an impatient kill', ['SIGTERM', 'SIGTERM', 'SIGINT']],
] as const)('%s ends it as cleanly as SIGTERM', async (_, signals) => {
  const dataDir = freshDataDir()
  const one = start({ DATA_DIR: dataDir })
  await one.port()
  const [first, ...further] = signals
  one.child.kill(first)
  await one.waitFor(/"msg":"stopping"/)
  for (const signal of further) one.child.kill(signal)
  expect(await one.exit).toBe(0)
  expect(readdirSync(dataDir)).not.toContain('slipstream.sqlite-wal')
})

test('under nohup, which Node by itself would not obey, a closed terminal does not end it', async () => {
  const one = start({}, ['--nohup'])
  await one.port()
  one.child.kill('SIGHUP')
  await one.waitFor(/"msg":"the terminal closed; running on, as nohup asks"/)
  expect(await one.stop('SIGTERM')).toBe(0)
})

test('exits on a damaged database, with advice on how to fix it', async () => {
  const dataDir = freshDataDir()
  writeFileSync(join(dataDir, 'slipstream.sqlite'), 'no database '.repeat(1000))
  const server = start({ DATA_DIR: dataDir })
  expect(await server.exit).toBe(EXIT_IO)
  expect(server.output()).toMatch(/is damaged .*\n {2}Restore/)
})

test('exits if the database is removed while it runs, with advice on how to fix it', async () => {
  const dataDir = freshDataDir()
  const server = start({ DATA_DIR: dataDir })
  await server.port()
  rmSync(dataDir, { recursive: true })
  expect(await server.exit).toBe(EXIT_IO)
  expect(server.output()).toMatch(/removed while Slipstream was running .*\n {2}Writes since then/)
})

test('tells a corrupt lock file from a second process', async () => {
  const dataDir = freshDataDir()
  writeFileSync(join(dataDir, 'slipstream.lock'), 'no database '.repeat(1000))
  const server = start({ DATA_DIR: dataDir })
  expect(await server.exit).toBe(EXIT_CONFIG)
  expect(server.output()).toMatch(/slipstream\.lock/)
})

/** Returns the excess permissions of a folder and of every entry in it. */
function modesIn(folder: string): [string, string][] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return ['.', ...names].map((name) => {
    const found = statSync(join(folder, name))
    const expected = found.isDirectory() ? 0o700 : 0o600
    return [name, (found.mode & 0o777 & ~expected).toString(8)]
  })
}

test('at startup closes files that an earlier version left open to other users', async () => {
  const dataDir = freshDataDir()
  await start({ DATA_DIR: dataDir }).port()
  await Promise.all(started.splice(0).map((server) => server.stop()))
  mkdirSync(join(dataDir, 'members-away'))
  for (const name of ['.', 'members-away']) chmodSync(join(dataDir, name), 0o755)
  chmodSync(join(dataDir, 'slipstream.sqlite'), 0o644)
  const again = start({ DATA_DIR: dataDir })
  await again.port()
  expect(modesIn(dataDir).filter(([, open]) => open !== '0')).toEqual([])
  expect(again.output()).toContain('closed the data folder to other users')
})

test('leaves a folder that also holds other files as it is, but closes the database in it', async () => {
  const dataDir = freshDataDir()
  writeFileSync(join(dataDir, 'not-ours'), '', { mode: 0o644 })
  chmodSync(dataDir, 0o755)
  await start({ DATA_DIR: dataDir }).port()
  const open = modesIn(dataDir).filter(([, mode]) => mode !== '0')
  expect(open).toEqual([
    ['.', '55'],
    ['not-ours', '44'],
  ])
})
