// Instructions for pointing each kind of client at this server.

import type { Config } from '../../../base/config/config.ts'
import { isByInvite } from '../../../base/config/members.ts'
import { type Html, html } from '../../../http/server/html.ts'
import { qrCode } from './qr.ts'

export type Us = Pick<Config, 'serviceDid' | 'hostname' | 'publicOrigin' | 'members'>

type Way = { title: string; steps: Html }

export function connectSection(us: Us): Html {
  return html`<section class="connect" aria-labelledby="connect-title">
<div class="connect-words">
<h2 id="connect-title">Read through this server</h2>
<p>Your account, posts and follows stay on your own server, your PDS. Your client only reads through
this one: timelines, profiles, threads, notifications and search. Enter this DID in your client, and your
timeline starts to fill within a minute.</p>
${copyable(us.serviceDid, 'this server’s DID')}
${whoMayRead(us)}
</div>
<figure class="qr-card">${qrCode(us.publicOrigin, `QR code of ${us.publicOrigin}`)}
<figcaption>Scan it to open this page on your phone</figcaption></figure>
${waysToConnect(us)}
</section>`
}

/** Lists the setting to change in each kind of client. */
export function waysToConnect(us: Us): Html {
  return html`<div class="ways">${waysOf(us).map(({ title, steps }) => html`<details name="way"><summary>${title}</summary><div>${steps}</div></details>`)}</div>`
}

function whoMayRead({ members }: Us): Html | false {
  if (members === 'open') return false
  return isByInvite(members)
    ? html`<p class="aside">You need an invite to read here. <a href="/invite">Enter your invite code</a>.</p>`
    : html`<p class="aside">Only accounts chosen by the operator can read here.</p>`
}

function waysOf({ serviceDid, publicOrigin }: Us): Way[] {
  return [
    {
      title: 'Mu, Eurosky and other clients with an AppView switcher',
      steps: html`<p>In the settings, choose a custom AppView and enter this address:</p>${copyable(publicOrigin, 'the address')}`,
    },
    {
      title: 'Witchsky, Deer and other clients with a custom AppView DID',
      steps: html`<p>Enter the DID under “Custom AppView DID” in the settings, and restart the app:</p>${copyable(serviceDid, 'the DID')}`,
    },
    {
      title: 'All accounts on your own PDS',
      steps: html`<p>Set these on the PDS and restart it. They apply to every client that does not choose an AppView itself:</p>${copyable(`PDS_BSKY_APP_VIEW_URL=${publicOrigin}\nPDS_BSKY_APP_VIEW_DID=${serviceDid}`, 'the settings')}`,
    },
    {
      title: 'Your own build of the Bluesky app',
      steps: html`<p>Build it with this in its environment:</p>${copyable(`EXPO_PUBLIC_BLUESKY_PROXY_DID=${serviceDid}`, 'the setting')}<p>Bluesky’s own build has no such setting: it always reads through Bluesky.</p>`,
    },
    {
      title: 'Scripts and bots',
      steps: html`<p>Send this header with your requests to the PDS:</p>${copyable(`atproto-proxy: ${serviceDid}#bsky_appview`, 'the header')}`,
    },
  ]
}

function copyable(text: string, what: string): Html {
  return html`<div class="copyable"><code>${text}</code><button type="button" data-copy aria-label="Copy ${what}" hidden>Copy</button></div>`
}
