#!/usr/bin/env bash
# rss-parser 3.13.0, an Atom entry whose content and title are of the type xhtml (RFC 4287, sections 3.1.1.3 and 4.1.3.3).
#
# Guess: `content` has the paragraph as it is, and `contentSnippet` its words in their order; a title is text.
# Seen: all text of an element comes before its child elements, so a sentence with an emphasised word has another order
#   and another meaning; a title is an object, not text. feedsmith 3.0.1 keeps both. Content of the type html, escaped,
#   comes as it is.
# Output: rss-parser “Do  press red.not”, title object · feedsmith “Do not press red.”, title string
#   · html “Do not press red.”
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error rss-parser@3.13.0 feedsmith@3.0.1 >/dev/null
cat >run.mjs <<'JS'
import { parseFeed } from 'feedsmith'
import Parser from 'rss-parser'

const div = (words) => `<div xmlns="http://www.w3.org/1999/xhtml">${words}</div>`
const feed = (title, content) => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:example:feed</id><title>Signs</title>
<updated>2026-01-01T00:00:00Z</updated><author><name>Alice</name></author>
<entry><id>urn:example:1</id>${title}<updated>2026-01-01T00:00:00Z</updated>${content}</entry></feed>`
const xhtml = feed(
  `<title type="xhtml">${div('A sign')}</title>`,
  `<content type="xhtml">${div('<p>Do <b>not</b> press red.</p>')}</content>`,
)
const escaped = '&lt;p&gt;Do &lt;b&gt;not&lt;/b&gt; press red.&lt;/p&gt;'
const html = feed('<title>A sign</title>', `<content type="html">${escaped}</content>`)

const words = (markup) => markup.replace(/<[^>]*>/g, '')
const parse = async (text) => (await new Parser().parseString(text)).items[0]
const [first, last] = [await parse(xhtml), await parse(html)]
const other = parseFeed(xhtml).feed.entries[0]
const seen = [
  `rss-parser “${words(first.content)}”, title ${typeof first.title}`,
  `feedsmith “${words(other.content.value)}”, title ${typeof other.title.value}`,
  `html “${last.contentSnippet}”`,
].join(' · ')
console.log(seen)
const expected =
  'rss-parser “Do  press red.not”, title object · feedsmith “Do not press red.”, title string · html “Do not press red.”'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
