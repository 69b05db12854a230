#!/usr/bin/env bash
# @atproto/api 0.21.0 (moderateProfile): labels that their labeler has withdrawn, or that have expired.
#
# Expected by https://atproto.com/specs/label, though not believed by whoever tried it: the library that decides for clients
#   what a label does looks at `neg` and `exp`, so a server may send all that it has, and a page that stays open shows
#   what a label hid once the label expires.
# Seen: it looks at neither. A withdrawn label and one that expired years ago hide an account as the plain one does, also
#   where the withdrawal stands beside the label. Only the server's leaving them out ends a label.
# Output: plain hidden · withdrawn hidden · expired hidden · both hidden · none shown
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 @atproto/api@0.21.0 >/dev/null
cat >run.mjs <<'JS'
import { moderateProfile } from '@atproto/api'

const src = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const did = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const plain = { src, uri: did, val: 'porn', cts: '2020-01-01T00:00:00.000Z' }
const withdrawn = { ...plain, neg: true, cts: '2020-01-02T00:00:00.000Z' }
const expired = { ...plain, exp: '2021-01-01T00:00:00.000Z' }
const prefs = { adultContentEnabled: false, labels: {}, labelers: [{ did: src, labels: {} }], mutedWords: [], hiddenPosts: [] }

function seen(labels) {
  const profile = { did, handle: 'alice.example.com', labels }
  const decision = moderateProfile(profile, { userDid: undefined, prefs, labelDefs: {} })
  return decision.ui('contentList').filter ? 'hidden' : 'shown'
}

const cases = { plain: [plain], withdrawn: [withdrawn], expired: [expired], both: [plain, withdrawn], none: [] }
const line = Object.entries(cases).map(([name, labels]) => `${name} ${seen(labels)}`).join(' · ')
console.log(line)
process.exit(line === 'plain hidden · withdrawn hidden · expired hidden · both hidden · none shown' ? 0 : 1)
JS
node_modules/.bin/node run.mjs
