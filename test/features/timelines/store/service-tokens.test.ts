// Tokens as a serving thread finds and caches them, on its own connection next to the writer's.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReader, openWriter } from '../../../../src/data/store/db.ts'
import {
  insertServiceToken,
  newServiceToken,
  prepareFindServiceToken,
  revokeServiceToken,
  tokenDigest,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'

function open() {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-tokens-'))
  const db = openWriter(dataDir)
  const find = prepareFindServiceToken(openReader(dataDir))
  const add = (name: string, expiresAt: number | null = null) => {
    const token = newServiceToken()
    const request = { name, digest: tokenDigest(token), scopes: ['read:*'], rate: 0, expiresAt }
    insertServiceToken(db, request, 1)
    return token
  }
  return { db, find, add }
}

test('a cached token is refused from the commit that revokes it', async () => {
  const { db, find, add } = open()
  const [stored, revoked] = [add('kept'), add('revoked')]
  for (let i = 0; i < 3; i++) {
    expect([find(stored, 5)?.name, find(revoked, 5)?.name]).toEqual(['kept', 'revoked'])
  }
  revokeServiceToken(db, 'revoked', 6)
  // A commit is not announced before the next turn of the event loop.
  await nextTurn()
  expect([find(stored, 6)?.name, find(revoked, 6)]).toEqual(['kept', undefined])
})

test('a cached token expires on time, and a previously unknown one is found once added', () => {
  const { find, add } = open()
  const token = add('short', 10)
  expect([find(token, 9)?.name, find(token, 10), find(token, 11)]).toEqual([
    ...['short', undefined, undefined],
  ])
  const unknown = newServiceToken()
  expect(find(unknown, 5)).toBeUndefined()
  expect(find(add('new'), 5)?.name).toBe('new')
})
