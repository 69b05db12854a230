// The kinds of jobs (jobs.ts): what a job is about, and in which order jobs run. What it does is in
// ingest/backfill/perform.ts.

type Shape = {
  /** The account, or the row whose account's server is asked. Jobs of an account are dropped with it. */
  of: 'account' | 'post' | 'list' | 'record' | 'associated'
  /** Lower runs first. */
  priority: number
  /** Compares rows with the repository. A mirror's delay would count as deletions, and a gap's repair waits for it. */
  isComparison?: true
  /** Not from a mirror, which has whole files: too much for newest posts or a page of older ones. */
  isOfFewPosts?: true
}

export const jobKinds = {
  /** Cold start of a new member. */
  member: { of: 'account', priority: 0 },
  /** The DID document and handle. */
  identity: { of: 'account', priority: 40 },
  /** The profile record. */
  profile: { of: 'account', priority: 40 },
  /** The whole follow list. */
  follows: { of: 'account', priority: 30 },
  /** Recent posts and reposts. */
  feed: { of: 'account', priority: 20 },
  /** A few of the newest posts and reposts, for a newcomer's first page; tried once. */
  latest: { of: 'account', priority: 15, isOfFewPosts: true },
  /** Posts, reposts and likes of the last hours, if no stream brings them. */
  recent: { of: 'account', priority: 20 },
  /** The newest posts and reposts of a stranger whose page a member opens. */
  page: { of: 'account', priority: 10, isOfFewPosts: true },
  /** The next page of posts and reposts, further back than already read. */
  older: { of: 'account', priority: 25, isOfFewPosts: true },
  /** Blocks and list blocks. */
  blocks: { of: 'account', priority: 45 },
  /** The record of a stub: posts.id. */
  post: { of: 'post', priority: 50 },
  /** The list's record and items: lists.id. */
  list: { of: 'list', priority: 50 },
  /** Feed generators, starter packs, labeler, declarations and similar records. */
  records: { of: 'account', priority: 55 },
  /** Whom of those followed here a stranger blocks, whose posts are here. */
  ties: { of: 'account', priority: 57 },
  /** One of those: records.id. */
  record: { of: 'record', priority: 50 },
  /** A version of a record that a post's link card names: associated_records.id. */
  associated: { of: 'associated', priority: 52 },
  /** Compares our rows with the repository, after a `sync` event or similar. */
  repo: { of: 'account', priority: 60, isComparison: true },
  /** Everything of a followed account beyond a member's budget, when its turn comes. */
  author: { of: 'account', priority: 80 },
  /** The rest of an author's records beyond the byte budget, once that allows more. */
  rest: { of: 'account', priority: 80 },
  /** Like `repo`, if the repository changed in a gap of the stream. */
  check: { of: 'account', priority: 70, isComparison: true },
} as const satisfies Record<string, Shape>

export type JobKind = keyof typeof jobKinds

export function shapeOf(kind: JobKind): Shape {
  return jobKinds[kind]
}

/** A list of SQL: the kinds of which this is so. */
export function kindsWhere(is: (shape: Shape) => boolean): string {
  const kinds = (Object.keys(jobKinds) as JobKind[]).filter((kind) => is(jobKinds[kind]))
  return `(${kinds.map((kind) => `'${kind}'`).join(', ')})`
}

/** `wanted` is for data that a request waits for. */
export const jobPriority = {
  wanted: 10,
  ...(Object.fromEntries(
    Object.entries(jobKinds).map(([kind, { priority }]) => [kind, priority]),
  ) as Record<JobKind, number>),
}
