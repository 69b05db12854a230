// Resolves an account over the network within this process.

import type { Config } from '../../base/config/config.ts'
import { createLogger } from '../../base/obs/log.ts'
import { type Account, resolveAccount } from '../../http/operator/members.ts'
import { OperatorError } from '../../http/operator/operator-error.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { createResolver } from '../../sources/identity/resolver.ts'
import { CliError } from '../fail.ts'

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
