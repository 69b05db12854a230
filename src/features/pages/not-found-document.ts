// What a browser gets for an address that leads nowhere; programs get JSON.

import { html } from '../../http/server/html.ts'
import type { Assets } from './assets.ts'
import { documentOf } from './document.ts'

export function notFoundDocument(assets: Assets): string {
  const main = html`<section class="hero"><h1>There is nothing at this address</h1>
<p>Check its spelling, or go to <a href="/">the status page</a>. A page may also be turned off on this server: invites,
for example, are the operator’s choice.</p></section>`
  return documentOf(assets, { title: 'Not found · Slipstream', main })
}
