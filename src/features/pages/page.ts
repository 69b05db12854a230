// The pages for people and their requests: the status page at / with live figures, the explore view behind
// the operator's token, and the files that they load. A client that requests / without accepting HTML gets the
// usual plain answer.

import { type Context, Hono } from 'hono'
import type { Config } from '../../base/config/config.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { assetRoutes } from '../../http/server/asset-files.ts'
import type { Html } from '../../http/server/html.ts'
import { type PageLanguage, pageLanguage } from '../../http/server/page-language.ts'
import { type Assets, loadAssets } from './assets.ts'
import type { Availability } from './availability.ts'
import { formHeaders, PAGE_HEADERS, pictureHeaders } from './document.ts'
import { type ExploreOptions, exploreRoutes } from './explore/routes.ts'
import { exploreDocument } from './explore-document.ts'
import { createAvailability, createLagOfDay } from './histories.ts'
import { indexerStatusOf } from './indexer-status.ts'
import type { LagOfDay } from './lag-section.ts'
import { createLive, type Live } from './live.ts'
import { notFoundDocument } from './not-found-document.ts'
import { readDocument } from './read-document.ts'
import { statusDocument } from './status-document.ts'
import { type VisitorFigures, visitorFiguresOf } from './visitor-figures.ts'

type PageContext = Omit<
  ExploreOptions,
  'config' | 'status' | 'reasonableLimit' | 'availability'
> & {
  config: Config
  /** The ingest thread's latest report. */
  status: () => IngestStatus | undefined
  /** Of features, for the first page. */
  forms: (language: PageLanguage) => readonly Html[]
}

type Page = {
  /** For the server's `sideRoutes`. */
  routes: {
    path: string
    app: Hono
    charges: {
      patterns?: string[]
      route: 'pages'
      points: number
      from: 'pages' | 'visitor'
    }[]
  }[]
  /** For an address that leads nowhere; undefined for programs, which get JSON. */
  notFound(request: Request): Response | undefined
  /** Number of browsers listening now. */
  listeners(): number
  /** Disconnects all listeners. */
  close(): void
}

const FOR_ANYONE = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
/**
 * Of a visitor's rate limit: the operator's queries read a lot, and guessing the token should be
 * slow.
 */
const EXPLORE_POINTS = 5

export function createPage(context: PageContext): Page {
  const { config } = context
  const availability = createAvailability(context)
  const lag = createLagOfDay(context)
  const figures = () => visitorFiguresOf(context.status(), availability())
  const live = createLive(() => JSON.stringify(figures()))
  const assets = loadAssets
  const explore = exploreRoutes({
    ...context,
    availability,
    reasonableLimit: config.reasonableLimit,
  })
  const page = { route: 'pages', points: 1, from: 'pages' } as const
  const routes: Page['routes'] = [
    {
      path: '/',
      app: pages(context, { assets, figures, availability, lag }),
      charges: [{ ...page, patterns: ['/', '/explore', '/read', '/status/indexer'] }],
    },
    { path: '/page', app: files({ assets, figures, live }), charges: [page] },
    {
      path: '/explore/api',
      app: explore,
      charges: [{ route: 'pages', points: EXPLORE_POINTS, from: 'visitor' }],
    },
  ]
  return {
    routes,
    notFound: (request) => notFoundPage(request, assets),
    listeners: () => live.listeners,
    close: () => live.close(),
  }
}

type Shared = {
  assets: () => Assets
  figures: () => VisitorFigures
  availability: () => Availability
  lag: () => LagOfDay
}

function pages(context: PageContext, { assets, figures, availability, lag }: Shared): Hono {
  const { config } = context
  const headers = context.forms('en').length > 0 ? formHeaders() : PAGE_HEADERS
  const app = new Hono()
  app.get('/', (c, next) => {
    if (!wantsHtml(c)) return next()
    const visible = {
      figures: figures(),
      availability: availability(),
      lag: lag(),
      forms: context.forms(pageLanguage(c.req.header('accept-language'))),
    }
    return Promise.resolve(
      c.body(statusDocument(assets(), config, visible), 200, {
        ...headers,
        vary: 'accept-language',
      }),
    )
  })
  app.get('/explore', (c) => {
    const isServed = config.operatorToken !== undefined
    return c.body(exploreDocument(assets(), { isServed }), 200, pictureHeaders(config))
  })
  app.get('/read', (c) => {
    const isServed = config.operatorToken !== undefined
    return c.body(readDocument(assets(), { isServed }), 200, pictureHeaders(config))
  })
  app.get('/status/indexer', (c) => c.json(indexerStatusOf(context.status()), 200, FOR_ANYONE))
  return app
}

function files({
  assets,
  figures,
  live,
}: Pick<Shared, 'assets' | 'figures'> & { live: Live }): Hono {
  const app = new Hono()
  app.get('/live', (c) => {
    if (c.req.raw.method === 'HEAD') return c.body(null, 200, { 'cache-control': 'no-store' })
    const { visitor } = (c.env ?? {}) as { visitor?: string }
    return live.listen(visitor) ?? c.text('Too many are listening', 503)
  })
  app.get('/figures', (c) => c.json(figures(), 200, { 'cache-control': 'no-store' }))
  app.route('/assets', assetRoutes(assets))
  return app
}

function notFoundPage({ method, headers }: Request, assets: () => Assets): Response | undefined {
  if (method !== 'GET' || !headers.get('accept')?.includes('text/html')) return undefined
  return new Response(notFoundDocument(assets()), { status: 404, headers: PAGE_HEADERS })
}

function wantsHtml(c: Context): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}
