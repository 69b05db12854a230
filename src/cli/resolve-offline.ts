// Who an account is, asked of the network by this process itself.

import type { Config } from '../config.ts'
import { createGuardedFetch } from '../identity/guarded-fetch.ts'
import { createResolver } from '../identity/resolver.ts'
import { createLogger } from '../obs/log.ts'
import { type Account, resolveAccount } from '../operator/members.ts'
import { OperatorError } from '../operator/operator-error.ts'
import { CliError } from './fail.ts'

/** @throws CliError */
export async function resolveOffline(
  { allowPrivateHosts, plcUrl }: Pick<Config, 'allowPrivateHosts' | 'plcUrl'>,
  actor: string,
): Promise<Account> {
  const log = createLogger({ level: 'silent', name: 'cli' })
  const fetch = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [plcUrl], log })
  try {
    return await resolveAccount(createResolver({ allowPrivateHosts, plcUrl, fetch, log }), actor)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new CliError(error.message, error.hint)
  }
}
