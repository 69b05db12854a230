// The media routes as the server mounts them: present or not as the operator chooses, without affecting other
// routes.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createLogger } from '../../../src/base/obs/log.ts'
import { mediaConfig } from '../../../src/features/media/media-config.ts'
import { mediaRoutes } from '../../../src/features/media/media-routes.ts'
import { createSharedMedia } from '../../../src/features/media/shared-media.ts'
import { createServer } from '../../../src/http/server/server.ts'
import { blobCid } from '../../support/blob-host.ts'
import { startIdentityWorld } from '../../support/identity-world.ts'

const identity = await startIdentityWorld()
afterAll(() => identity.close())

function serverWith(images: 'cdn' | 'own') {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-media-'))
  const env = { SLIPSTREAM_IMAGES: images, SLIPSTREAM_DATA_DIR: dataDir }
  const config = loadConfig(env, '/nonexistent')
  const log = createLogger({ level: 'silent', name: 'test' })
  const actors = { uidOf: () => 0, flagsOf: () => 0 } as unknown as Parameters<
    typeof mediaRoutes
  >[1]['actors']
  return createServer({
    config,
    methods: [],
    serviceAuth: identity.serviceAuth,
    health: () => ({ ok: true, version: '0' }) as never,
    log,
    sideRoutes: mediaRoutes(mediaConfig(config), {
      log,
      db: undefined as never,
      actors,
      resolver: identity.resolver,
      ingest: { writer: { send: async () => undefined } },
      thread: 0,
      shared: createSharedMedia(),
    }).routes,
  })
}

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const path = `http://localhost/img/avatar/plain/${did}/${blobCid(Buffer.from('x'))}`

async function errorOf(answer: Promise<Response> | Response): Promise<unknown> {
  const response = await answer
  return { status: response.status, ...((await response.json()) as object) }
}

test('with own pictures the route answers, and everything else answers as before', async () => {
  const server = serverWith('own')
  expect(await errorOf(server.fetch(new Request(path)))).toMatchObject({ error: 'AccountNotFound' })
  const health = await server.fetch(new Request('http://localhost/xrpc/_health'))
  expect(health.status).toBe(200)
  const document = await server.fetch(new Request('http://localhost/.well-known/did.json'))
  expect(document.status).toBe(200)
  const posted = await server.fetch(new Request(path, { method: 'POST' }))
  expect(posted.status).toBe(404)
  const preflight = await server.fetch(new Request(path, { method: 'OPTIONS' }))
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
})

test('with a CDN there is no such route', async () => {
  const answer = serverWith('cdn').fetch(new Request(path))
  expect(await errorOf(answer)).toMatchObject({ status: 404, error: 'NotFound' })
})
