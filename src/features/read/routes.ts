// The addresses of the client: its page at /read and below, its files, its manifest and its service worker. The
// operator's reading links lead to the core's page at the same address, which has them in its query.

import { type Context, Hono } from 'hono'
import type { Config } from '../../base/config/config.ts'
import { assetRoutes } from '../../http/server/asset-files.ts'
import { type SignInConfig, setupOf } from '../sign-in/client-metadata.ts'
import { pageHeaders } from '../sign-in/page.ts'
import { sessionScripts } from '../sign-in/routes.ts'
import { manifest, mediaOrigins, readDocument } from './document.ts'
import { firstScripts, readAssets, scriptsToRetain } from './files.ts'
import { pushWords } from './push-words.ts'

type ReadConfig = SignInConfig &
  Pick<Config, 'imageUrlPattern' | 'videoThumbnailUrlPattern' | 'videoPlaylistUrlPattern'>

const ASSETS = '/read/assets'
const SHORTLY = 'no-cache'
/** Pages of the core at the same address. */
const OTHERS = ['link', 'post', 'profile']

/** @param forYou - the at-URI of the feed that this server makes, once it does */
export function readRoutes(
  config: ReadConfig,
  forYou: () => string | undefined = () => undefined,
): Hono {
  const setup = setupOf(config)
  const { imageUrlPattern, videoThumbnailUrlPattern, videoPlaylistUrlPattern } = config
  const headers = pageHeaders(
    setup,
    mediaOrigins([imageUrlPattern, videoThumbnailUrlPattern, videoPlaylistUrlPattern]),
  )
  const page = (c: Context) =>
    readDocument({
      own: readAssets(),
      session: sessionScripts(),
      setup,
      scripts: firstScripts(),
      mayStart: setup.isLoopback || isFromHere(c),
      forYou: forYou(),
    })
  const app = new Hono()
  app.route(ASSETS, assetRoutes(readAssets))
  app.get('/read/manifest.webmanifest', (c) =>
    c.body(JSON.stringify(manifest(config.hostname)), 200, {
      'content-type': 'application/manifest+json',
      'cache-control': SHORTLY,
    }),
  )
  app.get('/read/worker.js', async (c) =>
    c.body(await workerText(), 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': SHORTLY,
      'service-worker-allowed': '/read',
    }),
  )
  app.get('/read/icon.svg', (c) => c.redirect(readAssets().pathOf('icon.svg')))
  app.get('/read', (c, next) => {
    if (OTHERS.some((name) => c.req.query(name) !== undefined)) return next()
    return Promise.resolve(c.body(page(c), 200, headers))
  })
  app.get('/read/*', (c, next) => {
    // The pattern matches /read itself, too.
    if (c.req.path === '/read' || c.req.path.startsWith(`${ASSETS}/`)) return next()
    return Promise.resolve(c.body(page(c), 200, headers))
  })
  return app
}

/**
 * Whether a page of this server leads here. Another site must not send people on to a server of its choice under
 * our name.
 */
function isFromHere(c: Context): boolean {
  return c.req.header('sec-fetch-site') === 'same-origin'
}

/** The worker with the addresses of the files of this build, by which a browser sees that there is a new one. */
async function workerText(): Promise<string> {
  const own = readAssets()
  const path = own.pathOf('worker.ts')
  const [, , , digest = '', name = ''] = path.split('/')
  const { body } = await own.find(digest, name)!
  const files = [
    ...scriptsToRetain().map((value) => own.pathOf(value)),
    ...sessionScripts(),
    ...['read.css', 'icon.svg'].map((value) => own.pathOf(value)),
  ]
  return body
    .toString()
    .replace('/* files */ []', () => JSON.stringify(files))
    .replace('/* words */ {}', () => JSON.stringify(pushWords))
}
