// The sites for Caddy: valid, and letting through whatever Slipstream accepts. Needs Caddy, which Debian has as a
// package; without it only the sizes are compared.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_LOAD_BYTES } from '../../src/features/timelines/http/graph-load.ts'

const root = resolve(import.meta.dirname, '../..')
const sites = ['deploy/caddy/Caddyfile', 'deploy/caddy/Caddyfile.cluster']
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const hasCaddy = canRun('caddy', ['version'])
if (!hasCaddy) console.warn('Caddy is not installed: its sites are not validated or run')

function canRun(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.each(sites)('%s allows bodies as large as Slipstream does', (path) => {
  const sizes = new Map(
    [...read(path).matchAll(/request_body @(\w+) \{\s*max_size (\d+)MiB/g)].map(
      ([, name, mebibytes]) => [name, Number(mebibytes) << 20],
    ),
  )
  const [, operator] = /MAX_DOCUMENT_BYTES = (\d+) << 20/.exec(read('src/http/operator/routes.ts'))!
  expect(sizes).toEqual(
    new Map([
      ['load', MAX_LOAD_BYTES],
      ['operator', Number(operator) << 20],
    ]),
  )
})

test.runIf(hasCaddy).each(sites)('%s is valid', (path) => {
  const env = { ...process.env, SLIPSTREAM_HOSTNAME: 'appview.example.org' }
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(root, path)]
  expect(() => execFileSync('caddy', args, { env, stdio: 'pipe' })).not.toThrow()
})

/** A free port; nothing else is likely to take it within moments. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** The site in a real Caddy, in front of a server that answers with the number of bytes it received. */
async function startSite() {
  const upstream = createServer((request, response) => {
    let bytes = 0
    request.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    request.on('error', () => response.destroy())
    request.on('end', () => response.end(String(bytes)))
  })
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${await freePort()}`
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-caddy-'))
  const env = {
    ...process.env,
    HOME: folder,
    CADDY_ADMIN: `unix/${join(folder, 'admin')}`,
    SLIPSTREAM_HOSTNAME: url,
    SLIPSTREAM_UPSTREAM: `127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  }
  const args = ['run', '--adapter', 'caddyfile', '--config', join(root, sites[0]!)]
  const caddy = spawn('caddy', args, { env, stdio: 'ignore' })
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await expect.poll(isUp).toBe(true)
  return {
    url,
    async close() {
      caddy.kill()
      await new Promise((done) => caddy.once('exit', done))
      upstream.closeAllConnections()
      await new Promise((done) => upstream.close(done))
    },
  }
}

test.runIf(hasCaddy)(
  'a running Caddy lets loads and documents through, and nothing else of that size',
  async () => {
    const site = await startSite()
    const body = Buffer.alloc(3 << 20, 'x')
    const send = async (path: string) => {
      const response = await fetch(site.url + path, { method: 'POST', body }).catch(() => undefined)
      return response?.status === 200 ? Number(await response.text()) : 'refused'
    }
    for (const path of [
      '/v1/graphs/friends/adjacency?load=a&from=0',
      '/operator/members/state',
      '/operator/import-follows',
    ]) {
      expect([path, await send(path)]).toEqual([path, body.length])
    }
    for (const path of ['/xrpc/app.bsky.draft.createDraft', '/v1/graphs/friends/edges', '/']) {
      expect([path, await send(path)]).toEqual([path, 'refused'])
    }
    await site.close()
  },
)
