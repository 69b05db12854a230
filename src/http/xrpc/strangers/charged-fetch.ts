// What a call has us fetch is charged to it: the connection and reading the answer are in no turn of the call that
// waits for them, and neither is an answer that never comes.

import type { GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import { LOOKUP_MS } from '../../overload/address-time.ts'
import { chargeFor } from '../../server/wait-left.ts'

const MS_A_BYTE = 1.6e-6

/** What an answer of this length costs us; none that comes has the length 0. */
export function msOfFetch(bytes: number): number {
  return LOOKUP_MS + bytes * MS_A_BYTE
}

export function chargedFetch(fetch: GuardedFetch): GuardedFetch {
  return async (url, options = {}) => {
    const { signal } = options
    let bytes = 0
    try {
      const response = await fetch(url, options)
      bytes = response.body.length
      return response
    } finally {
      if (signal) chargeFor(signal, msOfFetch(bytes))
    }
  }
}
