// The diagram of docs/ARCHITECTURE.md matches the imports: every arrow is real, every import has an arrow or
// a path along arrows, and no arrow is implied by others.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/documentation.ts'

const FREE = ['base']
const src = join(root, 'src')
const drawn = [
  ...readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8').matchAll(
    /^ *in_(\S+) --> in_(\S+)$/gm,
  ),
].map(([, from, to]) => `${from} ${to}`)

/** `from to` for each pair of circles where one imports the other. */
function importedCircles(): Set<string> {
  const circle = (path: string) => path.replace(/(\.ts$|\/.*)/, '')
  const pairs = new Set<string>()
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    for (const [, to] of readFileSync(join(src, file), 'utf8').matchAll(
      /'(\.\.?\/[^'\s]+\.(?:ts|json))'/g,
    )) {
      pairs.add(`${circle(file)} ${circle(normalize(join(dirname(file), to!)))}`)
    }
  }
  return pairs
}

const imported = [...importedCircles()].filter((pair) => {
  const [from = '', to = ''] = pair.split(' ')
  return from !== to && !FREE.includes(from) && !FREE.includes(to)
})

/** Whether a path of arrows connects the two. */
function isReached(pair: string, arrows: readonly string[]): boolean {
  const [from = '', to = ''] = pair.split(' ')
  const seen = new Set([from])
  for (const value of seen) {
    for (const arrow of arrows) if (arrow.startsWith(`${value} `)) seen.add(arrow.split(' ')[1]!)
  }
  return seen.has(to)
}

test('every arrow is an import', () => {
  expect(drawn.length).toBeGreaterThan(6)
  expect(drawn.filter((arrow) => !imported.includes(arrow))).toEqual([])
})

test('every import is an arrow, or a path along arrows', () => {
  expect(imported.filter((pair) => !isReached(pair, drawn))).toEqual([])
})

test('no arrow is implied by others', () => {
  const needless = drawn.filter((arrow) =>
    isReached(
      arrow,
      drawn.filter((value) => value !== arrow),
    ),
  )
  expect(needless).toEqual([])
})
