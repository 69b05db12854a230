// The requests for each method over the seed. A registered method without a case fails the run. Everything
// else (wrong values, limits, pages, access) is derived from its lexicon.

import type { Params } from './ask.ts'
import { type Seed, WORD } from './seed.ts'

export type Case = {
  /** One request each; `{}` alone by default. For procedures these are inputs. */
  asks?: (seed: Seed) => Params[]
  /** Results may be empty; otherwise every request finds something for Vera. */
  mayBeEmpty?: boolean
  /** Visitors may get empty results, or are refused with this error. */
  visitors?: 'nothing' | string
  /** Well-formed, about nonexistent subjects: anything but a server failure. */
  unknown?: (seed: Seed) => Params[]
  /** Pages of different sizes hold different items, as in the reference. */
  uneven?: (params: Params) => boolean
  /** Items of equal rank are ordered differently in pages of another size. */
  unordered?: boolean
  /** The error that the method always answers with. */
  refusal?: string
}

const NOBODY = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const NOWHERE = `at://${NOBODY}/app.bsky.feed.post/3kzzzzzzzzz2z`
const nothingAt = (collection: string) => `at://${NOBODY}/${collection}/3kzzzzzzzzz2z`

const aboutAnn: Case = {
  asks: ({ ann }) => [{ actor: ann.did }, { actor: ann.handle }],
  unknown: () => [{ actor: NOBODY }, { actor: 'nobody.test' }],
}
const aboutRoot: Case = {
  asks: ({ root }) => [{ uri: root.uri }],
  unknown: () => [{ uri: NOWHERE }, { uri: nothingAt('app.bsky.feed.like') }],
}
const thread: Case = {
  asks: ({ root }) => [{ anchor: root.uri }],
  unknown: () => [{ anchor: NOWHERE }],
}
const own: Case = {}
const search: Case = {
  asks: () => [{ q: WORD }],
  unknown: () => [{ q: 'zzzyzx' }, { q: '"' }, { q: '* OR NEAR(' }],
}
const suggested: Case = { mayBeEmpty: true }
const actor = 'app.bsky.actor.'
const bookmark = 'app.bsky.bookmark.'
const draft = 'app.bsky.draft.'
const feed = 'app.bsky.feed.'
const graph = 'app.bsky.graph.'
const notification = 'app.bsky.notification.'
const unspecced = 'app.bsky.unspecced.'

const WITH_REPLIES = { sort: 'oldest', below: 6, branchingFactor: 10 }
const PUSH = { serviceDid: 'did:web:push.test', token: 'x', platform: 'ios', appId: 'app' }

