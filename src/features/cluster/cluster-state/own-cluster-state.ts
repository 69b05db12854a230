// A node's own state before it shares anything, as the changes that would create it.

import { hash } from 'node:crypto'
import type { Db } from '../../../data/store/db.ts'
import { allAdmissions } from '../../../data/store/members/admissions.ts'
import { listInvites } from '../../../data/store/members/invites.ts'
import { membersByDid } from '../../../data/store/members/members.ts'
import { listBans } from '../../../data/store/moderation/bans.ts'
import { listTags } from '../../../data/store/moderation/moderation-tags.ts'
import { blobsHiddenWith, listTakedowns } from '../../../data/store/moderation/takedowns.ts'
import {
  findStoredToken,
  listServiceTokens,
} from '../../timelines/store/programs/service-tokens.ts'
import { signingKeysMade } from '../../timelines/store/signing-keys.ts'
import { type DocChange, docChange, inviteDoc, tagName, tokenDoc } from './cluster-doc.ts'

const ALL = Number.MAX_SAFE_INTEGER
/** The author and reason of these decisions are in this node's own log. */
const BEFORE = { by: '', reason: '' }

export function ownClusterState(db: Db): DocChange[] {
  return [
    ...listServiceTokens(db).map(({ name }) =>
      docChange('token', name, tokenDoc(findStoredToken(db, name)!)),
    ),
    ...listInvites(db, ALL).map((row) => docChange('invite', row.code, inviteDoc(row))),
    ...allAdmissions(db).map(({ did, code, admitted_at: at }) =>
      docChange('admission', did, { at, code }),
    ),
    ...membersByDid(db).map(({ did, joined_at: at, last_seen_at }) =>
      docChange('member', did, { at, isSeen: last_seen_at !== null }),
    ),
    ...listBans(db, ALL).map(({ did, at }) => docChange('ban', did, { at, ...BEFORE })),
    ...listTakedowns(db, ALL).map(({ subject, ref, at }) =>
      docChange('hide', subject, { at, ref, ...BEFORE, blobs: blobsHiddenWith(db, subject) }),
    ),
    ...listTags(db, ALL).map(({ subject, tag, at }) =>
      docChange('tag', tagName(subject, tag), { at, ...BEFORE }),
    ),
  ]
}

/**
 * Keys with which a node whose cluster is moved signed its cursors, newest last; other nodes start
 * with their own keys.
 */
export function ownCursorKeys(db: Db): DocChange[] {
  return signingKeysMade(db)
    .toReversed()
    .map(({ secret, madeAt: at }) =>
      docChange('cursor-key', hash('sha256', secret), { at, secret: secret.toString('hex') }),
    )
}
