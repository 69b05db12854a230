// The frame of a page for visitors: complete without a script, with what previews of links read.

import type { Assets } from '../../http/server/asset-files.ts'
import { type Html, html } from '../../http/server/html.ts'
import { languageHeaders } from '../../http/server/page-language.ts'
import type { Say } from './words.ts'

export type About = {
  title: string
  description?: string | ((say: Say) => string)
  /** Path of this page in its one form. */
  path: string
  image?: { url: string; alt: string } | undefined
  /** Path of the feed for feed readers. */
  feed?: string | undefined
  /** The record or account that it shows, as an at-URI. */
  shows?: string
  kind: 'article' | 'profile' | 'website'
  /** When a post was published: some previews otherwise take the first time in the page. */
  published?: string
  /** Its page in the client, for people who sign in. */
  client: string
  /** Some posts at a time (base/util/turn.ts), as large as they may be. */
  main: (say: Say) => Generator<void, Html>
}

/** The client's, to which these pages lead. */
const ICON = '/read/icon.svg'

export type Site = {
  publicOrigin: string
  hostname: string
  assets: Assets
  images: readonly string[]
}

export function visitorHeaders(
  images: readonly string[],
  { language }: Say,
): Record<string, string> {
  return {
    ...languageHeaders(language),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=60',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src ${["'self'", ...images].join(' ')}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

export function* visitorDocument(site: Site, about: About, say: Say): Generator<void, string> {
  const { publicOrigin, hostname, assets } = site
  const { title, path, image, feed, shows, kind, published, client, main } = about
  const description =
    typeof about.description === 'function' ? about.description(say) : (about.description ?? '')
  const address = `${publicOrigin}${path}`
  const visible = yield* main(say)
  const meta = (name: string, content: string | undefined) =>
    content ? html`<meta property="${name}" content="${content}">\n` : undefined
  return html`<!doctype html>
<html lang="${say.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${hostname}</title>
<meta name="description" content="${description}">
<link rel="canonical" href="${address}">
${shows && html`<link rel="alternate" href="${shows}">\n`}${feed && html`<link rel="alternate" type="application/atom+xml" title="${title}" href="${publicOrigin}${feed}">\n`}${meta('og:site_name', hostname)}${meta('og:type', kind)}${meta('article:published_time', published)}${meta('og:title', title)}${meta('og:description', description)}${meta('og:url', address)}${meta('og:image', image?.url)}${meta('og:image:alt', image?.alt)}<meta name="twitter:card" content="${image && kind !== 'profile' ? 'summary_large_image' : 'summary'}">
<link rel="icon" type="image/svg+xml" href="${ICON}">
<link rel="stylesheet" href="${assets.pathOf('visitors.css')}">
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header class="bar"><a href="/">${hostname}</a><a class="enter" href="${client}">${say('enterToAnswer')}</a></header>
<main id="main">
${visible}
</main>
<footer><p>${feed && html`<a href="${feed}">${say('feed')}</a> · `}${say('foot')}</p></footer>
</body>
</html>
`.text
}

/** A page that shows nothing: it says why, and is not to be found by searching. */
export function nothingDocument(
  { hostname, assets }: Site,
  words: { title: string; text: string },
  say: Say,
): string {
  return html`<!doctype html>
<html lang="${say.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${words.title} · ${hostname}</title>
<link rel="stylesheet" href="${assets.pathOf('visitors.css')}">
</head>
<body>
<header class="bar"><a href="/">${hostname}</a><a class="enter" href="/read">${say('enter')}</a></header>
<main id="main"><h1>${words.title}</h1><p>${words.text}</p></main>
</body>
</html>
`.text
}
