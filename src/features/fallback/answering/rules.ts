// When a public AppView is asked, method by method (docs/METHODS.md quotes the sentences in here): for what our own
// index does not hold completely (http/xrpc/strangers/holdings.ts).

/** The parameters by which a method decides whether the index holds the answer. */
export type MissingData =
  | { about: 'account' | 'post' | 'record'; param: string }
  /**
   * Several items by key: those missing from the answer. `field` holds the views; `key` says what
   * identifies them.
   */
  | { about: 'keys'; param: string; field: string; key: 'uri' | 'creator' }
  | { about: 'profile' | 'profiles' | 'search' | 'feed' | 'handle' }

type Rule = { missingData: MissingData; when: string }

const STRANGER = 'where the account is neither a member nor followed by one'
const STRANGERS_POST =
  'where the post is not here, or its author is neither a member nor followed by one'
const STRANGERS_RECORD = 'where its creator is neither a member nor followed by one'

const EARLIER = 'after ours, those from before counting began'

const ofAccount = (when: string): Rule => ({
  missingData: { about: 'account', param: 'actor' },
  when,
})
const ofPost = (param: string): Rule => ({
  missingData: { about: 'post', param },
  when: STRANGERS_POST,
})
const ofThread = (param: string): Rule => ({
  ...ofPost(param),
  when: `${STRANGERS_POST}, or it has replies from before counting began`,
})
const ofRecord = (param: string): Rule => ({
  missingData: { about: 'record', param },
  when: STRANGERS_RECORD,
})
const byKeys = (param: string, field: string, key: 'uri' | 'creator' = 'uri'): Rule => ({
  missingData: { about: 'keys', param, field, key },
  when: 'for those missing here',
})
const search: Rule = { missingData: { about: 'search' }, when: 'after our own results' }

/** By method; other methods are never answered from elsewhere. */
export const rules: Readonly<Record<string, Rule>> = {
  'app.bsky.actor.getProfile': {
    missingData: { about: 'profile' },
    when: `counts ${STRANGER}, and from before counting began; the profile if its PDS did not send it in time`,
  },
  'app.bsky.actor.getProfiles': {
    missingData: { about: 'profiles' },
    when: `counts ${STRANGER}, and from before counting began; profiles missing here`,
  },
  'app.bsky.actor.searchActors': search,
  'app.bsky.actor.searchActorsTypeahead': search,
  'app.bsky.feed.getActorFeeds': ofAccount(STRANGER),
  'app.bsky.feed.getAuthorFeed': ofAccount(STRANGER),
  'app.bsky.feed.getFeed': {
    missingData: { about: 'feed' },
    when: 'for posts of the feed that their PDS did not send in time',
  },
  'app.bsky.feed.getFeedGenerator': ofRecord('feed'),
  'app.bsky.feed.getFeedGenerators': byKeys('feeds', 'feeds'),
  'app.bsky.feed.getLikes': { ...ofPost('uri'), when: `${STRANGERS_POST}; ${EARLIER}` },
  'app.bsky.feed.getListFeed': {
    ...ofRecord('list'),
    when: `${STRANGERS_RECORD}, or an account on the list is neither`,
  },
  'app.bsky.feed.getPosts': byKeys('uris', 'posts'),
  'app.bsky.feed.getPostThread': ofThread('uri'),
  'app.bsky.feed.getQuotes': { ...ofPost('uri'), when: `${STRANGERS_POST}; ${EARLIER}` },
  'app.bsky.feed.getRepostedBy': { ...ofPost('uri'), when: `${STRANGERS_POST}; ${EARLIER}` },
  'app.bsky.feed.searchPosts': search,
  'app.bsky.feed.searchPostsV2': search,
  'app.bsky.graph.getActorStarterPacks': ofAccount(STRANGER),
  'app.bsky.graph.getFollowers': ofAccount(`${STRANGER}; ${EARLIER}`),
  'app.bsky.graph.getFollows': ofAccount(STRANGER),
  'app.bsky.graph.getList': ofRecord('list'),
  'app.bsky.graph.getLists': ofAccount(STRANGER),
  'app.bsky.graph.getStarterPack': ofRecord('starterPack'),
  'app.bsky.graph.getStarterPacks': byKeys('uris', 'starterPacks'),
  'app.bsky.graph.searchStarterPacks': search,
  'app.bsky.graph.searchStarterPacksV2': search,
  'app.bsky.labeler.getServices': byKeys('dids', 'views', 'creator'),
  'app.bsky.unspecced.getPopularFeedGenerators': {
    ...search,
    when: 'when searching feeds by name, after our own results',
  },
  'app.bsky.unspecced.getPostThreadOtherV2': ofThread('anchor'),
  'app.bsky.unspecced.getPostThreadV2': ofThread('anchor'),
  'com.atproto.identity.resolveHandle': {
    missingData: { about: 'handle' },
    when: 'where the handle cannot be resolved; the account must name it too',
  },
}
