// The lexicons that requests are checked by: the official ones, as @atproto/api carries them, and our
// own from the folder `lexicons/`, which also holds the official ones that we pin in another version.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemas } from '@atproto/api'
import { type LexiconDoc, Lexicons, parseLexiconDoc } from '@atproto/lexicon'

const ownFolder = join(import.meta.dirname, '../../lexicons')

let loaded: Lexicons | undefined

/** Read once. @throws if a file of ours is no lexicon. */
export function loadLexicons(): Lexicons {
  loaded ??= readLexicons(ownFolder)
  return loaded
}

function readLexicons(folder: string): Lexicons {
  // Lexicons rewrites the documents it is given, and these belong to @atproto/api.
  const official = structuredClone(schemas) as LexiconDoc[]
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
