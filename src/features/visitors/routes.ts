// The addresses of the pages and of their feeds.

import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import type { Config } from '../../base/config/config.ts'
import { andThen, inLaterTurn, inTurns } from '../../base/util/turn.ts'
import type { ServeContext } from '../../http/feature.ts'
import { type Assets, assetRoutes, assetsOf } from '../../http/server/asset-files.ts'
import { pageLanguage } from '../../http/server/page-language.ts'
import { type Ask, createAsk, NotVisibleError } from './ask.ts'
import { ATOM_HEADERS, atomFeed } from './atom.ts'
import {
  type About,
  nothingDocument,
  type Site,
  visitorDocument,
  visitorHeaders,
} from './document.ts'
import {
  hashtagPage,
  listPage,
  postPage,
  profilePage,
  readList,
  readPosts,
  readProfile,
} from './pages.ts'
import { nameOf, profilePath } from './post-html.ts'
import { type Say, sayIn } from './words.ts'

type VisitorConfig = Pick<
  Config,
  'hostname' | 'imageUrlPattern' | 'publicOrigin' | 'videoThumbnailUrlPattern'
>

type Feed = Parameters<typeof atomFeed>[0]

const ASSETS = '/profile/~assets'

const assets: () => Assets = assetsOf(() => ({
  path: ASSETS,
  files: new Map([['visitors.css', new URL('./assets/visitors.css', import.meta.url)]]),
}))

export const PATTERNS = ['/profile/*', '/hashtag/*'] as const

export function visitorRoutes(config: VisitorConfig, visit: ServeContext['visit']): Hono {
  const { hostname, publicOrigin } = config
  const images = [
    ...new Set(
      [config.imageUrlPattern, config.videoThumbnailUrlPattern].map(
        (value) => new URL(value).origin,
      ),
    ),
  ]
  const site = (): Site => ({ hostname, publicOrigin, images, assets: assets() })
  const app = new Hono()
  app.route(ASSETS, assetRoutes(assets))
  // Only on our own: it reads an answer to its end, and streams have none.
  for (const own of PATTERNS) app.use(own, etag())
  const askFor = (c: Context) => createAsk(visit, c)
  const sayTo = (c: Context) => sayIn(pageLanguage(c.req.header('accept-language')))
  const page = (c: Context, about: Promise<About>) => {
    const say = sayTo(c)
    return about.then(
      inLaterTurn((about) =>
        andThen(inTurns(visitorDocument(site(), about, say)), (text) =>
          c.body(text, 200, visitorHeaders(images, say)),
        ),
      ),
    )
  }
  const feed = (c: Context, about: Promise<Feed>) =>
    about.then(
      inLaterTurn((feed) =>
        andThen(inTurns(atomFeed(feed)), (text) => c.body(text, 200, ATOM_HEADERS)),
      ),
    )

  app.get('/profile/:actor', (c) =>
    page(c, profilePage(askFor(c), c.req.param('actor'), c.req.query('cursor'))),
  )
  app.get('/profile/:actor/feed.atom', (c) =>
    feed(c, profileFeed(askFor(c), c.req.param('actor'), publicOrigin)),
  )
  app.get('/profile/:actor/post/:rkey', (c) =>
    page(c, postPage(askFor(c), c.req.param('actor'), c.req.param('rkey'))),
  )
  app.get('/profile/:actor/lists/:rkey', (c) =>
    page(c, listPage(askFor(c), c.req.param('actor'), c.req.param('rkey'))),
  )
  app.get('/profile/:actor/lists/:rkey/feed.atom', (c) =>
    feed(c, listFeed(askFor(c), c.req.param(), publicOrigin)),
  )
  app.get('/hashtag/:tag', (c) =>
    page(c, hashtagPage(askFor(c), c.req.param('tag'), c.req.query('cursor'))),
  )
  app.onError((error, c) => {
    const status = error instanceof NotVisibleError ? error.status : undefined
    if (status === undefined) throw error
    const say = sayTo(c)
    const headers = { ...visitorHeaders([], say), 'cache-control': 'no-store' }
    const [title, text] = WORDS[status].map((key) => say(key)) as [string, string]
    return c.body(nothingDocument(site(), { title, text }, say), status, headers)
  })
  return app
}

async function profileFeed(ask: Ask, actor: string, origin: string): Promise<Feed> {
  const profile = await readProfile(ask, actor)
  const { posts } = await readPosts(ask, profile.did)
  const path = profilePath(profile)
  const [id, feed] = [`/profile/${profile.did}`, `${path}/feed.atom`]
  return { title: nameOf(profile as never), origin, id, path, feed, posts }
}

async function listFeed(
  ask: Ask,
  of: { actor: string; rkey: string },
  origin: string,
): Promise<Feed> {
  const { list, posts, path } = await readList(ask, of.actor, of.rkey)
  const [id, feed] = [`/profile/${list.creator.did}/lists/${of.rkey}`, `${path}/feed.atom`]
  return { title: list.name, origin, id, path, feed, posts }
}

const WORDS: Record<NotVisibleError['status'], readonly Parameters<Say>[0][]> = {
  400: ['nothing', 'noAddress'],
  403: ['membersOnly', 'membersOnlyText'],
  404: ['nothing', 'gone'],
  429: ['tooMany', 'tooManyText'],
  503: ['notYet', 'notYetText'],
}
