// What a PDS reads about this server's own client: valid by the official schema, with the narrowest scopes that
// work, and no secret.

import { oauthClientMetadataSchema } from '@atproto/oauth-types'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { setupOf } from '../../../src/features/sign-in/client-metadata.ts'
import { signInRoutes } from '../../../src/features/sign-in/routes.ts'

const env = { SLIPSTREAM_HOSTNAME: 'appview.example.org' }
const config = loadConfig(env, '/nowhere')

test('the metadata is a public client’s, at the address that is its name', async () => {
  const answer = await signInRoutes(config).request('/oauth/client-metadata.json')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const metadata = (await answer.json()) as Record<string, unknown>
  expect(oauthClientMetadataSchema.parse(metadata)).toMatchObject({
    client_id: 'https://appview.example.org/oauth/client-metadata.json',
    redirect_uris: ['https://appview.example.org/oauth/callback'],
    token_endpoint_auth_method: 'none',
    dpop_bound_access_tokens: true,
  })
})

test('signing in asks for what is written and for this server alone; wide scopes only by name', () => {
  const { scopes } = setupOf(config)
  const parts = scopes.use.split(' ')
  expect(parts[0]).toBe('atproto')
  expect(parts).toContain('rpc:*?aud=did%3Aweb%3Aappview.example.org%23bsky_appview')
  expect(parts).toContain('blob:image/*')
  expect(scopes.use).not.toMatch(/transition:|repo:\*|blob:\*|api\.bsky\.app/)
  expect(scopes.bring).toContain('app.bsky.graph.getMutes')
  expect(scopes.bring).not.toContain('app.bsky.graph.muteActorList')
  expect(scopes.everything).toBe('atproto transition:generic')
})

test('on localhost it is the loopback client, sent back to an address', async () => {
  const local = loadConfig({ SLIPSTREAM_HOSTNAME: 'localhost:3000' }, '/nowhere')
  const id = new URL(setupOf(local).clientId)
  expect(id.origin).toBe('http://localhost')
  expect(id.searchParams.get('redirect_uri')).toBe('http://127.0.0.1:3000/oauth/callback')
  expect((await signInRoutes(local).request('/oauth/client-metadata.json')).status).toBe(404)
})

test('the pages run no inline script, and no text becomes code', async () => {
  const answer = await signInRoutes(config).request('/oauth/callback')
  const policy = answer.headers.get('content-security-policy')!
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/unsafe|http:/)
  expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
})
