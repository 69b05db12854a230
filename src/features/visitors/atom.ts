// Posts as a feed for feed readers (RFC 4287). What readers know an entry by, its id, has the author's DID, not the
// handle: it must stay the same for ever, or they show everything again (section 4.2.6).

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { inParts } from '../../base/util/turn.ts'
import { Html, html } from '../../http/server/html.ts'
import { shortened } from './pages.ts'
import { nameOf, postHtml, postPath, textOf } from './post-html.ts'
import type { Post } from './visitor-rules.ts'
import { sayIn } from './words.ts'

/** A feed reader has no language. */
const IN_ENGLISH = sayIn('en')

type Feed = {
  title: string
  origin: string
  /** A path that stays the same when the handle changes. */
  id: string
  /** Path of the page that shows the same. */
  path: string
  feed: string
  posts: readonly Post[]
}

export const ATOM_HEADERS = {
  'content-type': 'application/atom+xml; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
}

export function* atomFeed(about: Feed): Generator<void, string> {
  const { title, origin, id, path, feed, posts } = about
  const updated = posts[0]?.indexedAt ?? '1970-01-01T00:00:00.000Z'
  const entries = yield* inParts(posts, (some) => some.map((post) => entry(post, origin)))
  const text = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${origin}${id}</id>
<title>${withoutForbidden(title)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${origin}${feed}"/>
<link rel="alternate" type="text/html" href="${origin}${path}"/>
${entries}</feed>
`.text
  return text
}

function entry(post: Post, origin: string): Html {
  const { author, indexedAt } = post
  const address = `${origin}${postPath(post)}`
  const content = postHtml(post, IN_ENGLISH).text.replaceAll('href="/', `href="${origin}/`)
  const { text } = html`<entry>
<id>${origin}${permanentPath(post.uri)}</id>
<title>${shortened(textOf(post), 80) || 'A post'}</title>
<published>${indexedAt}</published>
<updated>${indexedAt}</updated>
<author><name>${nameOf(author)}</name></author>
<link rel="alternate" type="text/html" href="${address}"/>
<content type="html">${content}</content>
</entry>
`
  return new Html(withoutForbidden(text))
}

/** Leads to the same page as its path with the handle. */
function permanentPath(uri: string): string {
  const { did, rkey } = parseRecordUri(uri)!
  return `/profile/${did}/post/${rkey}`
}

/** Characters that no XML document may have, even escaped (XML 1.0, 2.2). */
function withoutForbidden(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&#(?:[0-8]|1[124-9]|2\d|3[01]);/g,
      '',
    )
}
