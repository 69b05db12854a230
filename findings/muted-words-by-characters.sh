#!/usr/bin/env bash
# @atproto/api 0.21.0, hasMutedWord: which texts a muted word is found in.
#
# Guess: what a reader takes for the same word is found: with a typographic apostrophe for a typed one, as telephones put
#   it by themselves, with an accent in one character or in two, and a Japanese word in a sentence without spaces.
# Seen: words are compared by their characters, after small letters. The apostrophe must be the same, an é of two
#   characters is another than an é of one, and a Japanese word of two characters is found only if the first language of
#   the post says Japanese; of one character, always. On the other hand, c finds c++, and ab finds a.b.
# Output: apostrophe false · accent false · 犬猫 with ja true, with en false, 猫 with en true · c in c++ true · ab in a.b true
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/api@0.21.0 >/dev/null
cat >run.mjs <<'JS'
import { hasMutedWord } from '@atproto/api'

function finds(value, text, language = 'en') {
  const word = { id: 'word', value, targets: ['content', 'tag'], actorTarget: 'all' }
  return hasMutedWord({ mutedWords: [word], text, facets: [], outlineTags: [], languages: [language] })
}

const dogAndCat = '黒い犬猫です'
const seen = [
  `apostrophe ${finds("cat's", 'the cat’s tail')}`,
  `accent ${finds('cafe\u0301', 'in the café')}`,
  `犬猫 with ja ${finds('犬猫', dogAndCat, 'ja')}, with en ${finds('犬猫', dogAndCat)}, 猫 with en ${finds('猫', dogAndCat)}`,
  `c in c++ ${finds('c', 'I like c++')}`,
  `ab in a.b ${finds('ab', 'from a.b to c')}`,
].join(' · ')
console.log(seen)
const expected =
  'apostrophe false · accent false · 犬猫 with ja true, with en false, 猫 with en true · c in c++ true · ab in a.b true'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
