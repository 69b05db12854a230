#!/usr/bin/env bash
# @atproto/api 0.21.0 (RichText) and @atcute/bluesky-richtext-parser 2.1.2: where a hashtag ends.
#
# Guess: a hashtag is letters, digits and what both libraries agree on, so a post's tags don't depend on which of them
#   the client was written with.
# Seen: they agree on words, on full-width ＃ and on the full stop at the end. Within a tag, the first takes any
#   punctuation (half-life, don’t, a comma between Japanese words), the second ends there; #c++ is a tag or none, and
#   ##double is the tag “#double” or none. So the same sentence is found under different tags.
# Output: half-life half · don’t don · 日本語、次 日本語 · c++ none · #double none · 日本 日本 · walrus walrus
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/api@0.21.0 @atcute/bluesky-richtext-parser@2.1.2 >/dev/null
cat >run.mjs <<'JS'
import { tokenize } from '@atcute/bluesky-richtext-parser'
import { RichText } from '@atproto/api'

const texts = ['#half-life', '#don’t', '#日本語、次', '#c++', '##double', '＃日本', '#walrus.']

function byApi(text) {
  const rich = new RichText({ text })
  rich.detectFacetsWithoutResolution()
  return rich.facets?.[0]?.features[0].tag ?? 'none'
}

function byAtcute(text) {
  return tokenize(text).find(({ type }) => type === 'topic')?.name ?? 'none'
}

const seen = texts.map((text) => `${byApi(text)} ${byAtcute(text)}`).join(' · ')
console.log(seen)
const expected =
  'half-life half · don’t don · 日本語、次 日本語 · c++ none · #double none · 日本 日本 · walrus walrus'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
