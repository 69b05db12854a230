// docs/OPERATING.md names each of the operator's routes.

import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROUTE = /\bapp\.(get|post|put|delete)\(\s*'(\/[^']*)'/g
const UPPER = /:([a-z]+)/g

const page = readFileSync('docs/OPERATING.md', 'utf8')
const table = page.split('## The operator')[1]!.split('\n## ')[0]!
const routes = globSync(['src/http/operator/*.ts', 'src/features/*/operator/*.ts']).flatMap(
  (file) =>
    [...readFileSync(file, 'utf8').matchAll(ROUTE)].map((found) => ({
      method: found[1]!.toUpperCase(),
      path: `/operator${found[2]!.replace(UPPER, (_, name: string) => name.toUpperCase())}`,
    })),
)

test('there are some', () => {
  expect(routes.length).toBeGreaterThan(15)
})

test.each(routes)('$method $path', ({ method, path }) => {
  const rows = table.split('\n').filter((line) => line.includes(method))
  expect(rows.join('\n')).toMatch(new RegExp(`[\` ]${path}[\`?]`))
})
