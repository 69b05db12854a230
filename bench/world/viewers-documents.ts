// The DID documents of a benchmark's viewers: the server asks the directory for the key that signs their
// tokens.

import { didDocument, type startPlcDouble } from '../../test/support/plc-double.ts'
import type { ViewerKey } from '../load/service-tokens.ts'

export function putDocuments(
  plc: Awaited<ReturnType<typeof startPlcDouble>>,
  dids: readonly string[],
  keyOf: (did: string) => ViewerKey,
): void {
  for (const did of dids) {
    const account = { did, handle: 'viewer.bench.test', pds: 'http://127.0.0.1:1' }
    plc.edit(did, () => didDocument({ ...account, signingKey: keyOf(did).didKey }))
  }
}
