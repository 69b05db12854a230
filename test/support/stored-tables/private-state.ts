// Tables of what members keep here alone.

import { most, OTHERS, private_, type StoredTable } from './entry.ts'

export const privateState: Record<string, StoredTable> = {
  members: private_('as many as may be members (SLIPSTREAM_MAX_MEMBERS); numbers', 'it leaves'),
  mutes: private_(
    most('member', 20_000, 60, 'src/http/xrpc/app/bsky/graph/muteActor.ts', 'MAX_MUTES = 20_000'),
    'the member unmutes',
    { subject: 'another member’s mute' },
  ),
  list_mutes: private_(
    most(
      'member',
      1_000,
      60,
      'src/http/xrpc/app/bsky/graph/muteActorList.ts',
      'MAX_LIST_MUTES = 1_000',
    ),
  ),
  thread_mutes: private_(
    most('member', 20_000, 60, 'src/http/xrpc/private/thread-mute.ts', 'MAX_THREAD_MUTES = 20_000'),
  ),
  bookmarks: private_(
    most(
      'member',
      50_000,
      400,
      'src/http/xrpc/app/bsky/bookmark/createBookmark.ts',
      'MAX_BOOKMARKS = 50_000',
    ),
  ),
  activity_subscriptions: private_(
    most(
      'member',
      2_000,
      60,
      'src/http/xrpc/app/bsky/notification/putActivitySubscription.ts',
      'MAX_SUBSCRIPTIONS = 2_000',
    ),
    'the member ends it',
    { subject: 'another member’s subscription' },
  ),
  drafts: private_(
    // 4 MB together.
    most(
      'member',
      1,
      4 << 20,
      'src/http/xrpc/private/draft-capacity.ts',
      'MAX_DRAFT_BYTES = 4 << 20',
    ),
  ),
  preferences: private_(
    most('member', 1, 100 * 1024, 'src/http/server/request-body.ts', 'MAX_BODY_BYTES = 100 * 1024'),
  ),
  notification_settings: private_(
    most('member', 1, 100 * 1024, 'src/http/server/request-body.ts', 'MAX_BODY_BYTES = 100 * 1024'),
  ),
  notifications: private_(
    most(
      'member',
      5_000,
      2_400,
      'src/data/store/notifications/notifications.ts',
      'MAX_STORED = 5_000',
    ),
    'the record that caused it is deleted',
    { author: 'of another member, until the record is deleted', record: OTHERS },
  ),
  act_arrivals: private_(
    'one row for each like and follow that arrived while the account was a member',
    'the like or follow is deleted',
    { subject_uid: OTHERS },
  ),
  kept_identities: private_(
    most('member', 1, 12_300, 'src/http/serve/identities.ts', 'MAX_CACHED_LENGTH = 4096'),
    'the document changes',
  ),
}
