// com.atproto.admin.getSubjectStatus: whether an account, a record or a blob is hidden by us.

import type { ComAtprotoAdminGetSubjectStatus } from '@atproto/api'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { blobSubject } from '../../../../../data/store/takedowns.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Moderation } from '../../../moderation.ts'

type Params = ComAtprotoAdminGetSubjectStatus.QueryParams
type Parts = Pick<AppContext, 'actors' | 'records'> & { moderation: Moderation }

export function getSubjectStatus({ actors, records, moderation }: Parts): Method<Params> {
  const stateOf = (subject: string) => {
    const ref = moderation.refOf(subject)
    return { applied: ref !== undefined, ref: ref || undefined }
  }

  function ofBlob(did: string | undefined, cid: string) {
    if (did === undefined) throw invalidRequest('Must provide a did to request blob state')
    const subject = { $type: 'com.atproto.admin.defs#repoBlobRef', did, cid }
    return { subject, takedown: stateOf(blobSubject(did, cid)) }
  }

  function ofRecord(uri: string) {
    const key = parseRecordUri(uri)
    const uid = key ? actors.uidOf(key.did) : 0
    const found = key && uid !== 0 ? records.find({ uid, ...key }) : undefined
    if (typeof found !== 'object') throw notFound()
    const subject = { $type: 'com.atproto.repo.strongRef', uri, cid: found.cid }
    return { subject, takedown: stateOf(uri) }
  }

  function ofAccount(did: string) {
    if (actors.uidOf(did) === 0) throw notFound()
    return { subject: { $type: 'com.atproto.admin.defs#repoRef', did }, takedown: stateOf(did) }
  }

  return {
    nsid: 'com.atproto.admin.getSubjectStatus',
    kind: 'query',
    auth: 'moderator',
    handler: ({ params: { did, uri, blob } }) => {
      if (blob !== undefined) return { body: ofBlob(did, blob) }
      if (uri !== undefined) return { body: ofRecord(uri) }
      if (did !== undefined) return { body: ofAccount(did) }
      throw invalidRequest('No provided subject')
    },
  }
}

function notFound() {
  return invalidRequest('Subject not found', 'NotFound')
}
