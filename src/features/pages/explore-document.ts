// The explore page before the operator has logged in: forms, and empty places for their results.

import { type Html, html } from '../../http/server/html.ts'
import type { Assets } from './assets.ts'
import { documentOf } from './document.ts'
import { membershipPanel } from './membership-panel.ts'
import { serverPanel } from './server-panel.ts'

export function exploreDocument(assets: Assets, { isServed }: { isServed: boolean }): string {
  const main = isServed ? forms() : notServed()
  return documentOf(assets, {
    title: 'Explore · Slipstream',
    current: 'explore',
    script: 'explore.ts',
    main,
  })
}

function notServed(): Html {
  return html`<section class="hero"><h1>Explore is off</h1>
<p>This is the operator’s page. To turn it on, set SLIPSTREAM_OPERATOR_TOKEN.</p></section>`
}

function forms(): Html {
  return html`<section class="hero" id="login">
<h1>Explore</h1>
<p>For the operator: how the server is doing, and why a timeline looks the way it does.</p>
<noscript><p>This page needs JavaScript. <code>slipstream stats</code> and <code>slipstream doctor</code> work without.</p></noscript>
<form id="login-form" class="ask" autocomplete="off">
<label for="token">Operator token</label>
<div class="row"><input id="token" name="token" type="password" required spellcheck="false" autocomplete="current-password"><button type="submit">Log in</button></div>
<p class="aside">It is the value of SLIPSTREAM_OPERATOR_TOKEN. This tab forgets it when you close it.</p>
<p class="problem" role="alert"></p>
</form>
</section>
<div id="explore" hidden>
<section class="hero compact"><h1>Explore</h1><button type="button" class="quiet" id="logout">Log out</button></section>
<div class="choice" role="tablist" aria-label="Sections" id="tabs">
<button type="button" role="tab" id="overview-tab" aria-controls="overview-panel" aria-selected="true">Server</button>
<button type="button" role="tab" id="timeline-tab" aria-controls="timeline-panel" aria-selected="false" tabindex="-1">Timeline</button>
<button type="button" role="tab" id="post-tab" aria-controls="post-panel" aria-selected="false" tabindex="-1">Missing post</button>
<button type="button" role="tab" id="proof-tab" aria-controls="proof-panel" aria-selected="false" tabindex="-1">Social proof</button>
<button type="button" role="tab" id="members-tab" aria-controls="members-panel" aria-selected="false" tabindex="-1">Members</button>
<button type="button" role="tab" id="videos-tab" aria-controls="videos-panel" aria-selected="false" tabindex="-1">Videos</button>
<button type="button" role="tab" id="moderation-tab" aria-controls="moderation-panel" aria-selected="false" tabindex="-1">Moderation</button>
<button type="button" role="tab" id="slow-tab" aria-controls="slow-panel" aria-selected="false" tabindex="-1">Slow answers</button>
</div>
<datalist id="readers"></datalist>
${serverPanel()}
<section role="tabpanel" id="timeline-panel" aria-labelledby="timeline-tab" hidden>
<h2 id="timeline-title">A member’s timeline</h2>
<form id="timeline-form" class="ask" data-again>
<label for="timeline-actor">Handle or DID</label>
<div class="row"><input id="timeline-actor" list="readers" autocomplete="off" name="actor" required spellcheck="false" autocapitalize="none" placeholder="alice.example.org"><button type="submit">Show</button></div>
<p class="problem" role="alert"></p>
</form>
<div id="account" aria-live="polite"></div>
<div id="draws"></div>
<div class="choice" role="group" aria-label="Which items" id="item-choice" hidden>
<button type="button" data-show="all" aria-pressed="true">All</button>
<button type="button" data-show="served" aria-pressed="false">Served</button>
<button type="button" data-show="left-out" aria-pressed="false">Left out</button>
</div>
<ol id="timeline" class="timeline"></ol>
<button type="button" id="more" hidden>Older</button>
</section>
<section role="tabpanel" id="post-panel" aria-labelledby="post-tab" hidden>
<h2 id="post-title">Why is a post missing?</h2>
<form id="post-form" class="ask" data-again>
<label for="post-actor">Reader</label>
<div class="row"><input id="post-actor" list="readers" autocomplete="off" name="actor" required spellcheck="false" autocapitalize="none" placeholder="alice.example.org"></div>
<label for="post-uri">The post’s address, or its at-URI</label>
<div class="row"><input id="post-uri" name="uri" required spellcheck="false" autocapitalize="none" placeholder="https://bsky.app/profile/…/post/…"><button type="submit">Find out</button></div>
<p class="problem" role="alert"></p>
</form>
<div id="post" aria-live="polite"></div>
</section>
<section role="tabpanel" id="proof-panel" aria-labelledby="proof-tab" hidden>
<h2 id="proof-title">Social proof</h2>
<form id="proof-form" class="ask" data-again>
<label for="proof-viewer">Viewer</label>
<div class="row"><input id="proof-viewer" list="readers" autocomplete="off" name="viewer" required spellcheck="false" autocapitalize="none" placeholder="alice.example.org"></div>
<label for="proof-subject">Subject</label>
<div class="row"><input id="proof-subject" name="subject" required spellcheck="false" autocapitalize="none" placeholder="bob.example.org"><button type="submit">Show</button></div>
<p class="problem" role="alert"></p>
</form>
<div id="proof" aria-live="polite"></div>
</section>
${membershipPanel()}
${videos()}
${moderation()}
${slowAnswers()}
</div>`
}

function slowAnswers(): Html {
  return html`<section role="tabpanel" id="slow-panel" aria-labelledby="slow-tab" hidden>
<h2>The slowest answers of the last hour</h2>
<p class="aside">Up to a hundred, from one serving thread, in milliseconds. “Late” is how long the request waited before the busy thread read it; the total leaves it out. Each bar is divided as the total is, from “Token” to “Write”.</p>
<div class="row"><button type="button" id="slow-again">Refresh</button></div>
<div id="slow"></div>
</section>`
}

function videos(): Html {
  return html`<section role="tabpanel" id="videos-panel" aria-labelledby="videos-tab" hidden>
<h2>Time spent watching videos</h2>
<p class="aside">All viewers together, by day (UTC). Authors can ask for their own videos; who watched is never shown.</p>
<div id="videos"></div>
</section>`
}

function moderation(): Html {
  return html`<section role="tabpanel" id="moderation-panel" aria-labelledby="moderation-tab" hidden>
<h2>Hide and ban</h2>
<form id="moderation-form" class="ask">
<label for="moderation-subject">Handle, DID, at-URI, or the address of a post</label>
<div class="row"><input id="moderation-subject" name="subject" required spellcheck="false" autocapitalize="none" placeholder="https://bsky.app/profile/…/post/…"></div>
<label for="moderation-reason">Reason, for the log</label>
<div class="row"><input id="moderation-reason" name="reason" maxlength="1000"></div>
<div class="row"><button type="submit" value="hide">Hide from everyone here</button><button type="submit" value="ban" class="quiet">Ban the account</button></div>
<p class="problem" role="alert"></p>
</form>
<p id="moderation-done" role="status"></p>
<div id="moderation"></div>
</section>`
}
