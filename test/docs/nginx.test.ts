// The nginx configuration of docs/PROXIES.md, run by nginx before a server that reports what reaches it.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fencesOf, root } from '../support/documentation.ts'
import { until } from '../support/eventually.ts'

const NGINX = '/usr/sbin/nginx'
const isHere =
  spawnSync(NGINX, ['-v']).status === 0 && spawnSync('openssl', ['version']).status === 0
if (!isHere) console.warn('nginx or openssl is missing: the configuration in PROXIES.md is not run')

type Seen = { url: string; headers: Record<string, string>; bytes: number }

let base: string
let nginx: ChildProcess
let behind: Server
let port: number

beforeAll(async () => {
  if (!isHere) return
  base = mkdtempSync(join(tmpdir(), 'slipstream-nginx-'))
  behind = createServer((requested, answer) => {
    let bytes = 0
    requested.on('data', (piece: Buffer) => (bytes += piece.length))
    requested.on('end', () =>
      answer.end(JSON.stringify({ url: requested.url, headers: requested.headers, bytes })),
    )
  }).listen(0, '127.0.0.1')
  await once(behind, 'listening')
  port = await freePort()
  writeFileSync(join(base, 'nginx.conf'), configuration())
  makeCertificate()
  nginx = spawn(NGINX, ['-p', base, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'inherit' })
  await until(() =>
    ask('/').then(
      () => true,
      () => false,
    ),
  )
})
afterAll(() => {
  if (!isHere) return
  nginx.kill('SIGTERM')
  behind.close()
  rmSync(base, { recursive: true, force: true })
})

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const free = portOf(server)
  server.close()
  return free
}

/** The page's block, with this test's ports and certificate. */
function configuration(): string {
  const text = readFileSync(join(root, 'docs/PROXIES.md'), 'utf8')
  const block = fencesOf({ path: 'docs/PROXIES.md', text }).find(
    (fence) => fence.language === 'nginx',
  )!
  const site = block.text
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace(/.*listen \[::\].*\n/, '')
    .replaceAll('/etc/letsencrypt/live/appview.example.org/', '')
    .replace('127.0.0.1:3000', `127.0.0.1:${portOf(behind)}`)
  mkdirSync(join(base, 'body'))
  const paths = `access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;`
  return `daemon off; pid nginx.pid; user root;\nevents {}\nhttp { ${paths}\n${site}}\n`
}

function makeCertificate(): void {
  const [key, chain] = ['privkey.pem', 'fullchain.pem'].map((name) => join(base, name)) as [
    string,
    string,
  ]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=appview.example.org']
  execFileSync('openssl', [...made, '-keyout', key, '-out', chain], { stdio: 'ignore' })
}

function ask(path: string, options: { headers?: Record<string, string>; body?: Buffer } = {}) {
  return new Promise<{ status: number; seen: Seen | undefined }>((resolve, reject) => {
    const asking = secureRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        rejectUnauthorized: false,
        method: options.body ? 'POST' : 'GET',
        headers: { host: 'appview.example.org', ...options.headers },
      },
      (answer) => {
        let text = ''
        answer.on('data', (piece: Buffer) => (text += piece.toString()))
        answer.on('end', () => {
          const seen = text.startsWith('{') ? (JSON.parse(text) as Seen) : undefined
          resolve({ status: answer.statusCode!, seen })
        })
      },
    )
    asking.on('error', reject)
    asking.end(options.body)
  })
}

describe.runIf(isHere)('nginx as in PROXIES.md', () => {
  test('passes on name, token and the client’s address, after what the client claims', async () => {
    const headers = { authorization: 'Bearer x', 'x-forwarded-for': '192.0.2.1' }
    const { seen } = await ask('/xrpc/app.bsky.feed.getTimeline', { headers })
    expect(seen!.headers).toMatchObject({
      host: 'appview.example.org',
      authorization: 'Bearer x',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
    })
  })

  test('hides the metrics, however they are spelt', async () => {
    for (const path of ['/metrics', '/metrics?x', '//metrics', '/%6detrics', '/x/../metrics'])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    expect((await ask('/xrpc/metrics')).status).toBe(200)
  })

  test('lets through the largest bodies and addresses', async () => {
    const body = await ask('/xrpc/x', { body: Buffer.alloc(2_000_000) })
    expect(body).toMatchObject({ status: 200, seen: { bytes: 2_000_000 } })
    const long = await ask(`/xrpc/x?uris=${'u'.repeat(8_000)}`)
    expect(long.status).toBe(200)
  })
})