export const queries: Record<string, Case> = {
  [`${actor}getPreferences`]: { mayBeEmpty: true },
  [`${actor}getProfile`]: aboutAnn,
  [`${actor}getProfiles`]: {
    asks: ({ ann, bo, gil, fay }) => [{ actors: [ann.did, bo.handle, gil.did, fay.did] }],
    unknown: () => [{ actors: [NOBODY, 'nobody.test'] }],
  },
  [`${actor}getSuggestions`]: suggested,
  [`${actor}searchActors`]: { ...search, unordered: true },
  [`${actor}searchActorsTypeahead`]: search,
  'app.bsky.ageassurance.getConfig': { mayBeEmpty: true },
  'app.bsky.ageassurance.getState': { asks: () => [{ countryCode: 'GB' }] },
  [`${bookmark}getBookmarks`]: own,
  [`${draft}getDrafts`]: own,
  [`${feed}getActorFeeds`]: aboutAnn,
  [`${feed}getActorLikes`]: {
    asks: ({ vera }) => [{ actor: vera.did }],
    unknown: () => [{ actor: NOBODY }],
    visitors: 'InvalidRequest',
  },
  [`${feed}getAuthorFeed`]: {
    asks: ({ ann, vera }) => [
      { actor: ann.did },
      { actor: ann.handle, filter: 'posts_no_replies' },
      { actor: ann.did, filter: 'posts_with_media' },
      { actor: ann.did, filter: 'posts_and_author_threads' },
      { actor: vera.did, includePins: true },
    ],
    unknown: () => [{ actor: NOBODY }],
    // Whether an author continues their own thread is decided from the page alone.
    uneven: ({ filter }) => filter === 'posts_and_author_threads',
  },
  [`${feed}getFeed`]: {
    asks: ({ feeds }) => [{ feed: feeds[0]!.uri }],
    unknown: () => [{ feed: nothingAt('app.bsky.feed.generator') }],
    // The generator returns one page for any request.
    uneven: () => true,
  },
  [`${feed}getFeedGenerator`]: {
    asks: ({ feeds }) => [{ feed: feeds[0]!.uri }],
    unknown: () => [{ feed: nothingAt('app.bsky.feed.generator') }],
  },
  [`${feed}getFeedGenerators`]: {
    asks: ({ feeds }) => [{ feeds: feeds.map(({ uri }) => uri) }],
    unknown: () => [{ feeds: [nothingAt('app.bsky.feed.generator'), NOWHERE] }],
  },
  [`${feed}getLikes`]: aboutRoot,
  [`${feed}getListFeed`]: {
    asks: ({ listA }) => [{ list: listA.uri }],
    unknown: () => [{ list: nothingAt('app.bsky.graph.list') }],
  },
  [`${feed}getPostThread`]: { ...aboutRoot, unknown: () => [{ uri: NOWHERE }] },
  [`${feed}getPosts`]: {
    asks: ({ root, quoted, labelled }) => [
      { uris: [root, quoted, labelled].map(({ uri }) => uri) },
    ],
    unknown: () => [{ uris: [NOWHERE] }],
  },
  [`${feed}getQuotes`]: { ...aboutRoot, asks: ({ quoted }) => [{ uri: quoted.uri }] },
  [`${feed}getRepostedBy`]: aboutRoot,
  [`${feed}getSuggestedFeeds`]: own,
  [`${feed}getTimeline`]: { uneven: () => true, asks: () => [{}, { algorithm: 'none of ours' }] },
  [`${feed}searchPosts`]: {
    ...search,
    asks: ({ ann }) => [
      { q: WORD },
      { q: `#${WORD}`, sort: 'top' },
      { q: `from:${ann.handle} ${WORD}` },
      { q: WORD, author: ann.did, lang: 'en' },
    ],
  },
  [`${feed}searchPostsV2`]: {
    asks: ({ ann }) => [{ query: WORD }, { query: WORD, sort: 'recent', authors: [ann.did] }],
    unknown: () => [{ query: 'zzzyzx' }, { query: '"' }],
  },
  [`${graph}getActorStarterPacks`]: aboutAnn,
  [`${graph}getBlocks`]: own,
  [`${graph}getFollowers`]: aboutAnn,
  [`${graph}getFollows`]: aboutAnn,
  [`${graph}getKnownFollowers`]: aboutAnn,
  [`${graph}getList`]: {
    asks: ({ listA }) => [{ list: listA.uri }],
    unknown: () => [{ list: nothingAt('app.bsky.graph.list') }],
  },
  [`${graph}getListBlocks`]: own,
  [`${graph}getListMutes`]: own,
  [`${graph}getLists`]: aboutAnn,
  [`${graph}getListsWithMembership`]: {
    asks: ({ bo }) => [{ actor: bo.did }],
    unknown: () => [{ actor: NOBODY }],
  },
  [`${graph}getMutes`]: own,
  [`${graph}getRelationships`]: {
    asks: ({ vera, ann, eve }) => [{ actor: vera.did, others: [ann.did, eve.did, NOBODY] }],
    unknown: () => [{ actor: NOBODY }],
  },
  [`${graph}getStarterPack`]: {
    asks: ({ packs }) => [{ starterPack: packs[0]!.uri }],
    unknown: () => [{ starterPack: nothingAt('app.bsky.graph.starterpack') }],
  },
  [`${graph}getStarterPacks`]: {
    asks: ({ packs }) => [{ uris: packs.map(({ uri }) => uri) }],
    unknown: () => [{ uris: [NOWHERE] }],
  },
  [`${graph}getStarterPacksWithMembership`]: {
    asks: ({ bo }) => [{ actor: bo.did }],
    unknown: () => [{ actor: NOBODY }],
  },
  [`${graph}getSuggestedFollowsByActor`]: { ...aboutAnn, mayBeEmpty: true },
  [`${graph}searchStarterPacks`]: search,
  [`${graph}searchStarterPacksV2`]: search,
  'app.bsky.embed.getEmbedExternalView': {
    asks: () => [{ url: 'https://blog.example.org/a', uris: [NOWHERE] }],
    mayBeEmpty: true,
  },
  'app.bsky.labeler.getServices': {
    asks: ({ gil }) => [{ dids: [gil.did] }, { dids: [gil.did], detailed: true }],
    unknown: () => [{ dids: [NOBODY] }],
  },
  [`${notification}getPreferences`]: own,
  [`${notification}getUnreadCount`]: own,
  [`${notification}listActivitySubscriptions`]: own,
  [`${notification}listNotifications`]: {
    asks: () => [{}, { reasons: ['reply'] }, { priority: false }],
  },
  [`${unspecced}getAgeAssuranceState`]: own,
  [`${unspecced}getConfig`]: { mayBeEmpty: true },
  [`${unspecced}getOnboardingSuggestedStarterPacks`]: own,
  [`${unspecced}getPopularFeedGenerators`]: { asks: () => [{}, { query: WORD }] },
  [`${unspecced}getPostThreadOtherV2`]: { ...thread, mayBeEmpty: true },
  [`${unspecced}getPostThreadV2`]: {
    asks: ({ root, labelled, veras }) => [
      { anchor: root.uri, ...WITH_REPLIES },
      { anchor: root.uri, sort: 'top', below: 0, above: false },
      { anchor: labelled.uri },
      { anchor: veras[0]!.uri, sort: 'newest' },
    ],
    unknown: () => [{ anchor: NOWHERE }],
  },
  [`${unspecced}getSuggestedFeeds`]: own,
  [`${unspecced}getSuggestedOnboardingUsers`]: suggested,
  [`${unspecced}getSuggestedStarterPacks`]: own,
  [`${unspecced}getSuggestedUsers`]: suggested,
  [`${unspecced}getSuggestedUsersForDiscover`]: suggested,
  [`${unspecced}getSuggestedUsersForExplore`]: suggested,
  [`${unspecced}getSuggestedUsersForSeeMore`]: suggested,
  [`${unspecced}getTaggedSuggestions`]: own,
  [`${unspecced}getTrendingTopics`]: { mayBeEmpty: true },
  [`${unspecced}getTrends`]: { mayBeEmpty: true },
  'com.atproto.identity.resolveHandle': {
    asks: ({ ann }) => [{ handle: ann.handle }],
    unknown: () => [{ handle: 'nobody.test' }],
  },
  'com.atproto.label.queryLabels': {
    asks: ({ labeler, labelled }) => [{ uriPatterns: [labelled.uri], sources: [labeler.did] }],
    unknown: ({ labeler }) => [{ uriPatterns: [NOWHERE], sources: [labeler.did] }],
  },
  'com.atproto.repo.getRecord': {
    asks: ({ ann }) => [
      { repo: ann.did, collection: 'app.bsky.actor.profile', rkey: 'self' },
      { repo: ann.handle, collection: 'app.bsky.feed.generator', rkey: 'one' },
    ],
    unknown: () => [{ repo: NOBODY, collection: 'app.bsky.feed.post', rkey: '3kzzzzzzzzz2z' }],
  },
  'io.slipstream.feed.getPosition': { asks: () => [{ timeline: 'following' }], mayBeEmpty: true },
  'io.slipstream.feed.getTimelineState': { asks: () => [{}], mayBeEmpty: true },
  'io.slipstream.feed.getTimelineGaps': {
    asks: () => [{}, { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }],
    mayBeEmpty: true,
  },
  // Without SLIPSTREAM_PUSH_SERVICES, like the registrations below.
  'io.slipstream.notification.getPushKey': {
    asks: () => [{}],
    refusal: 'MethodNotImplemented',
    visitors: 'MethodNotImplemented',
  },
  'io.slipstream.notification.getQuietHours': { asks: () => [{}], mayBeEmpty: true },
  'io.slipstream.video.getStats': { asks: () => [{}], mayBeEmpty: true },
  'io.slipstream.feed.getKnownLikers': {
    asks: ({ root, quoted }) => [{ uris: [root.uri, quoted.uri] }],
  },
  'io.slipstream.feed.getPostReasons': {
    asks: ({ root, quoted }) => [{ uri: root.uri }, { uri: quoted.uri }],
  },
  'io.slipstream.graph.getSocialProof': {
    asks: ({ ann, bo }) => [{ subjects: [ann.did, bo.did] }],
    unknown: () => [{ subjects: [NOBODY] }],
  },
}

