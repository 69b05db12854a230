// The dataplane's own calls for writing mutes. Today's frontend uses bsync instead; these serve older
// frontends and custom tools.

import { isValidDid } from '@atproto/syntax'
import { Code, ConnectError } from '@connectrpc/connect'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { Rpcs } from '../wire/messages.ts'

const LIST = 'app.bsky.graph.list'

export function muteRpcs({ writer }: { writer: Writer }): Rpcs {
  const ofList = (kind: 'mute-list' | 'unmute-list') => async (request: OfUri) => {
    const list = uriOf(request.subjectUri)
    if (parseRecordUri(list)?.collection !== LIST) throw unfit('must mute a list')
    await writer.send({ kind, did: didOf(request.actorDid), list })
    return {}
  }
  const ofThread = (kind: 'mute-thread' | 'unmute-thread') => async (request: OfThread) => {
    const root = uriOf(request.threadRoot)
    await writer.send({ kind, did: didOf(request.actorDid), root })
    return {}
  }
  return {
    async createActorMute({ actorDid, subjectDid, onlyReposts, onlyQuoteposts }) {
      const did = didOf(actorDid)
      if (did === subjectDid) throw unfit('cannot mute yourself')
      const scope = { onlyReposts, onlyQuoteposts }
      await writer.send({ kind: 'mute', did, subjectDid: didOf(subjectDid), ...scope })
      return {}
    },
    async deleteActorMute({ actorDid, subjectDid }) {
      const did = didOf(actorDid)
      if (did === subjectDid) throw unfit('cannot mute yourself')
      await writer.send({ kind: 'unmute', did, subjectDid: didOf(subjectDid) })
      return {}
    },
    createActorMutelistSubscription: ofList('mute-list'),
    deleteActorMutelistSubscription: ofList('unmute-list'),
    createThreadMute: ofThread('mute-thread'),
    deleteThreadMute: ofThread('unmute-thread'),
  }
}

type OfUri = { actorDid: string; subjectUri: string }
type OfThread = { actorDid: string; threadRoot: string }

/** @throws ConnectError */
export function didOf(text: string): string {
  if (isValidDid(text)) return text
  throw unfit(`not a valid did: ${text.slice(0, 100)}`)
}

/** @throws ConnectError for anything but a record's at-URI with a DID */
export function uriOf(text: string): string {
  if (parseRecordUri(text)) return text
  throw unfit(`not a valid uri: ${text.slice(0, 100)}`)
}

export function unfit(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument)
}
