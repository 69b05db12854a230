// A real S3 server on loopback: versitygw, built from Go's module registry and kept between runs. Building takes
// minutes, so it is only done when asked for, with TEST_VERSITYGW=build; the tests are skipped with a warning else.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ACCESS_KEY, BUCKET } from './s3-double.ts'

const VERSION = '1.8.0'
const MODULE = 'github.com/versity/versitygw/cmd/versitygw'
const CACHED = join(homedir(), '.cache', 'slipstream-versitygw')
const PROGRAM = join(CACHED, `versitygw-${VERSION}`)

export const SECRET_KEY = 'test-secret-key'

export type RealS3 = {
  readonly endpoint: string
  /** The bucket: objects are files there. */
  readonly folder: string
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** @returns why tests on a real store can't run; undefined if they can */
export function whyNoRealS3(): string | undefined {
  if (existsSync(PROGRAM)) return undefined
  if (process.env['TEST_VERSITYGW'] !== 'build')
    return 'versitygw is not built: TEST_VERSITYGW=build'
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'go is missing'
  }
}

export async function startRealS3(): Promise<RealS3> {
  build()
  const made = mkdtempSync(join(tmpdir(), 'slipstream-s3-'))
  const [objects, metadata] = [join(made, 'objects'), join(made, 'metadata')]
  const folder = join(objects, BUCKET)
  for (const value of [folder, metadata]) mkdirSync(value, { recursive: true })
  const port = await freePort()
  let child: ChildProcess | undefined
  async function start(): Promise<void> {
    const args = ['--port', `127.0.0.1:${port}`, '--access', ACCESS_KEY, '--secret', SECRET_KEY]
    child = spawn(PROGRAM, [...args, 'posix', '--sidecar', metadata, objects], {
      stdio: 'ignore',
    })
    while (!(await isOpen(port))) {
      if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`)
      await sleep(50)
    }
  }
  async function kill(): Promise<void> {
    if (child?.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    folder,
    start,
    kill,
    async close() {
      await kill()
      rmSync(made, { recursive: true, force: true })
    },
  }
}

/** Takes minutes the first time. */
function build(): void {
  if (existsSync(PROGRAM)) return
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-versitygw-'))
  const env = { ...process.env, GOBIN: folder }
  execFileSync('go', ['install', `${MODULE}@v${VERSION}`], { env, stdio: 'ignore' })
  mkdirSync(CACHED, { recursive: true })
  renameSync(join(folder, 'versitygw'), PROGRAM)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
