// The union of the packages that publish lexicons. package.json names them with exact versions (`lexiconPackages`); of a
// lexicon that several have, the first one's counts, so the one published last stands first.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Lexicon, lexiconsIn } from './package-lexicons.ts'
import type { Registry } from './registry.ts'

export type Packages = { [name: string]: string }

const ROOT = join(import.meta.dirname, '../..')

export function pinnedPackages(root = ROOT): Packages {
  const { lexiconPackages } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return lexiconPackages
}

/** @param folder - where packages are unpacked that are not installed in this version */
export function unionOf(packages: Packages, registry: Registry, folder: string): Lexicon[] {
  const union = new Map<string, Lexicon>()
  for (const [name, version] of Object.entries(packages)) {
    const at = installed(name, version) ?? registry.unpack(name, version, folder)
    for (const lexicon of lexiconsIn(at)) {
      if (!union.has(lexicon.id)) union.set(lexicon.id, lexicon)
    }
  }
  return [...union.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function installed(name: string, version: string): string | undefined {
  const folder = join(ROOT, 'node_modules', name)
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  return JSON.parse(readFileSync(manifest, 'utf8')).version === version ? folder : undefined
}
