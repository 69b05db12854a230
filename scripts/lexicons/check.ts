// Compares the newest published packages of lexicons with the lexicons here, and notes the gap in news.json and
// docs/METHODS.md. Reads packages as data; writes nothing else.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type News, newsRows } from './news.ts'
import type { Lexicon } from './package-lexicons.ts'
import type { Registry } from './registry.ts'
import { type Packages, unionOf } from './union.ts'

/**
 * @param parts - `ours`: the lexicons here; `packages`: the pinned ones, of which the names count
 * @throws Error if the registry can't be read or a package has no lexicons
 */
export function newsUpstream(parts: {
  registry: Registry
  packages: Packages
  ours: readonly Lexicon[]
  answerOf: (id: string) => string | undefined
}): News {
  const { registry, packages, ours, answerOf } = parts
  const names = Object.keys(packages)
  const versions = Object.fromEntries(names.map((name) => [name, registry.newest(name)]))
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-lexicons-'))
  try {
    const theirs = unionOf(versions, registry, folder)
    return { versions, rows: newsRows({ ours, theirs, answerOf }) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
