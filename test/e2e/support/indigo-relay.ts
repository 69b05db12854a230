// The reference's relay, between PDSs and Slipstream. It asks hosts on loopback for nothing that it would check of
// others, and so refuses to be told of them: they are written into its database, as if an operator had added them.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { type Child, startChild, waitUntilUp } from './child.ts'
import { freePort } from './free-port.ts'
import { buildGo, RELAY } from './go-build.ts'

export type IndigoRelay = {
  /** For SLIPSTREAM_RELAY_HOSTS. */
  url: string
  output: () => string
  kill: () => Promise<void>
  start: () => Promise<void>
  stop: () => Promise<void>
}

/** Reads these PDSs from their present on. */
export async function startIndigoRelay(plcUrl: string, pdsUrls: string[]): Promise<IndigoRelay> {
  const binary = await buildGo(RELAY)
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-e2e-relay-'))
  const database = join(dataDir, 'relay.sqlite')
  const address = `127.0.0.1:${await freePort()}`
  const metrics = `127.0.0.1:${await freePort()}`
  mkdirSync(join(dataDir, 'persist'))
  let child: Child

  async function start(): Promise<void> {
    child = startChild(binary, [
      ...['--plc-host', plcUrl, '--admin-password', 'admin', 'serve'],
      ...['--db-url', `sqlite://${database}`, '--persist-dir', join(dataDir, 'persist')],
      ...['--bind', address, '--metrics-listen', metrics],
    ])
    const isUp = async () => (await fetch(`http://${address}/xrpc/_health`)).ok
    await waitUntilUp('The relay', child, { isUp, withinMs: MAX_WAIT_MS })
  }

  await start()
  await child!.end('SIGTERM')
  addHosts(database, pdsUrls)
  await start()
  return {
    url: `ws://${address}`,
    output: () => child.output(),
    start,
    kill: async () => void (await child.end('SIGKILL')),
    async stop() {
      await child.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function addHosts(path: string, pdsUrls: string[]): void {
  const db = new Database(path)
  const add = db.prepare(
    `INSERT INTO host (created_at, updated_at, hostname, no_ssl, account_limit, trusted, status, last_seq, account_count)
      VALUES (datetime(), datetime(), ?, 1, 1000, 0, 'active', 0, 0)`,
  )
  for (const url of pdsUrls) add.run(new URL(url).host)
  db.close()
}
