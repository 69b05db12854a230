// Makes an account that reads through a frontend a member. The frontend has already admitted it; if it may not become a
// member, it reads from rows like any other. Nobody waits: calls are answered before other nodes have said what they know.

import { isValidDid } from '@atproto/syntax'
import type { OnViewer } from '../../http/server/auth.ts'

export function admitting(admit: OnViewer): (did: string) => void {
  return (did) => {
    if (!isValidDid(did)) return
    try {
      admit(did, { isForUs: true }, fromFrontend())?.catch(refused)
    } catch {
      refused()
    }
  }
}

/** The error is for a member's own client, which is not the caller here. */
function refused(): void {}

/** Stands for the member's own request, which only the frontend has seen. */
function fromFrontend(): Parameters<OnViewer>[2] {
  return { remoteAddress: undefined, header: () => undefined }
}
