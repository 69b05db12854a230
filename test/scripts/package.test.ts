// The npm package: built by scripts/package, unpacked below a node_modules, where Node strips no types, and run
// from there: command line, server, threads, pages, and the process that decodes pictures.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BlobHost, startBlobHost } from '../support/blob-host.ts'
import { createJetstreamDouble, type JetstreamDouble } from '../support/jetstream-double/double.ts'
import { linkPackages } from '../support/linked-packages.ts'
import { MAX_WAIT_MS } from '../support/patience.ts'
import { type PlcDouble, startPlcDouble } from '../support/plc-double.ts'

const root = resolve(import.meta.dirname, '../..')
const MADE_OF = ['bin', 'lexicons', 'packages', 'scripts', 'src', 'package.json', 'CHANGELOG.md']
const SETTINGS = [
  '.npmrc',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.package.json',
  'SECURITY.md',
  'LICENSE',
  'README.md',
]

let base: string
let installed: string
let stream: JetstreamDouble
let plc: PlcDouble
let host: BlobHost

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-package-'))
  const project = join(base, 'project')
  for (const part of [...MADE_OF, ...SETTINGS])
    cpSync(join(root, part), join(project, part), { recursive: true })
  linkPackages(join(project, 'node_modules'))
  cpSync(join(root, 'package-lock.json'), join(project, 'node_modules/.slipstream-installed'))
  execFileSync(join(project, 'scripts/package'), { cwd: base, stdio: 'pipe' })
  const modules = join(base, 'somewhere/node_modules')
  installed = join(modules, 'slipstream')
  mkdirSync(join(base, 'somewhere'))
  // What is bundled comes with the package.
  linkPackages(modules, ['@slipstream'])
  mkdirSync(installed)
  const archive = readdirSync(base).find((name) => name.endsWith('.tgz'))!
  execFileSync('tar', ['xzf', join(base, archive), '-C', installed, '--strip-components=1'])
  ;[stream, plc, host] = [
    await createJetstreamDouble(),
    await startPlcDouble(),
    await startBlobHost(),
  ]
}, 300_000)
afterAll(async () => {
  await stream.close()
  await plc.close()
  await host.close()
  rmSync(base, { recursive: true, force: true })
})

const command = () => join(installed, 'bin/slipstream')
const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`

test('contains what is needed to run, but neither sources nor tests', () => {
  const names = readdirSync(installed).sort()
  expect(names).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bin',
    'dist',
    'lexicons',
    'node_modules',
    'package.json',
  ])
})

test('brings our own packages along, and needs what they need', () => {
  const manifest = manifestIn(installed)
  const own = readdirSync(join(root, 'packages')).filter((name) => !name.includes('.'))
  expect(manifest.bundleDependencies).toEqual(own.map((name) => `@slipstream/${name}`))
  for (const name of manifest.bundleDependencies!) {
    const { dependencies, exports } = manifestIn(join(installed, 'node_modules', name))
    expect(manifest.dependencies).toMatchObject(dependencies ?? {})
    expect(JSON.stringify(exports)).toMatch(/dist\/index\.js/)
  }
})

type Manifest = {
  dependencies?: Record<string, string>
  bundleDependencies?: string[]
  exports?: object
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

test('a package that was packed without being built says so', () => {
  const bare = join(base, 'bare')
  cpSync(join(root, 'bin'), join(bare, 'bin'), { recursive: true })
  const { status, stderr } = spawnSync(join(bare, 'bin/slipstream'), ['serve'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([78, expect.stringContaining('scripts/package')])
})

test('its command prints its version, and gives advice that fits the way it is installed', () => {
  const env = { PATH: path, SLIPSTREAM_DATA_DIR: join(base, 'nothing') }
  const run = (...args: string[]) => spawnSync(command(), args, { env, encoding: 'utf8' })
  expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(run('doctor', '--only', 'server').stdout).toContain('npx slipstream serve')
})

test('its server answers, serves its pages, makes pictures, and stops cleanly', async () => {
  const account = await plc.create({ handle: 'alice.test', pds: host.url })
  const red = { r: 200, g: 0, b: 0 }
  const drawn = sharp({ create: { width: 32, height: 32, channels: 3, background: red } })
  const cid = host.put(await drawn.png().toBuffer(), 'image/png')
  const server = spawn(command(), ['serve'], {
    cwd: base,
    env: {
      PATH: path,
      SLIPSTREAM_PORT: '0',
      SLIPSTREAM_DATA_DIR: join(base, 'data'),
      SLIPSTREAM_JETSTREAM_HOSTS: stream.url,
      SLIPSTREAM_PLC_URL: plc.url,
      SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'on',
      SLIPSTREAM_FALLBACK_APPVIEW: 'none',
      SLIPSTREAM_SERVE_THREADS: '2',
      SLIPSTREAM_MEMBERS: account.did,
      SLIPSTREAM_IMAGES: 'own',
    },
  })
  let message = ''
  for (const pipe of [server.stdout, server.stderr]) pipe.on('data', (piece) => (message += piece))
  const ended = new Promise<number | null>((done) => server.once('exit', done))
  const portOf = () => /serving on [^"]*:(\d+)/.exec(message)?.[1]
  await expect.poll(() => portOf() ?? message, { timeout: MAX_WAIT_MS }).toMatch(/^\d+$/)
  const origin = `http://127.0.0.1:${portOf()}`
  expect(await (await fetch(`${origin}/xrpc/_health`)).json()).toMatchObject({ version: /\d/ })
  const page = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
  const script = /src="(\/page\/assets\/[^"]*status\.ts)"/.exec(page)![1]!
  expect(await (await fetch(origin + script)).text()).not.toMatch(/: HTMLElement/)
  // Features are found in the built tree, too, with their files for browsers.
  const client = await (await fetch(`${origin}/read`, { headers: { accept: 'text/html' } })).text()
  const loaded = /src="([^"]*\/app\.ts)"/.exec(client)![1]!
  expect((await fetch(origin + loaded)).status).toBe(200)
  const picture = () => fetch(`${origin}/img/avatar/plain/${account.did}/${cid}@jpeg`)
  await expect.poll(async () => (await picture()).status, { timeout: MAX_WAIT_MS }).toBe(200)
  server.kill('SIGTERM')
  expect(await ended).toBe(0)
}, 120_000)
