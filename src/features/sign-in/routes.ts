// The addresses of an OAuth client: its metadata, the page to which a PDS sends the browser back, and the
// scripts that both need. This server takes part in nothing else: codes and tokens stay in the browser.

import { Hono } from 'hono'
import { type Assets, assetRoutes, assetsOf } from '../../http/server/asset-files.ts'
import {
  CALLBACK,
  clientMetadata,
  METADATA,
  type SignInConfig,
  setupOf,
} from './client-metadata.ts'
import { callbackDocument, pageHeaders } from './page.ts'

/** What every page with a session loads. */
const scripts = [
  new URL('./assets/oauth-client.js', import.meta.url),
  new URL('./assets/session.ts', import.meta.url),
  new URL('./assets/handle.ts', import.meta.url),
  new URL('./assets/language.ts', import.meta.url),
  new URL('./assets/reasons.ts', import.meta.url),
]
const others = [
  new URL('./assets/callback.ts', import.meta.url),
  new URL('./assets/sign-in.css', import.meta.url),
]
const ASSETS = '/oauth/assets'

export const signInAssets: () => Assets = assetsOf(() => ({
  path: ASSETS,
  files: new Map([...scripts, ...others].map((url) => [nameOf(url), url])),
}))

/** Addresses of the scripts of a session. */
export function sessionScripts(): string[] {
  return scripts.map((url) => signInAssets().pathOf(nameOf(url)))
}

function nameOf(url: URL): string {
  return url.pathname.split('/').at(-1)!
}

const FOR_ANYONE = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }

export function signInRoutes(config: SignInConfig): Hono {
  const setup = setupOf(config)
  const app = new Hono()
  if (!setup.isLoopback) app.get(METADATA, (c) => c.json(clientMetadata(config), 200, FOR_ANYONE))
  app.get(CALLBACK, (c) =>
    c.body(callbackDocument(signInAssets(), setup), 200, pageHeaders(setup, [])),
  )
  app.route(ASSETS, assetRoutes(signInAssets))
  return app
}
