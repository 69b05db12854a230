// Tables of the operator’s decisions, of programs, and of the server’s own.

import { features } from '../../../src/base/feature.ts'
import { most, nobody, type StoredTable } from './entry.ts'

export const operators: Record<string, StoredTable> = {
  admissions: {
    goes: 'account',
    bound: 'as many as invites allow, or the operator admits',
    until: 'the operator removes the member',
  },
  bans: {
    goes: 'stays',
    why: 'the operator’s decision, against a return too',
    bound: 'the operator’s decisions',
    until: 'the operator allows it',
  },
  takedowns: {
    goes: 'stays',
    why: 'the operator’s decision, which a return must not undo',
    bound: most(
      'server',
      1_000_000,
      4_000,
      'src/ingest/indexing/moderation/moderation.ts',
      'MAX_TAKEDOWNS = 1_000_000',
    ),
    until: 'the operator shows it',
  },
  moderation_tags: {
    goes: 'stays',
    why: 'the operator’s decision, which a return must not undo',
    bound: most(
      'server',
      1_000_000,
      4_000,
      'src/ingest/indexing/moderation/moderation.ts',
      'MAX_TAGS = 1_000_000',
    ),
    until: 'the operator removes it',
  },
  moderation_log: {
    goes: 'stays',
    why: 'the record of the operator’s decisions',
    bound: most(
      'server',
      1_000_000,
      8_000,
      'src/data/store/moderation/moderation-log.ts',
      'MAX_ENTRIES = 1_000_000',
    ),
    until: 'newer ones take its place',
  },
  invites: nobody(
    most('server', 10_000, 2_000, 'src/ingest/indexing/members/invites.ts', 'MAX_INVITES = 10_000'),
    'for ever',
  ),
  service_tokens: nobody(
    most('server', 1_000, 10_000, 'src/features/timelines/writing/tokens.ts', 'MAX_TOKENS = 1_000'),
    'for ever',
  ),
  shared_keys: {
    goes: 'stays',
    why: 'how far this node has what nodes share on an engine, where the row itself is: members and decisions',
    bound: 'members, invites, tokens and decisions, and 11,000 that are deleted',
    until: 'another engine is used',
  },
}

export const programs: Record<string, StoredTable> = {
  custom_timelines: nobody(
    most('server', 10_000, 200, 'src/features/timelines/writing/append.ts', 'timelines: 10_000'),
    'for ever',
  ),
  custom_events: nobody(
    most('timeline', 1, 64 << 20, 'src/features/timelines/writing/append.ts', 'bytes: 64 << 20'),
    '90 days',
  ),
  custom_producers: nobody(
    most('timeline', 1_000, 400, 'src/features/timelines/writing/append.ts', 'producers: 1_000'),
    'for ever',
  ),
  custom_holes: nobody(
    most(
      'timeline',
      2_000,
      800,
      'src/features/timelines/store/programs/custom-numbers.ts',
      'MAX_GIVEN_UP = 1_000',
    ),
    'its events are dropped',
  ),
  custom_keys: nobody(
    most('server', 5_000_000, 128, 'src/features/timelines/writing/append.ts', 'keys: 5_000_000'),
    'a day',
  ),
  custom_graphs: nobody(
    most('server', 1_000, 400, 'src/features/timelines/writing/edit-graph.ts', 'graphs: 1_000'),
    'the program deletes it',
  ),
  custom_graph_edges: nobody(
    most(
      'server',
      20_000_000,
      40,
      'src/features/timelines/writing/edit-graph.ts',
      'allEdges: 20_000_000',
    ),
    'the program removes it',
  ),
  custom_graph_accounts: nobody(
    most(
      'server',
      40_000_000,
      600,
      'src/features/timelines/writing/edit-graph.ts',
      'allEdges: 20_000_000',
    ),
    'its last follow is removed',
  ),
}

export const own: Record<string, StoredTable> = {
  ...Object.fromEntries(
    ['meta', 'snapshots', 'stream_cursors', 'history', 'signing_keys'].map((table) => [
      table,
      nobody('a few rows of the server’s own', 'it is replaced'),
    ]),
  ),
  ...(features.length > 0 && {
    feature_schemas: nobody('one row for each feature', 'for ever'),
  }),
  replays: nobody('a few at once', 'it ends'),
  shared_places: nobody('one row', 'another engine is used'),
  shared_timelines: nobody('one row for each timeline of a program', 'for ever'),
  stream_bytes: nobody('some hundred rows a day', '62 days'),
  stream_choices: nobody('400 rows', 'for ever'),
  stream_paces: nobody('two rows for each collection', 'for ever'),
}
