// Tables of what repositories hold, and of what is made from it.

import {
  columnsNaming,
  type RecordTable,
  recordTables,
} from '../../../src/data/store/records/record-tables.ts'
import {
  most,
  NUMBERS,
  nobody,
  OTHERS,
  ofRepository,
  type StoredTable,
  WITH_POST,
} from './entry.ts'

const usual = (Object.keys(recordTables) as RecordTable[]).map((table) => {
  const naming = columnsNaming(table, 'account')
  const why = Object.fromEntries(naming.map((column) => [column, OTHERS]))
  return [table, ofRepository(naming.length > 0 ? why : undefined)] as const
})

export const records: Record<string, StoredTable> = {
  ...Object.fromEntries(usual),
  profiles: ofRepository(),
  posts: ofRepository({ uid: 'an empty row that a post of another account answers or quotes' }),
  post_counts: nobody(NUMBERS, WITH_POST),
  arrivals: ofRepository(),
  lists: ofRepository({ uid: 'an empty row that another account’s record or mute names' }),
  threadgates: ofRepository(),
  postgates: ofRepository(),
  records: ofRepository({
    uid: 'an empty row that another account’s like names',
    subject: OTHERS,
    record: OTHERS,
  }),
  associated_records: ofRepository({ uid: 'an empty row that another account’s post names' }),
  post_associations: nobody('at most four small rows for a post', WITH_POST),
  likes_by_creator: ofRepository(),
  likes_by_subject: ofRepository(),
  follows_by_creator: ofRepository(),
  follows_by_subject: ofRepository({ subject: OTHERS }),
  blocks_by_creator: ofRepository(),
  blocks_by_subject: ofRepository({ subject: OTHERS }),
  reaction_records: {
    goes: 'account',
    why: { via_uid: OTHERS, record: OTHERS },
    bound: most(
      'server',
      100_000,
      2_400,
      'src/data/store/records/reaction-records.ts',
      'MAX_STORED = 100_000',
    ),
    until: 'newer ones take its place',
  },
  relation_records: ofRepository(),
  mentions: nobody('as many as posts have facets; a digest instead of the DID', WITH_POST),
  op_replies: nobody(NUMBERS, WITH_POST),
  tombstones: {
    goes: 'stays',
    why: 'keeps late copies of deleted records out, of deleted accounts too',
    bound: 'as many as records were deleted within three days; a key each',
    until: 'three days',
  },
  search_actors: ofRepository(),
  post_stretches: nobody('one row for some ten thousand posts; numbers and times only', WITH_POST),
  search_queue: nobody('one row for a post or account that is changed', 'it is indexed'),
  search_backlog: nobody(
    most('server', 3, 16, 'src/data/store/search/queue.ts', 'MENTIONS = 3'),
    'it is indexed',
  ),
}
