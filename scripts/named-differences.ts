// Intended differences from the reference's answers, one line each, for docs/METHODS.md. A difference in a
// single method is in its note (`partly`, `elsewhere`) or in refused-methods.ts.

type Difference = { what: string; why: string }

export const namedDifferences: Difference[] = [
  {
    what: 'Moderation tags are those that this server’s operator set ([OPERATING.md](OPERATING.md#moderation)); what they keep from a list of notifications is not counted as unread either. Tags that an experiment makes for each answer (`VISIBILITY_TAG_…`) are unknown.',
    why: 'There, Bluesky’s own services write them into its database; no record, event or label tells them to anybody else.',
  },
  {
    what: 'A moderation service (`SLIPSTREAM_MODERATION_SERVICES`) sees through blocks in threads, and not in lists, searches and feeds.',
    why: 'Threads are what reports lead to.',
  },
  {
    what: 'There is no age assurance, whatever is configured.',
    why: 'The reference has one provider built in, with secrets and prices of its own, and its regions in its sources. Clients ask Bluesky’s AppView for those, and take a server without a provider for “unknown”.',
  },
  {
    what: 'Other methods of `internal.bsky.*` than `actor.getProfiles`, `appview-as-did` and the session tokens of Bluesky’s entryway (`at+jwt`) are not accepted.',
    why: 'They tie Bluesky’s services to one another. For social proof of many accounts there is `io.slipstream.graph.getSocialProof`.',
  },
  {
    what: '`/blob/{did}/{cid}` has pictures alone, and one that is kept is not fetched again; a picture is not made larger than it is, and a CID that no blob has is a 400, there a 404.',
    why: 'Nothing else that strangers uploaded goes out of our origin as it came; whoever wants such bytes asks the account’s PDS. More pixels than there are show nothing more, and nobody has to be asked for what can’t be there.',
  },
  {
    what: 'There are no sitemaps (`/external/sitemap/`), and `getConfig` names nobody as live.',
    why: 'The first lead search engines to bsky.app. The second is a list in the configuration of Bluesky’s AppView; live statuses are shown all the same.',
  },
  {
    what: '`/xrpc/_health` tells more than the version.',
    why: 'An operator sees there how far the stream is, without another tool.',
  },
  {
    what: 'Posts in feeds do not tell known likers and their place in their author’s thread (`opThreadPostIndex`); those of `getPostThreadV2` do.',
    why: 'The reference has had these since the summer of 2026. They would be looked up for each item of each page.',
  },
  {
    what: 'How many drafts somebody may keep (500) and how many posts a thread shows above its anchor (50) can’t be set.',
    why: 'They are what the reference has where nothing is set; no operator has a reason to choose.',
  },
  {
    what: 'Nobody gets `debug` fields, and no feature gate changes an answer.',
    why: 'They are for experiments of Bluesky’s; the explore view tells why something is shown.',
  },
  {
    what: 'Only trusted verifiers’ verifications notify; there, anybody’s do.',
    why: 'Only theirs count in profiles. A stranger’s would tell people that they are verified when nobody sees it.',
  },
  {
    what: 'Of what a client sends along, feed generators get its language, its topics and the token, and no `x-atproto-*` header.',
    why: 'Identifiers of devices and sessions are nobody’s business but the client’s own service’s.',
  },
  {
    what: 'A malformed cursor or number is a 400; there, some are a 500, and some count as 0.',
    why: 'A mistake of the client’s is told as one.',
  },
  {
    what: '`getKnownFollowers` has pages in a stable order, whose first a profile names; there, one page in none.',
    why: 'What is behind the first page can be reached.',
  },
  {
    what: 'A service token is checked against a key fetched anew before it is refused, and one that lasts longer than a day is refused.',
    why: 'A rotated key works at once.',
  },
  {
    what: 'Suggested accounts, feeds, starter packs and trends come from our own index; there, from further services, or they answer 501.',
    why: 'No self-hosted AppView has those services.',
  },
  {
    what: 'What happened before somebody became a member counts as read; there, whoever never said what they saw has all of it unread in the count.',
    why: 'A newcomer’s list is built from what was there before. A badge with all of it would say that it is new.',
  },
  {
    what: '`getTimeline` has a `startCursor` beside the cursor, and takes `since`.',
    why: 'A client that asks again gets what is new and nothing else.',
  },
  {
    what: 'Whoever follows more than 100,000 accounts is told with a deep page of `getTimeline`, by `followsLeftOut`, for how many of them it was not looked at; there, the page takes as long as it takes.',
    why: 'A page that is made from rows, below what is kept in memory, costs a microsecond an account and holds a thread for that long.',
  },
  {
    what: 'The page that ends a list has no cursor (of drafts an empty one, as there); there, many have one, with an empty page behind it.',
    why: 'A client sees the end as such, and asks once less.',
  },
  {
    what: 'Of a custom feed, whoever has never asked us for anything else gets a visitor’s view; there, the token that was made out to the feed generator says who looks.',
    why: 'A token for somebody else makes nobody a member here. Clients ask for profile and notifications first.',
  },
  {
    what: 'Notifications are at once in the list; there, a delay can be configured. At most 5,000 are kept for each member.',
    why: 'Nothing works on them behind the scenes.',
  },
]

export function differencesTable(): string {
  const rows = namedDifferences.map(({ what, why }) => `| ${what} | ${why} |`)
  return `| here | because |\n| --- | --- |\n${rows.join('\n')}`
}
