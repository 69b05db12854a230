// com.atproto.admin.updateSubjectStatus: an account, a record or a blob is hidden, or shown again. As in the
// reference, of a record its blobs are hidden by requests of their own.

import type { ComAtprotoAdminUpdateSubjectStatus } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { blobSubject } from '../../../../../data/store/takedowns.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { Moderation } from '../../../moderation.ts'

type Input = ComAtprotoAdminUpdateSubjectStatus.InputSchema

export function updateSubjectStatus({ decide }: Moderation): Method<Params, Input> {
  return {
    nsid: 'com.atproto.admin.updateSubjectStatus',
    kind: 'procedure',
    auth: 'moderator',
    partly: 'Only `takedown` counts; whether an account is `deactivated` is its PDS’s to say.',
    handler: async ({ viewer, input }) => {
      const { subject, takedown } = input
      const named = subjectOf(subject)
      if (named === undefined) throw invalidRequest('Invalid subject')
      if (takedown) {
        const act = takedown.applied ? 'hide' : 'show'
        const ref = takedown.ref ?? ''
        await decide({ act, subject: named, by: viewer ?? 'admin', reason: ref, ref }).catch(
          refused,
        )
      }
      return { body: { subject, takedown } }
    },
  }
}

function subjectOf(subject: Input['subject']): string | undefined {
  const { $type, did, cid, uri } = subject as Record<string, unknown>
  if ($type === 'com.atproto.admin.defs#repoRef') return String(did)
  if ($type === 'com.atproto.repo.strongRef') return String(uri)
  if ($type === 'com.atproto.admin.defs#repoBlobRef') return blobSubject(String(did), String(cid))
  return undefined
}

function refused(error: Error): never {
  if (error.name === 'ModerationError') throw invalidRequest(error.message)
  throw error
}
