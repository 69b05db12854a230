// The addresses of the pages and of their feeds.

import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import type { Config } from '../../base/config/config.ts'
import { type Assets, assetRoutes, assetsOf } from '../../http/pages/asset-files.ts'
import { type Ask, NotShownError } from './ask.ts'
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

type VisitorConfig = Pick<
  Config,
  'hostname' | 'imageUrlPattern' | 'publicOrigin' | 'videoThumbnailUrlPattern'
>

const ASSETS = '/profile/~assets'

const assets: () => Assets = assetsOf(() => ({
  path: ASSETS,
  files: new Map([['visitors.css', new URL('./assets/visitors.css', import.meta.url)]]),
}))

export const PATTERNS = ['/profile/*', '/hashtag/*'] as const

export function visitorRoutes(config: VisitorConfig, ask: Ask): Hono {
  const { hostname, publicOrigin } = config
  const images = [
    ...new Set(
      [config.imageUrlPattern, config.videoThumbnailUrlPattern].map((one) => new URL(one).origin),
    ),
  ]
  const site = (): Site => ({ hostname, publicOrigin, images, assets: assets() })
  const app = new Hono()
  app.route(ASSETS, assetRoutes(assets))
  // Only on our own: it reads an answer to its end, and streams have none.
  for (const own of PATTERNS) app.use(own, etag())
  const page = async (c: Context, about: Promise<About>) =>
    c.body(visitorDocument(site(), await about), 200, visitorHeaders(images))

  app.get('/profile/:actor', (c) =>
    page(c, profilePage(ask, c.req.param('actor'), c.req.query('cursor'))),
  )
  app.get('/profile/:actor/feed.atom', async (c) => {
    const profile = await readProfile(ask, c.req.param('actor'))
    const { posts } = await readPosts(ask, profile.did)
    const path = profilePath(profile)
    const feed = {
      title: nameOf(profile as never),
      origin: publicOrigin,
      path,
      feed: `${path}/feed.atom`,
      posts,
    }
    return c.body(atomFeed(feed), 200, ATOM_HEADERS)
  })
  app.get('/profile/:actor/post/:rkey', (c) =>
    page(c, postPage(ask, c.req.param('actor'), c.req.param('rkey'))),
  )
  app.get('/profile/:actor/lists/:rkey', (c) =>
    page(c, listPage(ask, c.req.param('actor'), c.req.param('rkey'))),
  )
  app.get('/profile/:actor/lists/:rkey/feed.atom', async (c) => {
    const { list, posts, path } = await readList(ask, c.req.param('actor'), c.req.param('rkey'))
    const feed = { title: list.name, origin: publicOrigin, path, feed: `${path}/feed.atom`, posts }
    return c.body(atomFeed(feed), 200, ATOM_HEADERS)
  })
  app.get('/hashtag/:tag', (c) =>
    page(c, hashtagPage(ask, c.req.param('tag'), c.req.query('cursor'))),
  )
  app.onError((error, c) => {
    const status = error instanceof NotShownError ? error.status : undefined
    if (status === undefined) throw error
    const headers = { ...visitorHeaders([]), 'cache-control': 'no-store' }
    return c.body(nothingDocument(site(), WORDS[status]), status, headers)
  })
  return app
}

const WORDS: Record<NotShownError['status'], { title: string; text: string }> = {
  400: {
    title: 'Nothing here',
    text: 'This address does not name an account or a post. Check its spelling.',
  },
  403: {
    title: 'Not shown to visitors',
    text: 'This account asks to be shown only to people who are signed in. Sign in to see it.',
  },
  404: { title: 'Nothing here', text: 'There is no such account or post, or it was deleted.' },
  429: { title: 'Too many pages at once', text: 'Wait a minute, and load this page again.' },
  503: {
    title: 'Not known here yet',
    text: 'This server is looking for it. Load this page again in a minute.',
  },
}
