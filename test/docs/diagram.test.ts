// The diagram of docs/ARCHITECTURE.md says what the imports say: nothing is drawn that isn't so, nothing
// that is so is missing (an arrow, or a way along arrows), and no arrow is there that others make needless.

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

/** `from to` for each pair of circles of which one imports the other. */
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

/** Whether arrows lead from the one to the other. */
function isReached(pair: string, arrows: readonly string[]): boolean {
  const [from = '', to = ''] = pair.split(' ')
  const seen = new Set([from])
  for (const one of seen) {
    for (const arrow of arrows) if (arrow.startsWith(`${one} `)) seen.add(arrow.split(' ')[1]!)
  }
  return seen.has(to)
}

test('every arrow is an import', () => {
  expect(drawn.length).toBeGreaterThan(6)
  expect(drawn.filter((arrow) => !imported.includes(arrow))).toEqual([])
})

test('every import is an arrow, or a way along arrows', () => {
  expect(imported.filter((pair) => !isReached(pair, drawn))).toEqual([])
})

test('no arrow follows from others', () => {
  const needless = drawn.filter((arrow) =>
    isReached(
      arrow,
      drawn.filter((one) => one !== arrow),
    ),
  )
  expect(needless).toEqual([])
})
