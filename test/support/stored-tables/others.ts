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
}

export const own: Record<string, StoredTable> = {
  ...Object.fromEntries(
    ['meta', 'snapshots', 'stream_cursors', 'history'].map((table) => [
      table,
      nobody('a few rows of the server’s own', 'it is replaced'),
    ]),
  ),
  ...(features.length > 0 && {
    feature_schemas: nobody('one row for each feature', 'for ever'),
  }),
  replays: nobody('a few at once', 'it ends'),
  stream_bytes: nobody('some hundred rows a day', '62 days'),
  stream_choices: nobody('400 rows', 'for ever'),
  stream_paces: nobody('two rows for each collection', 'for ever'),
}
