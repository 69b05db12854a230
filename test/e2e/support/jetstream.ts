// The Jetstream between the PDS and Slipstream: the real server if Go is installed, or the double fed from
// the PDS's firehose. SLIPSTREAM_E2E_JETSTREAM selects `server`, `double` or `both`; by default both if Go is
// installed, else the double alone. The server uses the v2 wire and the double v1, so that both wires are
// tested end to end.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJetstreamDouble } from '../../support/jetstream-double/double.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { type Child, startChild, waitUntilUp } from './child.ts'
import { feedDouble } from './firehose-to-double.ts'
import { freePort } from './free-port.ts'
import { buildGo, isGoPresent, JETSTREAM } from './go-build.ts'

import type { Network } from './network.ts'
import { startRelay } from './relay.ts'

export type JetstreamKind = 'server' | 'double'

export type Jetstream = {
  /** Settings that point Slipstream at it. */
  settings: Record<string, string>
  output: () => string
  stop: () => Promise<void>
}

export type JetstreamServer = Jetstream & {
  /** kill -9, then a restart after `afterMs` from its saved state. */
  killAndRestart: (afterMs: number) => Promise<void>
}

export async function chosenJetstreams(): Promise<JetstreamKind[]> {
  const choice = process.env['SLIPSTREAM_E2E_JETSTREAM']
  if (choice === 'server' || choice === 'double') return [choice]
  if (choice === 'both' || (await isGoPresent())) return ['server', 'double']
  console.warn('Go was not found: the end-to-end test runs with the Jetstream double alone.')
  return ['double']
}

export function startJetstream(kind: JetstreamKind, network: Network): Promise<Jetstream> {
  return kind === 'server' ? startJetstreamServer(network) : startDouble(network)
}

export async function startJetstreamServer(network: Network): Promise<JetstreamServer> {
  const binary = await buildGo(JETSTREAM)
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-e2e-jetstream-'))
  const relay = await startRelay(network.pdsUrl)
  const address = `127.0.0.1:${await freePort()}`
  let child = await run()

  async function run(): Promise<Child> {
    const child = startChild(binary, [
      ...['--log-level', 'info', '--log-format', 'text', 'serve'],
      ...['--addr', address, '--debug-addr', '', '--data-dir', dataDir],
      ...['--relay-url', relay.url, '--plc-url', network.plcUrl],
    ])
    const probe = `http://${address}/xrpc/network.bsky.jetstream.getZstdDictionary`
    const isUp = async () => (await fetch(probe)).ok && child.output().includes('steady-state')
    await waitUntilUp('The Jetstream server', child, { isUp, withinMs: MAX_WAIT_MS })
    return child
  }

  return {
    settings: {
      SLIPSTREAM_JETSTREAM_HOSTS: `ws://${address}`,
      SLIPSTREAM_JETSTREAM_WIRE: 'v2',
    },
    output: () => child.output(),
    async killAndRestart(afterMs) {
      await child.end('SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      child = await run()
    },
    async stop() {
      await child.end('SIGKILL')
      await relay.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function startDouble(network: Network): Promise<Jetstream> {
  const double = await createJetstreamDouble()
  const feed = feedDouble(network, double)
  return {
    settings: {
      SLIPSTREAM_JETSTREAM_HOSTS: double.url,
      SLIPSTREAM_JETSTREAM_WIRE: 'v1',
      SLIPSTREAM_JETSTREAM_V1_DICTIONARY: double.v1DictionaryUrl,
    },
    output: () => JSON.stringify(double.connections().map(({ url }) => url)),
    async stop() {
      await feed.stop()
      await double.close()
    },
  }
}
