// Intended differences from the reference's answers, one line each, for docs/METHODS.md. A difference in a
// single method is in its note (`partly`, `elsewhere`) or in refused-methods.ts.

type Difference = { what: string; why: string }
/** Where the reference is wrong, or samples. */
type Correction = { about: string; there: string; here: string; seen: string }

export const namedDifferences: Difference[] = [
  {
    what: 'Moderation tags are set by this server’s operator ([MEMBERS.md](MEMBERS.md#moderation)); notifications that they hide are not counted as unread either. Tags that an experiment computes for each answer (`VISIBILITY_TAG_…`) are unknown.',
    why: 'There, Bluesky’s own services write them into its database; no record, event or label makes them public.',
  },
  {
    what: 'A moderation service (`SLIPSTREAM_MODERATION_SERVICES`) sees through blocks in threads, but not in lists, searches and feeds.',
    why: 'Reports lead to threads.',
  },
  {
    what: 'There is no age assurance, whatever is configured.',
    why: 'The reference has one provider built in, with its own secrets and prices, and regions hard-coded in its source. Clients ask Bluesky’s AppView for those, and treat a server without a provider as “unknown”.',
  },
  {
    what: 'Methods of `internal.bsky.*` except `actor.getProfiles`, `appview-as-did` and session tokens of Bluesky’s entryway (`at+jwt`) are not accepted.',
    why: 'They connect Bluesky’s services to one another. For social proof of many accounts, use `io.slipstream.graph.getSocialProof`.',
  },
  {
    what: '`/blob/{did}/{cid}` serves only pictures, and does not fetch a cached one again; pictures are not enlarged, and a CID that no blob can have is a 400 (there, a 404).',
    why: 'Our origin passes on no other strangers’ uploads unchanged; the account’s PDS has those bytes. Enlarging adds no detail, and a blob that cannot exist needs no request.',
  },
  {
    what: 'There are no sitemaps (`/external/sitemap/`), and `getConfig` names no account as live.',
    why: 'Sitemaps lead search engines to bsky.app. The live list is part of the configuration of Bluesky’s AppView; live statuses are shown anyway.',
  },
  {
    what: 'At-URIs with a handle are taken by every method, also in the input, and answered with the DID; there, by some methods, and `getLikes`, `getRepostedBy` and `getQuotes` echo the handle.',
    why: 'The at-uri format allows both. A handle may change its owner between the answer and its use.',
  },
  {
    what: 'What can’t be told now is a 503 with `Retry-After` (`NotKnownHere`, `NotHereYet`), not an empty list or “not found”: a handle whose servers or a DID whose directory do not answer, and where the index does not hold everything, a stranger’s page, a search of its posts, its lists, follows, followers, likes or the like that neither a PDS nor a public AppView could give. Methods by key show what they have, and name the rest in `notHereYet`.',
    why: 'An empty list would read like a fact, and clients keep it. There, everything is indexed.',
  },
  {
    what: '`/xrpc/_health` returns more than the version.',
    why: 'Operators see the stream’s progress there, without another tool.',
  },
  {
    what: 'Posts in feeds lack their position in their author’s thread (`opThreadPostIndex`); posts in `getPostThreadV2` have it.',
    why: 'The reference has had it since the summer of 2026, behind a gate. It costs look-ups for each item of each page.',
  },
  {
    what: 'The limits on an account’s drafts (500) and on a thread’s posts above its anchor (50) can’t be set.',
    why: 'They are the reference’s defaults; no operator has a reason to change them.',
  },
  {
    what: 'No answer has `debug` fields, and no feature gate changes an answer.',
    why: 'They are for Bluesky’s experiments; the explore view tells why an item is shown.',
  },
  {
    what: 'Only trusted verifiers’ verifications notify; there, any account’s do.',
    why: 'Only theirs count in profiles. A stranger’s would announce a verification that no profile shows.',
  },
  {
    what: 'Feed generators get the client’s language, all its `x-atproto-*` headers and a token addressed to them, but no token addressed to us.',
    why: 'A token for us would let the generator read here.',
  },
  {
    what: 'The old setting `priority` of notifications is stored, but `listNotifications` and pushes do not apply it; there, it hides what strangers do.',
    why: 'No client of today shows or clears it. A request may say `priority` itself.',
  },
  {
    what: 'A malformed cursor or number is a 400; there, some are a 500, and some count as 0.',
    why: 'A client error gets a client error’s status.',
  },
  {
    what: '`getKnownFollowers` has pages in a stable order, and profiles name the first; there, one unordered page.',
    why: 'Clients can reach later pages.',
  },
  {
    what: 'A service token is refused only after a check with a freshly fetched key; one that lasts longer than a day is refused.',
    why: 'A rotated key works at once.',
  },
  {
    what: 'A label on one version of a record (`cid`) and its withdrawal on another are about one label: the newest event holds. There, and in Ozone, each version has its own, so a label on an edited post stays in force until that version’s is withdrawn.',
    why: 'The label specification allows one set of metadata for a labeler, a subject and a value, and says that the newest is current.',
  },
  {
    what: 'Labels count by whoever signs them, also by a labeler without a repository (a `did:web` alone); there, a labeler must be an indexed account.',
    why: 'A client that names a labeler wants its labels, and the signature says whose they are.',
  },
  {
    what: 'Suggested accounts, feeds, starter packs and trends come from our own index; there, from other services, or they answer 501.',
    why: 'No self-hosted AppView has those services.',
  },
  {
    what: 'Who asks not to be recommended (`app.bsky.actor.contentVisibilityDeclaration`) is left out of suggestions, Discover and the accounts shown with trends, unless the viewer follows them. Searches, threads and lists show them, and their posts count for trends.',
    why: 'The official client promises this of Discover, and asks other apps for it. The published code of the reference does not read the record.',
  },
  {
    what: '`getTimeline` and `getListFeed` return a `startCursor` beside the cursor, and take `since`.',
    why: 'A client that asks again gets only new items.',
  },
  {
    what: 'For viewers that follow more than 100,000 accounts, deep pages of `getTimeline` say in `followsLeftOut` how many of them were left out; there, the page takes as long as it needs.',
    why: 'A page built from rows, older than the timeline in memory, costs a microsecond per account and blocks a thread for that long.',
  },
  {
    what: 'The last page of a list has no cursor (an empty one for drafts, as there); there, many have one, which leads to an empty page. Here, a page is empty after a cursor only if everything below is hidden from the viewer.',
    why: 'A client sees the end, and saves a request.',
  },
  {
    what: 'Viewers of a custom feed that have never sent us another request get a visitor’s view; there, the token issued for the feed generator identifies the viewer. Such a token is the viewer’s once; sent again, it gets a visitor’s view.',
    why: 'A token for another service makes no account a member here. Clients ask for profile and notifications first. The generator has the token too, and servers issue one for each request.',
  },
  {
    what: 'Notifications appear in the list at once; there, a delay can be configured. At most 5,000 are kept for each member.',
    why: 'No background job processes them.',
  },
]

