// The OpenAPI document, checked by a third-party linter.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isValidDid } from '@atproto/syntax'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openapiDocument } from '../../../../scripts/docs/openapi-document.ts'
import { ACCOUNTS } from '../../../../scripts/docs/openapi-graph.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'

const FILE = join(import.meta.dirname, '../../../../src/features/timelines/http/openapi.json')

test('the file matches the generated document; npm run docs writes it', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(openapiDocument())
})

test('passes Redocly’s recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: openapiDocument(), absoluteRef: FILE, config })
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([])
})

test('network account names match the documented pattern', () => {
  const names = [
    'did:plc:x',
    'did:web:localhost%3A1',
    'did:',
    'did:plc:',
    'did:plc:x#y',
    'DID:PLC:X',
  ]
  const { pattern, maxLength } = ACCOUNTS.network
  for (const name of [
    ...names,
    'a',
    `did:plc:${'a'.repeat(2_040)}`,
    `did:plc:${'a'.repeat(2_041)}`,
  ]) {
    const isAllowed = new RegExp(pattern).test(name) && name.length <= maxLength
    expect([name, isAllowed]).toEqual([name, isValidDid(name)])
  }
})

test('timeline keys match the documented pattern', () => {
  const [parameter] = JSON.parse(openapiDocument()).paths['/v1/timelines/{timeline_key}/events']
    .parameters as [{ schema: { pattern: string } }]
  const list = 'list:at://did:plc:x/app.bsky.graph.list/3k'
  const merge = (count: number) => Array.from({ length: count }, (_, i) => `custom:a${i}`).join('+')
  const fit = [
    'following:did:web:localhost%3A1',
    'author:did:plc:x',
    list,
    `${list}+custom:a`,
    merge(16),
  ]
  const unfit = ['', 'custom:', 'custom:A', 'weather:x', 'author:alice', 'custom:a+', merge(17)]
  const isTaken = (key: string) => parseTimelineKey(key).length > 0
  for (const key of fit) expect([key, isTaken(key)]).toEqual([key, true])
  for (const key of unfit) expect(() => isTaken(key)).toThrow()
  const pattern = new RegExp(parameter.schema.pattern)
  expect([...fit, ...unfit].filter((key) => pattern.test(key))).toEqual(fit)
})

test('a post requires its payload, and a producer its sequence number', () => {
  const { Post, Event } = JSON.parse(openapiDocument()).components.schemas
  expect(Post.required).toContain('payload')
  expect(Event.required).toContain('payload')
  expect(Post.dependentRequired).toEqual({ producer_id: ['producer_seq'] })
})

test('the linter reports a broken reference', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = openapiDocument().replace(
    '#/components/schemas/Page',
    '#/components/schemas/Nothing',
  )
  const problems = await lintFromString({ source, absoluteRef: FILE, config })
  expect(problems.map(({ ruleId }) => ruleId)).toContain('no-unresolved-refs')
})
