// Tokens of the page /read: what they are good for, until when, and what is no token.

import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { createReadingTokens } from '../../../src/http/server/reading-token.ts'

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const TIMELINE = 'app.bsky.feed.getTimeline'

const clock = { now: 1_800_000_000_000 }
const tokens = createReadingTokens('an operator’s token', () => clock.now)

test('it reads as its member until it is over', () => {
  const token = tokens.mint(DID, 2)
  expect(tokens.didOf(token, TIMELINE)).toBe(DID)
  clock.now += 2 * HOUR_MS - 1
  expect(tokens.didOf(token, TIMELINE)).toBe(DID)
  clock.now += 2
  expect(tokens.didOf(token, TIMELINE)).toBeUndefined()
})

test('it is good for what the page asks, and neither writes nor reads what is private', () => {
  const token = tokens.mint(DID, 1)
  const others = [
    'actor.getPreferences',
    'bookmark.getBookmarks',
    'graph.muteActor',
    'graph.getMutes',
  ]
  for (const one of [...others, 'notification.listNotifications', 'draft.getDrafts']) {
    expect(tokens.didOf(token, `app.bsky.${one}`)).toBeUndefined()
  }
})

test('nothing that was changed, cut or made with another token is one', () => {
  const token = tokens.mint(DID, 1)
  const [prefix, payload, mac] = token.split('.') as [string, string, string]
  const claims = { did: 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb', exp: 9_999_999_999 }
  const forged = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const wrong = [
    `${prefix}.${forged}.${mac}`,
    `${prefix}.${payload}.${mac.slice(0, -1)}`,
    `${prefix}.${payload}.`,
    `${prefix}.${payload}`,
    `${token}.`,
    createReadingTokens('another token').mint(DID, 1),
    `read.${'a'.repeat(5_000)}.${mac}`,
  ]
  for (const one of wrong) expect(tokens.didOf(one, TIMELINE)).toBeUndefined()
})
