// Tokens of the page /read: what they permit, until when, and which strings are not tokens.

import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { createReadingTokens } from '../../../src/sources/identity/reading-token.ts'

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const TIMELINE = 'app.bsky.feed.getTimeline'

const clock = { now: 1_800_000_000_000 }
const tokens = createReadingTokens('an operator’s token', () => clock.now)

test('it reads as its member until it expires', () => {
  const token = tokens.mint(DID, 2)
  expect(tokens.didOf(token, TIMELINE)).toBe(DID)
  clock.now += 2 * HOUR_MS - 1
  expect(tokens.didOf(token, TIMELINE)).toBe(DID)
  clock.now += 2
  expect(tokens.didOf(token, TIMELINE)).toBeUndefined()
})

test('it permits the page’s requests, but neither writes nor reads of private state', () => {
  const token = tokens.mint(DID, 1)
  const others = [
    'actor.getPreferences',
    'bookmark.getBookmarks',
    'graph.muteActor',
    'graph.getMutes',
  ]
  for (const value of [...others, 'notification.listNotifications', 'draft.getDrafts']) {
    expect(tokens.didOf(token, `app.bsky.${value}`)).toBeUndefined()
  }
})

test('no changed, truncated or differently signed token is valid', () => {
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
  for (const value of wrong) expect(tokens.didOf(value, TIMELINE)).toBeUndefined()
})
