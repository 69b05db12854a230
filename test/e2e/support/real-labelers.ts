// Real labelers as processes: @skyware/labeler, and Ozone on its own schema of a Postgres. A test labels, restarts them
// with or without what they had stored, and decides when their DID document names a new key or address.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secp256k1Keypair } from '@atproto/crypto'
import { declaration } from '../../support/labeler-double.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import type { PlcDouble } from '../../support/plc-double.ts'
import { storeOutput } from './child.ts'
import { freePort } from './free-port.ts'

/** `cid`: Ozone labels records by version only; accounts have none. `hours`: until it expires. */
export type LabelOrder = { uri: string; cid?: string; val: string; neg?: boolean; hours?: number }

export type RealLabeler = {
  did: string
  say: (label: LabelOrder) => Promise<void>
  stop: () => Promise<void>
  /** With an empty store, a new key or at another address, if so; the DID document stays. */
  start: (how?: { isEmpty?: boolean; hasNewKey?: boolean; moves?: boolean }) => Promise<void>
  /** Lets the DID document name the present key and address. */
  declare: () => void
  dispose: () => Promise<void>
}

/** Stores made so far; the name of a schema has no digits. */
let stores = 0
export type LabelerKind = keyof typeof SCRIPTS

const SCRIPTS = { skyware: 'skyware-process.ts', ozone: 'ozone-process.ts' }

export async function createRealLabeler(
  kind: LabelerKind,
  { plc, postgresUrl }: { plc: PlcDouble; postgresUrl: string | undefined },
): Promise<RealLabeler> {
  const { did } = await plc.create({ handle: `${kind}.test` })
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-e2e-labeler-'))
  let store = ''
  let port = await freePort()
  let key = await Secp256k1Keypair.create({ exportable: true })
  let child: ChildProcess | undefined
  let output = () => ''

  const heard = async (from: ChildProcess): Promise<void> => {
    const signal = AbortSignal.timeout(MAX_WAIT_MS)
    const died = once(from, 'exit').then(() => Promise.reject(new Error(output())))
    died.catch(() => undefined)
    await Promise.race([once(from, 'message', { signal }), died])
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  return {
    did,
    stop,
    async start({ isEmpty = false, hasNewKey = false, moves = false } = {}) {
      await stop()
      if (isEmpty) store = `labels_${'x'.repeat(++stores)}`
      if (moves) port = await freePort()
      if (hasNewKey) key = await Secp256k1Keypair.create({ exportable: true })
      child = fork(join(import.meta.dirname, SCRIPTS[kind]), {
        env: {
          ...process.env,
          LOG_ENABLED: 'false',
          LABELER_DID: did,
          LABELER_KEY: Buffer.from(await key.export()).toString('hex'),
          LABELER_DATA: kind === 'ozone' ? store : join(folder, store),
          LABELER_PORT: String(port),
          LABELER_PLC: plc.url,
          LABELER_POSTGRES: postgresUrl,
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      output = storeOutput(child)
      await heard(child)
    },
    declare() {
      plc.edit(did, (document) => ({ ...document, ...declaration({ did, port, key }) }))
    },
    async say(label) {
      const done = heard(child!)
      child!.send(label)
      await done
    },
    async dispose() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
