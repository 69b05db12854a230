// Tables of what this server notes about accounts.

import { most, NUMBERS, nobody, type StoredTable, WITH_POST } from './entry.ts'

export const notes: Record<string, StoredTable> = {
  actors: {
    goes: 'stays',
    why: 'accounts are numbered without gaps, others’ records name it by that number, and its events are to be ignored: of a deleted account its DID, that it is deleted, and since when; no handle and no server',
    bound: 'as many as records name; a DID of 2,048 characters at most',
    until: 'for ever',
  },
  removals: {
    goes: 'account',
    bound: 'one row for each account deleted within seven days',
    until: 'its private rows are gone',
  },
  doubts: {
    goes: 'account',
    bound: 'one row for each account or post that may go',
    until: 'it is examined',
  },
  jobs: {
    goes: 'account',
    bound: 'one row of 500 bytes for each account, post or list that is fetched',
    until: '12 attempts',
  },
  backfills: {
    goes: 'account',
    bound: 'a row for each kind of record of an author',
    until: 'the author is no longer one',
  },
  feed_depths: {
    goes: 'account',
    bound: 'two rows for each author',
    until: 'the author is no longer one',
  },
  replay_accounts: {
    goes: 'stays',
    why: 'where a deletion lies in the replay’s past, the account’s return may follow in the same replay',
    bound: 'one row for each author',
    until: 'the replay ends',
  },
  keyless_follows: {
    goes: 'account',
    bound: 'one row for each account of an import',
    until: 'its follows are read',
  },
  earlier_actor_counts: {
    goes: 'account',
    bound: NUMBERS,
    until: 'the account is no longer shown',
  },
  earlier_post_counts: nobody(NUMBERS, WITH_POST),
  gaps: {
    goes: 'account',
    bound: most(
      'server',
      3_200,
      1_000,
      'src/data/store/stream/gaps.ts',
      'MAX_OPEN_ACCOUNT_GAPS = 2_000',
    ),
    until: 'a thousand newer ones are closed',
  },
  unfollows: {
    goes: 'stays',
    why: 'keeps an imported follow out that was deleted',
    bound: 'as many follows as are deleted in three days; two numbers',
    until: 'three days',
  },
  graph_changes: {
    goes: 'stays',
    why: 'the journal of memory: two numbers for each change',
    bound: 'as many as follows change between two snapshots',
    until: 'the next snapshot',
  },
  brought: {
    goes: 'stays',
    why: 'counts an hour of records, for whom they were read',
    bound: NUMBERS,
    until: 'two hours',
  },
  labels: {
    goes: 'stays',
    why: 'a labeler’s statement, which the labeler would not repeat if the account returned',
    bound: most(
      'server',
      1_000_000,
      600,
      'src/ingest/labels/labels-context.ts',
      'maxStoredTogether: 1_000_000',
    ),
    until: 'it expires, is withdrawn, or its labeler is not named for 14 days',
  },
  labelers: { goes: 'member', bound: '32 streams', until: '14 days after it was named' },
}
