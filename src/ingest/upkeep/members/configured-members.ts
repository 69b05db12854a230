// Members named in the configuration. DIDs are members at once; handles must be resolved first, which needs
// the network, so that is retried until it works.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'

const RETRY_MS = MINUTE_MS

type ConfiguredMembers = { stop(): void }

/** Calls `onKnown` with all DIDs known so far, at the start and after each resolved handle. */
export function followConfiguredMembers(options: {
  accounts: readonly string[]
  resolver: Pick<Resolver, 'resolveHandle'>
  onKnown: (dids: string[]) => void
  log: Pick<Logger, 'warn'>
}): ConfiguredMembers {
  const { accounts, resolver, onKnown, log } = options
  const dids = new Set(accounts.filter((account) => account.startsWith('did:')))
  const handles = new Set(accounts.filter((account) => !account.startsWith('did:')))
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function resolveHandles(): Promise<void> {
    for (const handle of handles) {
      const did = await resolver.resolveHandle(handle).catch((error: Error) => error)
      if (stopped) return
      if (did instanceof Error) {
        log.warn(
          { handle, error: did.message },
          'a handle in SLIPSTREAM_MEMBERS can’t be looked up now; retrying',
        )
        continue
      }
      if (!did) {
        log.warn({ handle }, 'SLIPSTREAM_MEMBERS names a handle that no account has; retrying')
        continue
      }
      handles.delete(handle)
      dids.add(did)
      onKnown([...dids])
    }
    if (handles.size > 0) timer = setTimeout(resolveHandles, RETRY_MS)
  }

  onKnown([...dids])
  void resolveHandles()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
