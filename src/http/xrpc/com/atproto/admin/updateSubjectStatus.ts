// com.atproto.admin.updateSubjectStatus: hides an account, a record or a blob, or shows it again. As in the
// reference, a record's blobs are hidden by separate requests.

import type { ComAtprotoAdminUpdateSubjectStatus } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { MaybeLater } from '../../../../../base/util/turn.ts'
import { blobSubject } from '../../../../../data/store/moderation/takedowns.ts'
import type { Call } from '../../../call.ts'
import { type Needs, procedure } from '../../../define.ts'
import { uriByDid } from '../../../naming/by-did.ts'
import type { LookedUpFor } from '../../../strangers/outside-shares.ts'

type Input = ComAtprotoAdminUpdateSubjectStatus.InputSchema

export const updateSubjectStatus = procedure(
  'com.atproto.admin.updateSubjectStatus',
  {
    auth: 'moderator',
    partly: 'Only `takedown` counts; whether an account is `deactivated` is its PDS’s to say.',
  },
  async (app, { viewer, who, time, input }: Call<unknown, Input>) => {
    const { subject, takedown } = input
    const named = await subjectOf(app, { subject, who, time })
    if (named === undefined) throw invalidRequest('Invalid subject')
    if (takedown) {
      const act = takedown.applied ? 'hide' : 'show'
      const { ref = '' } = takedown
      const decision = {
        act,
        subject: named,
        by: viewer?.did ?? 'admin',
        reason: ref,
        ref,
      } as const
      await app.moderation.decide(decision).catch(refused)
    }
    return { body: { subject, takedown } }
  },
)

function subjectOf(
  app: Needs<'names'>,
  { subject, who, time }: Pick<Input, 'subject'> & LookedUpFor,
): MaybeLater<string | undefined> {
  const { $type, did, cid, uri } = subject as Record<string, unknown>
  if ($type === 'com.atproto.admin.defs#repoRef') return String(did)
  if ($type === 'com.atproto.repo.strongRef') return uriByDid(app, String(uri), { who, time })
  if ($type === 'com.atproto.admin.defs#repoBlobRef') return blobSubject(String(did), String(cid))
  return undefined
}

function refused(error: Error): never {
  if (error.name === 'ModerationError') throw invalidRequest(error.message)
  throw error
}
