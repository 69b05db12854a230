// A room is a folder one level below a circle (`data/store`, `http/xrpc`, `features/push`) with all below it. An arrow
// leads from a room to another that it imports.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

type Source = { path: string; lines: number; imports: string[] }

type Drawing = { files: number; lines: number; rooms: number; arrows: number; pairs: string[] }

export type House = {
  rooms: Drawing
  /** The same without src/features. */
  core: Drawing
  /** `from → to`, by file, for imports of a feature's parts from outside of src/features. */
  toFeatures: string[]
  /** Files directly in each folder, the most first. */
  folders: [folder: string, files: number][]
}

const GENERATED = /(^|\/)(generated|lexicons)\//
/** The list of features and their type are what the core may know. */
const FEATURE_PART = /^features\/[^/]+\//

/** @param tree - the root of a checkout */
export function measureHouse(tree: string): House {
  const sources = readSources(join(tree, 'src'))
  const isFeature = ({ path }: Source) => path.startsWith('features/')
  const core = sources.filter((source) => !isFeature(source))
  return {
    rooms: draw(sources),
    core: draw(core),
    toFeatures: core.flatMap(({ path, imports }) =>
      imports.filter((to) => FEATURE_PART.test(to)).map((to) => `${path} → ${to}`),
    ),
    folders: foldersOf(sources),
  }
}

function readSources(src: string): Source[] {
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('features/pages/assets/'))
    .filter((name) => !GENERATED.test(name) || name.endsWith('lexicons/lexicons.ts'))
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8')
      return { path, lines: text.split('\n').length - 1, imports: importsOf(src, path, text) }
    })
}

function importsOf(src: string, path: string, text: string): string[] {
  const specifiers = [
    ...text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g),
    ...text.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g),
  ].map(([, specifier = '']) => specifier)
  const from = dirname(join(src, path))
  return [...new Set(specifiers.map((specifier) => relative(src, resolve(from, specifier))))]
}

function draw(sources: readonly Source[]): Drawing {
  const rooms = new Set(
    sources.map(({ path }) => roomOf(path)).filter((room) => room !== undefined),
  )
  const arrows = new Set<string>()
  for (const { path, imports } of sources) {
    const from = roomOf(path)
    for (const to of imports.map(roomOf))
      if (from && to && to !== from && rooms.has(to)) arrows.add(`${from} → ${to}`)
  }
  const pairs = [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' → ')
    return from < to && arrows.has(`${to} → ${from}`)
  })
  const lines = sources.reduce((sum, value) => sum + value.lines, 0)
  return { files: sources.length, lines, rooms: rooms.size, arrows: arrows.size, pairs }
}

/** @returns undefined for a file that lies in a circle itself */
function roomOf(path: string): string | undefined {
  const [circle, room, ...rest] = path.split('/')
  return rest.length > 0 ? `${circle}/${room}` : undefined
}

function foldersOf(sources: readonly Source[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}
