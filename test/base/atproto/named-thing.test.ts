// Accounts and records in every form in which people and programs name them.

import { expect, test } from 'vitest'
import { parseNamedThing } from '../../../src/base/atproto/named-thing.ts'

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const WEB = 'did:web:example.org%3A8080'
const KEY = '3kabcdefghi2a'
const record = (collection: string) => ({ collection: `app.bsky.${collection}`, rkey: KEY })
const post = record('feed.post')

const alice = { actor: 'alice.example.org' }

test.each([
  ['alice.example.org', alice],
  ['  @Alice.Example.ORG ', alice],
  ['\u202aalice.example.org\u202c', alice],
  ['at://alice.example.org', alice],
  ['at://@alice.example.org/', alice],
  ['AT://alice.example.org', alice],
  [DID, { actor: DID }],
  [WEB, { actor: WEB }],
  [`at://${DID}`, { actor: DID }],
  [`at://${DID}/app.bsky.feed.post/${KEY}`, { actor: DID, record: post }],
  [`at://${DID}/app.bsky.feed.post/${KEY}/`, { actor: DID, record: post }],
  [`at://${DID}/app.bsky.feed.post/${KEY}#/text`, { actor: DID, record: post }],
  [`at://alice.example.org/app.bsky.graph.list/${KEY}`, { ...alice, record: record('graph.list') }],
  [`${DID}/app.bsky.feed.post/${KEY}`, { actor: DID, record: post }],
  ['https://bsky.app/profile/alice.example.org', alice],
  ['https://bsky.app/profile/alice.example.org/', alice],
  ['http://bsky.app/profile/@Alice.example.org?ref=x#top', alice],
  ['bsky.app/profile/alice.example.org', alice],
  [`https://deer.social/profile/${DID}`, { actor: DID }],
  [`https://bsky.app/profile/${encodeURIComponent(DID)}`, { actor: DID }],
  [`https://bsky.app/profile/alice.example.org/post/${KEY}`, { ...alice, record: post }],
  [`https://bsky.app/profile/alice.example.org/post/${KEY}/liked-by`, { ...alice, record: post }],
  [`https://bsky.app/profile/${DID}/lists/${KEY}`, { actor: DID, record: record('graph.list') }],
  [`https://bsky.app/profile/${DID}/feed/${KEY}`, { actor: DID, record: record('feed.generator') }],
  [
    `https://bsky.app/starter-pack/alice.example.org/${KEY}`,
    { ...alice, record: record('graph.starterpack') },
  ],
  [`bsky.app/start/alice.example.org/${KEY}`, { ...alice, record: record('graph.starterpack') }],
  ['https://bsky.app/profile/alice.example.org/followers', { ...alice, isOtherPage: true }],
  ['https://bsky.app/profile/alice.example.org/constructor/x', { ...alice, isOtherPage: true }],
])('%s', (text, named) => {
  expect(parseNamedThing(text)).toEqual(named)
})

test.each([
  '',
  '@',
  'alice',
  'did:plc',
  'https://bsky.app',
  'https://bsky.app/profile/',
  'https://bsky.app/search?q=alice.example.org',
  'https://',
  'https://bsky.app/profile/%zz',
  `at://${DID}/app.bsky.feed.post`,
  `at://${DID}/app.bsky.feed.post/${KEY}/more`,
  'alice.example.org alice.example.org',
])('“%s” names nothing', (text) => {
  expect(parseNamedThing(text)).toBeUndefined()
})
