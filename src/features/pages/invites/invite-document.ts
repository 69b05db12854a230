// The page for redeeming an invite: one form, in the frame of our other pages, with nothing from other
// origins. It works without scripts, and typed text is escaped when shown again.

import { type Html, html } from '../../../http/server/html.ts'
import type { Assets } from '../assets.ts'
import { documentOf } from '../document.ts'
import { type Us, waysToConnect } from './connect-section.ts'

export type InvitePage = {
  us: Us
  /** Previous input, to be corrected. */
  handle?: string
  code?: string
  /** What is wrong with the input. */
  problem?: string
  /** The account just admitted, as its owner typed it. */
  welcome?: string
}

export const INVITE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function inviteDocument(assets: Assets, page: InvitePage): string {
  const title = `Join ${page.us.hostname}`
  const main = html`<section class="hero" aria-labelledby="invite-title">
<h1 id="invite-title">${title}</h1>
${page.welcome === undefined ? form(page) : welcome(page)}
</section>`
  return documentOf(assets, { title, main })
}

function form({ handle = '', code = '', problem }: InvitePage): Html {
  return html`<p>You need an invite to read here. Enter your handle or DID, and your invite code.</p>
${problem !== undefined && html`<p class="problem" role="alert" id="problem">${problem}</p>`}
<form class="ask" method="post" action="/invite">
<label for="handle">Handle or DID</label>
<input id="handle" name="handle" value="${handle}" placeholder="alice.example.org" maxlength="2048" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="code">Invite code</label>
<input id="code" name="code" value="${code}" placeholder="xxxxx-xxxxx-xxxxx" maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<button>Join</button>
</form>`
}

function welcome({ welcome: handle, us }: InvitePage): Html {
  return html`<p role="status"><strong>${handle}</strong> can read here now.</p>
<h2>Next: point your client here</h2>
<p>Choose your client and follow its steps, then sign in as usual. Your timeline fills while you watch.</p>
${waysToConnect(us)}`
}
