// Tables of what repositories hold, and of what is made from it.

import {
  most,
  NUMBERS,
  nobody,
  OTHERS,
  ofRepository,
  type StoredTable,
  WITH_POST,
} from './entry.ts'

export const records: Record<string, StoredTable> = {
  profiles: ofRepository(),
  posts: ofRepository({ uid: 'an empty row that a post of another account answers or quotes' }),
  post_counts: nobody(NUMBERS, WITH_POST),
  reposts: ofRepository(),
  arrivals: ofRepository(),
  lists: ofRepository({ uid: 'an empty row that another account’s record or mute names' }),
  list_items: ofRepository({ subject: OTHERS }),
  list_blocks: ofRepository(),
  threadgates: ofRepository(),
  postgates: ofRepository(),
  records: ofRepository({
    uid: 'an empty row that another account’s like names',
    subject: OTHERS,
    record: OTHERS,
  }),
  record_likes: ofRepository(),
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
      'MAX_KEPT = 100_000',
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
