// A separate Postgres for a test, if installed: in a temporary folder, on a free loopback port, without
// waiting for the disk. It refuses to run as root, so as root it is run as the user that its package created.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeOutput } from './child.ts'
import { freePort } from './free-port.ts'

export type Postgres = { url: string; output: () => string; stop: () => Promise<void> }

const DEBIAN = '/usr/lib/postgresql'
const USER = 'postgres'
const START_MS = 240_000

/** The folder of its programs; undefined if not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => +b - +a) : []
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...pathFolders()]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && runner() !== undefined)
}

function pathFolders(): string[] {
  return (process.env['PATH'] ?? '').split(':').filter((part) => part !== '')
}

type Runner = { uid?: number; gid?: number }

/** The user to run it as; undefined if there is none. */
function runner(): Runner | undefined {
  if (process.getuid?.() !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : undefined
}

export async function startPostgres(bin: string): Promise<Postgres> {
  const as = runner()!
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-e2e-postgres-'))
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid!)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const options = { ...as, cwd: folder, env: { PATH: process.env['PATH'] } }
  execFileSync(join(bin, 'initdb'), initdb, { ...options, stdio: 'ignore' })
  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder }
  const careless = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  const flags = Object.entries({ ...settings, ...careless }).flatMap(([k, v]) => [
    '-c',
    `${k}=${v}`,
  ])
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...flags], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = storeOutput(child)
  const stop = async () => {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGQUIT')
    await gone
    rmSync(folder, { recursive: true, force: true })
  }
  const late = AbortSignal.timeout(START_MS)
  while (!output().includes('ready to accept connections')) {
    if (child.exitCode !== null || late.aborted) {
      await stop()
      throw new Error(`Postgres did not start:\n${output()}`)
    }
    await Promise.race([once(child.stderr!, 'data', { signal: late }), once(child, 'exit')]).catch(
      () => undefined,
    )
  }
  return { url: `postgres://${USER}@127.0.0.1:${port}/${USER}`, output, stop }
}
