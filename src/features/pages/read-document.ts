// The page /read before it knows its reader: a form for the operator's link, and empty places for what the
// reader requests. Pictures come from where the settings say, everything else from us.

import { type Html, html } from '../../http/server/html.ts'
import type { Assets } from './assets.ts'
import { documentOf } from './document.ts'

export function readDocument(assets: Assets, { isServed }: { isServed: boolean }): string {
  const main = isServed ? feedsAndLists() : notServed()
  const title = 'Read · Slipstream'
  return documentOf(assets, { title, current: 'read', script: 'read.ts', style: 'read.css', main })
}

function notServed(): Html {
  return html`<section class="hero"><h1>Reading is off</h1>
<p>This page shows a member’s timeline without a client. To turn it on, the operator sets SLIPSTREAM_OPERATOR_TOKEN.</p></section>`
}

function feedsAndLists(): Html {
  return html`<noscript><section class="hero"><h1>Read</h1>
<p>This page needs JavaScript: it makes a timeline in your browser from this server’s answers.</p></section></noscript>
<section class="hero" id="enter" hidden>
<h1>Read</h1>
<p>Read a member’s timeline exactly as this server sends it, before you point a client here.</p>
<form id="enter-form" class="ask" autocomplete="off">
<label for="link">Reading link</label>
<div class="row"><input id="link" name="link" required spellcheck="false" autocapitalize="none" placeholder="read.…"><button type="submit">Read</button></div>
<p class="aside">The operator creates one with <code>slipstream member link alice.example.org</code>. This tab forgets it when you close it.</p>
<p class="problem" role="alert" id="enter-problem"></p>
</form>
</section>
<div id="reader" class="reader" hidden>
<div class="reader-bar"><a href="/read" id="home" hidden>Timeline</a><span id="as"></span><button type="button" class="quiet" id="again">Refresh</button><button type="button" class="quiet" id="leave">Leave</button></div>
<p class="problem" role="alert" id="problem"></p>
<div id="view" aria-busy="false"></div>
<button type="button" id="more" hidden>Older</button>
</div>`
}
