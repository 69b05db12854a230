// Checks whether a label was signed with its labeler's key (`#atproto_label` in the DID document), over the
// deterministic CBOR of the label without its signature. https://atproto.com/specs/label#label-signing

import { encodeObject } from '../../base/atproto/dag-cbor/encode.ts'
import type { JsonObject } from '../../base/util/json-object.ts'
import { SIGNATURE_BYTES, verifyingKey } from '../../sources/identity/verifying-key.ts'
import type { SignedLabel } from '../../sources/label.ts'

/** @param didKey - the key as did:key */
export function isSignedBy({ unsigned, sig }: SignedLabel, didKey: string): boolean {
  if (sig.length !== SIGNATURE_BYTES) return false
  try {
    return verifyingKey(didKey).verify(encodeObject(unsigned as JsonObject), sig)
  } catch {
    // Not a key, or a value that CBOR can't encode.
    return false
  }
}
