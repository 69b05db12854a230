// The image that scripts/image makes, run as an engine would: its layers unpacked, its root read-only, as its user,
// with its environment, entry point and health check. TEST_IMAGE=build makes it first, which takes root, mmdebstrap,
// buildah and some minutes; TEST_IMAGE=FILE takes one that is there.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleFolder, fileInBundle } from '../../src/base/util/bundle.ts'
import { freePort } from '../e2e/support/free-port.ts'
import { MAX_WAIT_MS } from '../support/patience.ts'

type Config = {
  User: string
  Env: string[]
  Entrypoint: string[]
  WorkingDir: string
  StopSignal: string
  Volumes: Record<string, object>
  Healthcheck: { Test: string[] }
}

const wanted = process.env['TEST_IMAGE']
if (!wanted) console.warn('the image is NOT built and run (TEST_IMAGE=build, as root)')
const project = resolve(import.meta.dirname, '../..')
const MAX_BYTES = 150_000_000
const MOUNTS =
  'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --bind "$2" "$1/data" && ' +
  'mount -t tmpfs tmpfs "$1/tmp" && mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && shift 2 && exec "$@"'

describe.skipIf(!wanted)('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-built-image-'))
  const root = join(folder, 'root')
  const data = join(folder, 'data')
  let archive: string
  let config: Config
  let port: number
  let running: ChildProcess | undefined

  beforeAll(async () => {
    archive = wanted === 'build' ? built() : wanted!
    mkdirSync(root)
    mkdirSync(data, { mode: 0o700 })
    config = unpack()
    const [uid, gid] = config.User.split(':').map(Number)
    chownSync(data, uid!, gid!)
    port = await freePort()
  })
  afterAll(() => {
    running?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function built(): string {
    const options = { cwd: project, encoding: 'utf8' } as const
    const lines = execFileSync('scripts/image', ['--to', join(folder, 'out')], options)
    return lines.split('\n')[0]!
  }

  function unpack(): Config {
    execFileSync('tar', ['-xzf', archive, '-C', folder])
    const [image] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    for (const layer of image.Layers) execFileSync('tar', ['-xf', join(folder, layer), '-C', root])
    return JSON.parse(readFileSync(join(folder, image.Config), 'utf8')).config
  }

  /** A command inside, in mounts of its own that go with it. */
  function inside(command: readonly string[]): [string, string[]] {
    const [uid, gid] = config.User.split(':')
    const options = [
      `--root=${root}`,
      `--wd=${config.WorkingDir}`,
      `--setuid=${uid}`,
      `--setgid=${gid}`,
    ]
    const entered = ['unshare', ...options, '--', ...command]
    return ['unshare', ['-m', 'sh', '-ec', MOUNTS, 'sh', root, data, ...entered]]
  }

  const environment = () => ({
    ...Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))),
    SLIPSTREAM_BIND: '127.0.0.1',
    SLIPSTREAM_PORT: String(port),
    SLIPSTREAM_JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    SLIPSTREAM_LABELERS: ',',
  })

  function run(...command: string[]) {
    const [file, args] = inside(command)
    return spawnSync(file, args, { env: environment(), encoding: 'utf8' })
  }

  const isHealthy = () => run(...config.Healthcheck.Test.slice(1)).status === 0

  test('is small, runs as nobody of importance, and has neither a shell nor npm', () => {
    expect(statSync(archive).size).toBeLessThan(MAX_BYTES)
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(Object.keys(config.Volumes)).toEqual(['/data'])
    for (const path of ['bin/sh', 'usr/bin/sh', 'usr/local/bin/npm', 'app/node_modules/typescript'])
      expect([path, existsSync(join(root, path))]).toEqual([path, false])
  })

  test('it has the bundle of the sources that are in it', () => {
    const bundle = bundleFolder(join(root, 'app'))
    expect(existsSync(join(bundle, fileInBundle('tools/server')))).toBe(true)
    expect(existsSync(join(root, 'app/node_modules/rolldown'))).toBe(false)
  })

  test('its command line works in it', () => {
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    expect(run('slipstream', '--version')).toMatchObject({ status: 0, stdout: `${version}\n` })
    expect(run('slipstream', 'no-such-command').status).not.toBe(0)
  })

  test('with a read-only root it starts, is healthy, keeps its data, and ends when it is told', async () => {
    expect(isHealthy()).toBe(false)
    const [file, args] = inside(config.Entrypoint)
    running = spawn(file, args, { env: environment() })
    let words = ''
    running.stdout?.on('data', (data) => (words += data))
    running.stderr?.on('data', (data) => (words += data))
    const state = () => isHealthy() || words
    await expect.poll(state, { timeout: MAX_WAIT_MS, interval: 500 }).toBe(true)
    expect(existsSync(join(data, 'slipstream.sqlite'))).toBe(true)
    expect(run('slipstream', 'stats').status).toBe(0)
    running.kill(config.StopSignal as NodeJS.Signals)
    expect(await once(running, 'exit')).toEqual([0, null])
    expect(run('node', '-e', 'require("fs").writeFileSync("/app/x", "")').stderr).toContain('EROFS')
  })
})
