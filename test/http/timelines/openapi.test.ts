// The OpenAPI document, looked over by a linter that is not ours.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openapiDocument } from '../../../scripts/openapi-document.ts'

const FILE = join(import.meta.dirname, '../../../src/http/timelines/openapi.json')

test('the file is the document; npm run docs writes it', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(openapiDocument())
})

test('Redocly’s recommended rules find nothing wrong with it', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: openapiDocument(), absoluteRef: FILE, config })
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([])
})

test('the linter would find something', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = openapiDocument().replace(
    '#/components/schemas/Page',
    '#/components/schemas/Nothing',
  )
  const problems = await lintFromString({ source, absoluteRef: FILE, config })
  expect(problems.map(({ ruleId }) => ruleId)).toContain('no-unresolved-refs')
})
