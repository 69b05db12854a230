// The lexicons that requests are validated by: the official ones, as scripts/generate-lexicons.ts took them
// from the packages that package.json names, and our own from the folder `lexicons/`, which also holds official
// ones pinned at another version, and those of standard.site, which no package has.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LexiconDoc, Lexicons, parseLexiconDoc } from '@atproto/lexicon'

const officialFile = join(import.meta.dirname, './official-lexicons.json')
const ownFolder = join(import.meta.dirname, '../../../../lexicons')

let loaded: Lexicons | undefined

/**
 * Reads the lexicons once.
 * @throws if one of our files is not a lexicon
 */
export function loadLexicons(): Lexicons {
  loaded ??= readLexicons(ownFolder)
  return loaded
}

function readLexicons(folder: string): Lexicons {
  const official = JSON.parse(readFileSync(officialFile, 'utf8')) as LexiconDoc[]
  const own = readOwn(folder)
  const pinned = new Set(own.map(({ id }) => id))
  return new Lexicons([...official.filter(({ id }) => !pinned.has(id)), ...own])
}

function readOwn(folder: string): LexiconDoc[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => parseLexiconDoc(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
}
