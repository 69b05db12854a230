#!/usr/bin/env bash
# open-graph-scraper 6.12.0: the date of a page.
#
# Guess: a page that says when it was published, by article:published_time, has that as its date; a `<time>` somewhere in
#   its text is no metadata.
# Seen: ogDate is the first `<time>` of the text, whatever it is about, also beside article:published_time, which stands in a
#   field of its own. So the preview of an answer in a thread has the date of the post at the thread's top. Its
#   ogLocale is the page's `lang` where no og:locale is.
# Output: published 2026-01-02, date 2001-01-01, locale de · without a time: published 2026-01-02, date undefined, locale de
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error open-graph-scraper@6.12.0 >/dev/null
cat >run.mjs <<'JS'
import ogs from 'open-graph-scraper'

const page = (text) => `<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Walrosse</title>
<meta property="og:title" content="Walrosse"><meta property="og:type" content="article">
<meta property="article:published_time" content="2026-01-02"></head><body>${text}</body></html>`

async function read(text) {
  const { result } = await ogs({ html: page(text) })
  const { articlePublishedTime, ogDate, ogLocale } = result
  return `published ${articlePublishedTime}, date ${ogDate}, locale ${ogLocale}`
}

const seen = [
  await read('<p>Seit <time datetime="2001-01-01">Neujahr 2001</time> geschützt.</p>'),
  `without a time: ${await read('<p>Geschützt.</p>')}`,
].join(' · ')
console.log(seen)
const expected =
  'published 2026-01-02, date 2001-01-01, locale de · without a time: published 2026-01-02, date undefined, locale de'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
