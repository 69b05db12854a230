// The frame of every page: head, bar and footer, with the headers to send. Nothing is inline or from other
// origins, which the content security policy enforces.

import type { Config } from '../../base/config/config.ts'
import { version } from '../../base/util/version.ts'
import { Html, html } from '../../http/server/html.ts'
import type { Assets } from './assets.ts'

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** Of a page with a form that is sent to this server. */
export function formHeaders(): typeof PAGE_HEADERS {
  const policy = 'content-security-policy'
  const text = PAGE_HEADERS[policy].replace("form-action 'none'", "form-action 'self'")
  return { ...PAGE_HEADERS, [policy]: text }
}

/** Of a page with people’s pictures, which are where the settings say. */
export function pictureHeaders({ imageUrlPattern, videoThumbnailUrlPattern }: Config) {
  const policy = 'content-security-policy'
  const origins = [imageUrlPattern, videoThumbnailUrlPattern].map((value) => new URL(value).origin)
  const images = ["img-src 'self'", ...new Set(origins)].join(' ')
  return { ...PAGE_HEADERS, [policy]: PAGE_HEADERS[policy].replace("img-src 'self'", images) }
}

type Page = {
  title: string
  /** The current page, for the bar. */
  current?: 'status' | 'explore' | 'read'
  /** Name of the page's script, if it has one. */
  script?: string
  /** Name of the page's own style sheet. */
  style?: string
  main: Html
}

export function documentOf(assets: Assets, { title, current, script, style, main }: Page): string {
  const link = (name: NonNullable<Page['current']>, path: string, text: string) =>
    html`<a href="${path}"${name === current && new Html(' aria-current="page"')}>${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assets.pathOf('icon.svg')}" data-away="${assets.pathOf('icon-away.svg')}">
<link rel="stylesheet" href="${assets.pathOf('uplot.css')}">
<link rel="stylesheet" href="${assets.pathOf('page.css')}">
${style !== undefined && html`<link rel="stylesheet" href="${assets.pathOf(style)}">`}
<script src="${assets.pathOf('theme.ts')}"></script>
${script !== undefined && html`<script type="module" src="${assets.pathOf(script)}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="mark" href="/">${wave()}Slipstream</a>
<nav aria-label="Pages">${link('status', '/', 'Status')}${link('explore', '/explore', 'Explore')}${link('read', '/read', 'Read')}</nav>
<button type="button" class="quiet" id="theme" aria-label="Colours: system" hidden>${halfMoon()}</button>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>Slipstream ${version}, an AT Protocol AppView that belongs to whoever runs it.</p>
<p><a href="/xrpc/_health">Health as JSON</a></p>
</footer>
</body>
</html>
`.text
}

/** Half for the system's colours, empty for light, full for dark. */
function halfMoon(): Html {
  return html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.8"/><path class="half" d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/><circle class="full" cx="10" cy="10" r="7" fill="currentColor"/></svg>`
}

function wave(): Html {
  return html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"><path d="M2 8c3.3 0 3.3 3 6.7 3s3.3-3 6.6-3S18.7 11 22 11"/><path d="M2 14c3.3 0 3.3 3 6.7 3s3.3-3 6.6-3 3.4 3 6.7 3" opacity=".55"/></svg>`
}
