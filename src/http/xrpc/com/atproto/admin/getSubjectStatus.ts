import type { ComAtprotoAdminGetSubjectStatus } from '@atproto/api'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { blobSubject } from '../../../../../data/store/moderation/takedowns.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'

type Params = ComAtprotoAdminGetSubjectStatus.QueryParams
type Dependencies = Needs<'actors' | 'records' | 'moderation'>

export const getSubjectStatus = query(
  'com.atproto.admin.getSubjectStatus',
  { auth: 'moderator', showsLabels: false },
  (app, { params: { did, uri, blob } }: Call<Params>) => {
    if (blob !== undefined) return { body: ofBlob(app, did, blob) }
    if (uri !== undefined) return { body: ofRecord(app, uri) }
    if (did !== undefined) return { body: ofAccount(app, did) }
    throw invalidRequest('No provided subject')
  },
)

function takedownOf({ moderation }: Dependencies, subject: string) {
  const ref = moderation.refOf(subject)
  return { applied: ref !== undefined, ref: ref || undefined }
}

function ofBlob(app: Dependencies, did: string | undefined, cid: string) {
  if (did === undefined) throw invalidRequest('Must provide a did to request blob state')
  const subject = { $type: 'com.atproto.admin.defs#repoBlobRef', did, cid }
  return { subject, takedown: takedownOf(app, blobSubject(did, cid)) }
}

function ofRecord(app: Dependencies, uri: string) {
  const key = parseRecordUri(uri)
  const uid = key ? app.actors.uidOf(key.did) : 0
  const found = key && uid !== 0 ? app.records.find({ uid, ...key }) : undefined
  if (typeof found !== 'object') throw notFound()
  const subject = { $type: 'com.atproto.repo.strongRef', uri, cid: found.cid }
  return { subject, takedown: takedownOf(app, uri) }
}

function ofAccount(app: Dependencies, did: string) {
  if (app.actors.uidOf(did) === 0) throw notFound()
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
  return { subject, takedown: takedownOf(app, did) }
}

function notFound() {
  return invalidRequest('Subject not found', 'NotFound')
}
