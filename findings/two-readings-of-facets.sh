#!/usr/bin/env bash
# @atproto/api 0.21.0 (RichText.segments) and @atcute/bluesky-richtext-segmenter 3.0.2: the facets of one record.
#
# Guess: the lexicon gives facets no order, so both show the two tags of a post whichever is listed first; where two
#   overlap, both leave out the same one; and neither cuts a character in two.
# Seen: the first sorts, the second goes through the list and leaves out what lies before the last one, so a tag of the
#   post is plain text. Of two that overlap, the first leaves out the later one; the second makes a tag of its rest. A facet that
#   begins within a character cuts it for the first (two U+FFFD), and begins after it for the second.
# Output: api order one#| |two#, overlap grün#|er Tee, cut gr�|�n#
#   · atcute order one |two#, overlap grün#|er#| Tee, cut grü|n#
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error \
  @atproto/api@0.21.0 @atcute/bluesky-richtext-segmenter@3.0.2 >/dev/null
cat >run.mjs <<'JS'
import { segmentize } from '@atcute/bluesky-richtext-segmenter'
import { RichText } from '@atproto/api'

const facet = (byteStart, byteEnd) => {
  const features = [{ $type: 'app.bsky.richtext.facet#tag', tag: 'tag' }]
  return { index: { byteStart, byteEnd }, features }
}
const posts = {
  order: { text: 'one two', facets: [facet(4, 7), facet(0, 3)] },
  overlap: { text: 'grüner Tee', facets: [facet(0, 5), facet(3, 7)] },
  cut: { text: 'grün', facets: [facet(3, 5)] },
}
const readers = {
  api: (post) => [...new RichText(post).segments()].map(({ text, tag }) => (tag ? `${text}#` : text)),
  atcute: ({ text, facets }) => segmentize(text, facets).map(({ text, features }) => (features ? `${text}#` : text)),
}
const seen = Object.entries(readers).map(([name, read]) => {
  const parts = Object.entries(posts).map(([what, post]) => `${what} ${read(structuredClone(post)).join('|')}`)
  return `${name} ${parts.join(', ')}`
})
console.log(seen.join(' · '))
const expected = [
  'api order one#| |two#, overlap grün#|er Tee, cut gr\ufffd|\ufffdn#',
  'atcute order one |two#, overlap grün#|er#| Tee, cut grü|n#',
]
process.exit(seen.join() === expected.join() ? 0 : 1)
JS
node run.mjs
