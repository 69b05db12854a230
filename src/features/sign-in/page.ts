// The frame of the pages that talk to a member's PDS. Scripts are ours alone and no text becomes code (trusted
// types); connections go to whatever PDS the member has.

import type { Assets } from '../../http/server/asset-files.ts'
import { type Html, html } from '../../http/server/html.ts'
import { inLanguage, type PageLanguage, type Texts } from '../../http/server/page-language.ts'
import type { Setup } from './setup.ts'

/** The one policy, for the address of a service worker. */
const TRUSTED_POLICY = 'slipstream'

export function pageHeaders({ isLoopback }: Setup, images: readonly string[]) {
  const local = isLoopback ? ' http://localhost:* http://127.0.0.1:*' : ''
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' ${[...images, 'blob:', 'data:'].join(' ')}`,
      // hls.js begins each track of captions with an empty one that is written in its address.
      `media-src 'self' ${[...images, 'blob:', 'data:'].join(' ')}`,
      `connect-src 'self' https:${local}`,
      "manifest-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      `trusted-types ${TRUSTED_POLICY}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}

/** What the scripts know of this server, for the head of a page. */
export function setupTag(setup: Setup): Html {
  return html`<meta name="slipstream-setup" content="${JSON.stringify(setup)}">`
}

export function callbackDocument(assets: Assets, setup: Setup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Signing in · Slipstream</title>
${setupTag(setup)}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.pathOf('sign-in.css')}">
<script type="module" src="${assets.pathOf('callback.ts')}"></script>
</head>
<body>
<main><h1>Signing in</h1>
<p id="outcome" role="status">One moment …</p>
<p><a href="/read">Back</a></p>
<noscript><p>Signing in needs JavaScript.</p></noscript>
</main>
</body>
</html>
`.text
}

const FORM = {
  title: ['Read and write here', 'Hier lesen und schreiben', 'ここで読み書きする'],
  name: ['Your handle or DID', 'Dein Handle oder deine DID', 'あなたのハンドルまたは DID'],
  enter: ['Sign in', 'Anmelden', 'ログイン'],
  asks: [
    'Your own server asks whether this page may read and write for you. Your password stays there.',
    'Dein eigener Server fragt, ob diese Seite für dich lesen und schreiben darf. Dein Passwort bleibt dort.',
    'あなたのサーバーが、このページでの読み書きを許可するか確認します。パスワードはそこから出ません。',
  ],
} as const satisfies Record<string, Texts>

/** Leads to the client, which begins at once: the request comes from a page of this server. */
export function firstPageForm(language: PageLanguage): Html {
  const say = (key: keyof typeof FORM) => inLanguage(language, FORM[key])
  return html`<section class="hero" aria-labelledby="sign-in-title" lang="${language}">
<h2 id="sign-in-title">${say('title')}</h2>
<form class="ask" action="/read" method="get">
<label for="sign-in-name">${say('name')}</label>
<div class="row"><input id="sign-in-name" name="name" required autocomplete="username" autocapitalize="none" spellcheck="false" dir="ltr" placeholder="alice.example.org"><button type="submit">${say('enter')}</button></div>
<p class="aside">${say('asks')}</p>
</form>
</section>`
}
