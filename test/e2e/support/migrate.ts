// Moves an account to another PDS, as its owner's client does: a new account under the same DID, the repository as a
// file, the directory's document, then the old account goes to sleep.

import { AtpAgent } from '@atproto/api'
import type { Account } from './account.ts'
import type { Network } from './network.ts'

type Between = {
  /** Called once the repository was exported; what is written then stays behind. */
  exported?: () => Promise<void>
  /** Called once the account is at home on the new PDS, and the old one does not know yet. */
  activated?: (moved: Account) => Promise<void>
}

/** @returns the account, at home on the new PDS */
export async function migrate(
  network: Network,
  account: Account,
  { exported, activated }: Between = {},
): Promise<Account> {
  const { did, handle, agent: old } = account
  const service = await network.second()
  const agent = new AtpAgent({ service })
  const { data: server } = await agent.com.atproto.server.describeServer()
  const lxm = 'com.atproto.server.createAccount'
  const { data: proof } = await old.com.atproto.server.getServiceAuth({ aud: server.did, lxm })
  const created = await agent.com.atproto.server.createAccount(
    { did, handle, email: `${handle}@example.com`, password: 'a-password' },
    { headers: { authorization: `Bearer ${proof.token}` }, encoding: 'application/json' },
  )
  await agent.resumeSession({ ...created.data, active: false })
  const { data: file } = await old.com.atproto.sync.getRepo({ did })
  await exported?.()
  const encoding = 'application/vnd.ipld.car'
  await agent.com.atproto.repo.importRepo(file, { encoding })
  const { data } = await agent.com.atproto.identity.getRecommendedDidCredentials()
  await network.move(did, data)
  await agent.com.atproto.server.activateAccount()
  await activated?.({ ...account, agent })
  await old.com.atproto.server.deactivateAccount({})
  return { ...account, agent }
}