const REFERENCE = '`@atproto/bsky` 0.0.280'

const corrections: Correction[] = [
  {
    about: 'Known likers',
    there:
      'Counted among a post’s latest 500 likes, on items of three feeds behind a gate and on a thread’s anchor; the latest three are named, and those in a block are then left out.',
    here: 'Counted over all likes (of a post with more than some 200,000, over the latest; so also at first for a page of several so long lists), without inactive accounts, on all feeds, and on each post of `getPosts`, `searchPosts`, `getQuotes` and `getBookmarks`; the latest three that are in no block and that the viewer does not mute are named. In feeds, only the root of an item has them, as there. Known reposters are shown nowhere: neither the lexicons of `@atproto/api` 0.21.0 and `@bsky/sdk` 1.1.4 nor the reference have a field for them.',
    seen: 'Friends who liked a popular post early are counted; no gap where a friend is blocked.',
  },
  {
    about: 'Ties between pages',
    there:
      'A cursor can’t separate identical records, such as reposts of one post at one time: a page that ends between them loses the rest.',
    here: 'No page loses any: there, the cursor is `<ms>__<cid>__<row>`. Of more than 1,000 items of one account at one millisecond, timelines show the newest 1,000, its own feed 5,000.',
    seen: 'A small page shows what a large one shows.',
  },
  {
    about: 'Posts written again',
    there:
      'After a post was deleted and written again under its key, its gate holds no longer, and its quotes and reposts are counted, but not listed in `getQuotes` and feeds.',
    here: 'What points at the key points at the new post, in every method.',
    seen: 'Counts and lists agree, and nobody may reply who might not before.',
  },
  {
    about: 'Lists that changed or went',
    there:
      '`getRelationships` names a list that one blocks by after it has another purpose or is deleted; profiles do not. A starter pack shows the people of its deleted list.',
    here: 'Neither: a list is what its record says now.',
    seen: 'Methods agree.',
  },
  {
    about: 'Following oneself',
    there: 'One’s own posts come twice in the timeline, and one is notified of oneself.',
    here: 'Once, and not.',
    seen: 'No repetition.',
  },
  {
    about: 'Handles in URIs inside records',
    there:
      'A reply to a URI with a handle is not indexed, if its root has one; elsewhere in a record, such a URI is kept, and leads nowhere.',
    here: 'The record is indexed, and such a URI leads nowhere: a reply stands alone, and an embed is not found.',
    seen: 'The reply is in its author’s feed, as a reply; no thread has it.',
  },
  {
    about: 'Counts beside lists',
    there:
      'The unread count has notifications of muted and blocked accounts, hidden replies and those under review; the list leaves them out. A list’s pages may be shorter than its count.',
    here: 'The unread count follows the list’s own rule for the newest 100, and leaves out muted, blocked and hidden accounts below. Counts of likes, reposts, follows and the like are of all accounts, as there.',
    seen: 'No badge leads to an empty list.',
  },
  {
    about: 'Newcomers’ notifications',
    there: 'All from before the account first came are unread until it marks them seen.',
    here: 'They count as read.',
    seen: 'No badge calls old things new.',
  },
  {
    about: 'Members-only accounts',
    there:
      'Posts of accounts that ask not to be shown to visitors are in feeds, lists of quotes and searches; the client hides them.',
    here: 'Visitors are not sent them.',
    seen: 'A visitor’s feed, list of quotes or search is shorter.',
  },
  {
    about: 'Two lists that block one account',
    there:
      'Requests about an account that is on two lists which one member blocks are a 500 on its own dataplane.',
    here: 'They are answered, with one of the lists.',
    seen: 'Likes, threads and relationships are shown.',
  },
  {
    about: 'Activity subscriptions',
    there: 'On profiles, and on the known followers in them.',
    here: 'On the requested profile alone.',
    seen: 'Known followers of a profile do not say whether the viewer subscribes to them.',
  },
  {
    about: 'Reactions to lists',
    there: 'A like or a repost notifies whoever owns the record, whatever it is, such as a list.',
    here: 'Likes of posts, feeds, labelers and starter packs notify, and reposts of posts.',
    seen: 'No notification whose subject no client can show.',
  },
  {
    about: 'Dates before the year 10',
    there: '`indexedAt` has the year as the record has it, such as `0005`.',
    here: 'It is the first moment of the year 10; the record has its own date, and the order is by that.',
    seen: 'An answer with such a post is valid for clients, too, whose validator refuses `000x`, as older ones do.',
  },
  {
    about: 'Seen notifications',
    there: 'An earlier `seenAt` makes what came after it unread again.',
    here: 'The time only moves forward.',
    seen: 'No device that was away, and no repeated request, brings the badge back on another.',
  },
  {
    about: 'Search v2',
    there:
      'Behind a gate. Visitors get one page, not filled again after what moderation removed, and then a 403.',
    here: 'Answered for all; visitors’ pages are filled, and go on.',
    seen: 'Visitors can search beyond the first page.',
  },
  {
    about: 'Blocks by strangers',
    there: 'Every account’s blocks are known.',
    here: 'What an account that nobody here follows blocked before anything of it was here is read from its server then: up to 5,000 blocks, and no lists that are not here.',
    seen: 'In the seconds before, or beyond these, a post of somebody who blocks the viewer can be shown.',
  },
  {
    about: 'Hidden blocks',
    there: '`getBlocks` leaves out a block whose record a moderator took down.',
    here: 'A block’s record can’t be hidden.',
    seen: 'The list of blocks is whole.',
  },
  {
    about: '`hitsTotal`',
    there: '`searchStarterPacksV2` always says one; searches of posts do not.',
    here: 'None, as nothing is counted; the lexicon lets it be left out.',
    seen: 'No number of results.',
  },
]

export function differencesTable(): string {
  const rows = namedDifferences.map(({ what, why }) => `| ${what} | ${why} |`)
  return `| here | because |\n| --- | --- |\n${rows.join('\n')}\n\n${correctionsTable()}`
}

function correctionsTable(): string {
  const head = `| about | there (${REFERENCE}) | here | what a client sees |\n| --- | --- | --- | --- |`
  const rows = corrections.map(
    ({ about, there, here, seen }) => `| ${[about, there, here, seen].join(' | ')} |`,
  )
  return `${head}\n${rows.join('\n')}`
}
