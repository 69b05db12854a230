// The page on which a person comes in by an invite: one form, no script, nothing from elsewhere. Whatever
// a person typed is escaped where it is shown again.

import { Html, html } from '../page/html.ts'

export type InvitePage = {
  hostname: string
  /** What was typed before, to be mended. */
  handle?: string
  code?: string
  /** What is wrong with it. */
  problem?: string
  /** The account that is in now, as its owner typed it. */
  welcome?: string
}

export const INVITE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export const INVITE_STYLE = `:root { color-scheme: light dark; --text: #17212b; --back: #f7f9fb; --line: #5d6b78; --strong: #0b5cad; --bad: #a1161e }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --back: #10171e; --line: #8fa1b3; --strong: #6cb6ff; --bad: #ff9a9f } }
body { margin: 0; background: var(--back); color: var(--text); font: 17px/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem }
button { margin-top: 1.5rem; padding: .6rem 1.4rem; font: inherit; font-weight: 600; color: var(--back); background: var(--strong); border: 0; border-radius: .4rem }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
a { color: var(--strong) }
.problem { color: var(--bad); font-weight: 600 }
`

export function inviteDocument(page: InvitePage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Invitation to ${page.hostname}</title>
<link rel="stylesheet" href="/invite/style.css">
</head>
<body>
<main>
<h1>Invitation to ${page.hostname}</h1>
${page.welcome === undefined ? form(page) : welcome(page)}
</main>
</body>
</html>
`.text
}

function form({ handle = '', code = '', problem }: InvitePage): Html {
  return html`<p>This AppView is by invitation. Enter your handle and the code that you were given.</p>
${problem !== undefined && html`<p class="problem" role="alert" id="problem">${problem}</p>`}
<form method="post" action="/invite">
<label for="handle">Handle</label>
<input id="handle" name="handle" value="${handle}" placeholder="alice.example.org" maxlength="255" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="code">Invite code</label>
<input id="code" name="code" value="${code}" placeholder="xxxxx-xxxxx-xxxxx" maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<button>Come in</button>
</form>`
}

function welcome({ welcome: handle }: InvitePage): Html {
  return html`<p role="status"><strong>${handle}</strong> may read here now.</p>
<p>${new Html('<a href="/">Point your client here</a>')}, and sign in as you always do: your timeline fills while you watch.</p>`
}
