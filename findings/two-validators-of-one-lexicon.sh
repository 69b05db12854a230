#!/usr/bin/env bash
# @atproto/lexicon 0.7.18 (with @atproto/api 0.21.0) and @bsky/sdk 1.0.1 (with @atproto/lex-schema): two
# validators by one publisher disagree about the same record and the same lexicon.
#
# Guess: a record that one accepts, the other accepts; the newer only replaces the older.
# Seen: the older reads neither `accept` nor `maxSize` of a blob, takes a language tag in capitals and a CID
#   in base 58; the newer, strict unless told otherwise, refuses each. So what a PDS checked with the older
#   one is refused by an index that uses the newer.
# Output: plain true true · capitals true false · kind true false · size true false · base58 true false
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error \
  @atproto/api@0.21.0 @atproto/lexicon@0.7.18 @atproto/lex@0.3.6 @bsky/sdk@1.0.1 >/dev/null
cat >run.mjs <<'JS'
import { schemas } from '@atproto/api'
import { lexParse } from '@atproto/lex'
import { jsonToLex, Lexicons } from '@atproto/lexicon'
import { app } from '@bsky/sdk/lexicons'

const lexicons = new Lexicons(schemas)
const post = (more) => ({
  $type: 'app.bsky.feed.post',
  text: 'hello',
  createdAt: '2026-11-01T12:00:00.000Z',
  ...more,
})
const picture = (more) => {
  const $link = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const image = { $type: 'blob', ref: { $link }, mimeType: 'image/png', size: 9, ...more }
  return post({ embed: { $type: 'app.bsky.embed.images', images: [{ image, alt: '' }] } })
}
const quote = (cid) => {
  const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3kaaaaaaaaa2a'
  return post({ embed: { $type: 'app.bsky.embed.record', record: { uri, cid } } })
}
const records = {
  plain: picture({}),
  capitals: post({ langs: ['EN'] }),
  kind: picture({ mimeType: 'text/html' }),
  size: picture({ size: 50_000_000 }),
  base58: quote('zdpuAsSPMBj8dWMgsvm5HyfYxjd3EkhDMmQBLvfDyqTgMUqKS'),
}
const older = (record) => {
  try {
    lexicons.assertValidRecord(record.$type, jsonToLex(record))
    return true
  } catch {
    return false
  }
}
const newer = (record) => app.bsky.feed.post.main.matches(lexParse(JSON.stringify(record)))

const verdicts = Object.entries(records).map(([name, record]) => {
  return `${name} ${older(record)} ${newer(record)}`
})
console.log(verdicts.join(' · '))
const expected =
  'plain true true · capitals true false · kind true false · size true false · base58 true false'
process.exit(verdicts.join(' · ') === expected ? 0 : 1)
JS
node run.mjs
