// A real arroba, the PDS of Bridgy Fed, from PyPI: installed in a temporary folder, and run with the repositories
// that a test gives it.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { storeOutput } from './child.ts'

export type ArrobaAccount = {
  did: string
  handle: string
  /** Collection, key and value. */
  records: [string, string, Record<string, unknown>][]
}

export type Arroba = { python: string; remove: () => void }

const PACKAGES = ['arroba==3.1', 'flask==3.1.3', 'flask-sock==0.7.0', 'google-cloud-ndb==2.4.2']
const INSTALL_MS = 300_000
const SCRIPT = fileURLToPath(new URL('serve-arroba.py', import.meta.url))

/** @returns why it can't be installed, if there is no Python or no registry */
export function installArroba(): Arroba | string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-arroba-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const python = join(folder, 'bin', 'python')
  const run = (file: string, args: string[]) =>
    execFileSync(file, args, { stdio: 'pipe', timeout: INSTALL_MS })
  try {
    run('python3', ['-m', 'venv', folder])
    run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES])
    return { python, remove }
  } catch (error) {
    remove()
    return (error as Error).message.slice(0, 500)
  }
}

/** Resolves once it serves. */
export async function startArroba(
  { python }: Arroba,
  { port, accounts }: { port: number; accounts: ArrobaAccount[] },
): Promise<{ stop: () => Promise<void> }> {
  const child = spawn(python, [SCRIPT, String(port)], { stdio: 'pipe' })
  const output = storeOutput(child)
  child.stdin.end(JSON.stringify(accounts))
  const ended = once(child, 'exit').then(() => {
    throw new Error(`arroba ended: ${output()}`)
  })
  ended.catch(() => undefined)
  await Promise.race([once(child.stdout, 'data'), ended])
  return {
    async stop() {
      child.kill()
      await ended.catch(() => undefined)
    },
  }
}
