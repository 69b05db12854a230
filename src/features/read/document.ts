// The page of the client before its scripts run: what it is, where its parts will be, and the scripts and styles
// to load at once.

import type { Assets } from '../../http/server/asset-files.ts'
import { Html, html } from '../../http/server/html.ts'
import { setupTag } from '../sign-in/page.ts'
import type { Setup } from '../sign-in/setup.ts'

type Dependencies = {
  own: Assets
  /** Addresses of the scripts of a session. */
  session: readonly string[]
  setup: Setup
  /** Scripts that the first page needs, in the order of their names. */
  scripts: readonly string[]
  /** Whether a name in the address may begin signing in without a press. */
  mayStart: boolean
  /** At-URI of the feed that this server makes, if it makes one. */
  forYou: string | undefined
}

export function readDocument({
  own,
  session,
  setup,
  scripts,
  mayStart,
  forYou,
}: Dependencies): string {
  const preloads = [...session, ...scripts.map((name) => own.pathOf(name))]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#0b5fd0">
<meta name="robots" content="noindex">
<title>Read · Slipstream</title>
${setupTag(setup)}
<link rel="manifest" href="/read/manifest.webmanifest">
<link rel="icon" type="image/svg+xml" href="${own.pathOf('icon.svg')}">
<link rel="stylesheet" href="${own.pathOf('read.css')}">
${preloads.map(
  (path) => html`<link rel="modulepreload" href="${path}">
`,
)}<script type="module" src="${own.pathOf('app.ts')}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><nav id="nav" hidden></nav></header>
<main id="main" tabindex="-1" aria-busy="true"${mayStart && new Html(' data-may-start')}${forYou !== undefined && html` data-for-you="${forYou}"`}>
<h1>Read</h1>
<noscript><p>This page needs JavaScript: it talks to your own server from your browser.</p></noscript>
</main>
<div id="toast" class="toast" role="status"></div>
<dialog id="compose" class="compose"></dialog>
${footer()}
</body>
</html>
`.text
}

function footer(): Html {
  return html`<footer><p><a class="outside" href="/">Slipstream</a></p></footer>`
}

/** The policy's picture and media sources: where the settings say that they come from. */
export function mediaOrigins(patterns: readonly string[]): string[] {
  return [...new Set(patterns.map((pattern) => new URL(pattern).origin))]
}

export function manifest(hostname: string): object {
  return {
    name: `Slipstream at ${hostname}`,
    short_name: 'Slipstream',
    id: '/read',
    start_url: '/read',
    scope: '/read',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#0b5fd0',
    icons: [
      { src: '/read/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: '/read/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'maskable' },
    ],
  }
}
