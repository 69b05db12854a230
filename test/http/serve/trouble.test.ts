// Thread failures: a thread that ends unexpectedly, and a system on which threads can't share a port.

import { createServer } from 'node:net'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { atPort, type Config, loadConfig } from '../../../src/base/config/config.ts'
import { listenShared, startServing } from '../../../src/http/serve/threads.ts'
import { type Ingest, startIngest } from '../../../src/ingest/client.ts'
import { asksPublicAppview } from '../../support/public-appview.ts'
import { freshDataDir } from '../../support/slipstream-process.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function configOf(threads: number): Promise<Config> {
  const settings = {
    SLIPSTREAM_SERVE_THREADS: String(threads),
    SLIPSTREAM_DATA_DIR: freshDataDir(),
    SLIPSTREAM_JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    SLIPSTREAM_PLC_URL: 'http://127.0.0.1:9',
    ...(asksPublicAppview && { SLIPSTREAM_FALLBACK_APPVIEW: 'none' }),
    SLIPSTREAM_LOG_LEVEL: 'silent',
  }
  return atPort(loadConfig(settings, '/nowhere/.env'), await freePort())
}

/** A real ingest thread; the test holds the other ends of the other threads' channels. */
async function startWorld(threads: number) {
  const config = await configOf(threads)
  const ours: MessagePort[] = []
  const ingest = await startIngest({ config, onFatal: () => undefined })
  closing.push(() => ingest.stop())
  const tapped: Ingest = {
    ...ingest,
    connect() {
      const { port1, port2 } = new MessageChannel()
      port1.postMessage({ kind: 'connected' })
      ours.push(port1)
      return port2
    },
  }
  const fatal = Promise.withResolvers<unknown>()
  const log = pino({ level: 'silent' })
  const serving = await startServing({ config, log, ingest: tapped, onFatal: fatal.resolve })
  closing.push(() => serving.close())
  return { config, serving, ours, fatal: fatal.promise }
}

test('a crashed thread is reported as a fatal error, whatever the others do', async () => {
  const { serving, ours, fatal } = await startWorld(3)
  expect(serving.threads).toBe(3)
  expect(ours.length).toBe(2)
  ours[1]!.postMessage(null)
  expect(String(await fatal)).toMatch(/TypeError|ended unexpectedly/)
  for (const port of ours) port.close()
})

test('if a port can’t be shared one thread serves, and says why', async () => {
  const config = await configOf(4)
  const warned: unknown[] = []
  const requested: unknown[] = []
  const server = {
    listen: async (options: { reusePort?: boolean } = {}) => {
      requested.push(options)
      if (options.reusePort) throw Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' })
      return { port: config.port }
    },
  }
  const log = { warn: (...line: unknown[]) => void warned.push(...line) } as never
  expect(await listenShared(server, { config, log })).toEqual({
    port: config.port,
    isShared: false,
  })
  expect(requested).toEqual([{ reusePort: true }, {}])
  expect(String(warned)).toContain('SLIPSTREAM_SERVE_THREADS')
})

test('any other problem with the port is an error, not a reason to serve on fewer threads', async () => {
  const config = await configOf(2)
  const server = {
    listen: () => Promise.reject(Object.assign(new Error('no'), { code: 'EADDRNOTAVAIL' })),
  }
  await expect(listenShared(server, { config, log: {} as never })).rejects.toThrow('no')
})
