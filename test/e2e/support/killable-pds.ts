// A PDS in a process of its own, over a folder that outlives it: kill -9 at any moment, and a start on the same port.
// While it is down, its sequence numbers may be set back, as by a backup of its files or by a new start of its sequencer.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { storeOutput } from './child.ts'
import { freePort } from './free-port.ts'
import type { PdsCommand } from './killable-pds-process.ts'
import { CONFIGURED_APPVIEW_DID, type Network } from './network.ts'

export type KillablePds = {
  url: string
  /** `repoBackfillLimitMs`: how old what it sends again may be. */
  start: (options?: { repoBackfillLimitMs?: number }) => Promise<void>
  /** kill -9. */
  kill: () => Promise<void>
  act: (command: PdsCommand) => Promise<void>
  /** What it has sent; to be changed only while it is down. */
  sequences: <T>(act: (db: Database.Database) => T) => T
  dispose: () => Promise<void>
}

/** Any key: it signs the accounts' operations in the directory, also after a restart. */
const ROTATION_KEY = '11'.repeat(32)

export async function createKillablePds(
  { plcUrl }: Pick<Network, 'plcUrl'>,
  appViewUrl: string,
): Promise<KillablePds> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-e2e-pds-'))
  mkdirSync(join(folder, 'data'))
  const port = await freePort()
  const settings = {
    folder,
    port,
    didPlcUrl: plcUrl,
    plcRotationKeyK256PrivateKeyHex: ROTATION_KEY,
    bskyAppViewUrl: appViewUrl,
    bskyAppViewDid: CONFIGURED_APPVIEW_DID,
  }
  let child: ChildProcess | undefined

  async function start(options: object = {}): Promise<void> {
    const started = fork(join(import.meta.dirname, 'killable-pds-process.ts'), {
      env: {
        ...process.env,
        LOG_ENABLED: 'false',
        E2E_PDS: JSON.stringify({ ...settings, ...options }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const output = storeOutput(started)
    const message = once(started, 'message', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    const died = once(started, 'exit').then(() => undefined)
    if (!(await Promise.race([message, died]).catch(() => undefined))) {
      throw new Error(`The PDS did not start:\n${output()}`)
    }
    child = started
  }

  async function kill(): Promise<void> {
    if (!child) return
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    const gone = hasEnded ? undefined : once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    child = undefined
  }

  return {
    url: `http://localhost:${port}`,
    start,
    kill,
    async act(command) {
      const done = once(child!, 'message', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
      child!.send(command)
      await done
    },
    sequences(act) {
      const db = new Database(join(folder, 'data', 'sequencer.sqlite'))
      const result = act(db)
      db.close()
      return result
    },
    async dispose() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