/** In this order, because some undo others. */
export const procedures: Record<string, Case> = {
  [`${actor}putPreferences`]: {
    asks: () => [
      { preferences: [{ $type: 'app.bsky.actor.defs#adultContentPref', enabled: false }] },
    ],
  },
  [`${bookmark}deleteBookmark`]: {
    asks: ({ root }) => [{ uri: root.uri }],
    unknown: () => [{ uri: NOWHERE }],
  },
  [`${bookmark}createBookmark`]: {
    asks: ({ root }) => [{ uri: root.uri, cid: root.cid }],
    unknown: ({ root }) => [{ uri: NOWHERE, cid: root.cid }],
  },
  [`${draft}createDraft`]: { asks: () => [{ draft: { posts: [{ text: 'once more' }] } }] },
  [`${draft}updateDraft`]: {
    asks: () => [{ draft: { id: '3kzzzzzzzzz2z', draft: { posts: [{ text: 'none' }] } } }],
  },
  [`${draft}deleteDraft`]: { asks: () => [{ id: '3kzzzzzzzzz2z' }] },
  [`${feed}sendInteractions`]: {
    asks: ({ root, feeds }) => [
      { interactions: [{ item: root.uri, event: `${feed}defs#interactionSeen` }] },
      { feed: feeds[0]!.uri, interactions: [] },
    ],
  },
  [`${graph}unmuteActor`]: {
    asks: ({ cat }) => [{ actor: cat.did }],
    unknown: () => [{ actor: NOBODY }],
  },
  [`${graph}muteActor`]: {
    asks: ({ cat }) => [{ actor: cat.handle }, { actor: cat.did }],
    unknown: () => [{ actor: NOBODY }, { actor: 'nobody.test' }],
  },
  [`${graph}unmuteActorList`]: {
    asks: ({ modlistB }) => [{ list: modlistB.uri }],
    unknown: () => [{ list: nothingAt('app.bsky.graph.list') }],
  },
  [`${graph}muteActorList`]: {
    asks: ({ modlistB }) => [{ list: modlistB.uri }],
    unknown: () => [{ list: nothingAt('app.bsky.graph.list') }],
  },
  [`${graph}muteThread`]: { asks: ({ root }) => [{ root: root.uri }] },
  [`${graph}unmuteThread`]: { asks: ({ root }) => [{ root: root.uri }] },
  [`${notification}putActivitySubscription`]: {
    asks: ({ bo }) => [{ subject: bo.did, activitySubscription: { post: true, reply: false } }],
    unknown: () => [{ subject: NOBODY, activitySubscription: { post: true, reply: true } }],
  },
  [`${notification}putPreferences`]: { asks: () => [{ priority: false }] },
  [`${notification}putPreferencesV2`]: {
    asks: () => [{ like: { include: 'all', list: true, push: true } }, {}],
  },
  [`${notification}registerPush`]: { asks: () => [PUSH], refusal: 'MethodNotImplemented' },
  [`${notification}unregisterPush`]: { asks: () => [PUSH], refusal: 'MethodNotImplemented' },
  [`${notification}updateSeen`]: { asks: () => [{ seenAt: '2020-01-01T00:00:00.000Z' }] },
  'io.slipstream.feed.putPosition': {
    asks: () => [{ timeline: 'following', position: `1700000000000__bafyrei${'a'.repeat(52)}` }],
  },
  'io.slipstream.notification.putQuietHours': {
    asks: () => [{ from: '22:30', until: '07:00', timeZone: 'Europe/Berlin' }, {}],
  },
  // The server is open, so codes admit no one.
  'io.slipstream.server.redeemInvite': {
    asks: () => [{ code: 'no such code' }],
    refusal: 'NotByInvite',
  },
}
