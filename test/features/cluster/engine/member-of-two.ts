// A member of two Slipstream processes that share an engine, with a real token for every request.

import { createJetstreamDouble } from '../../../support/jetstream-double/double.ts'
import { startPlcDouble } from '../../../support/plc-double.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../../support/slipstream-process.ts'

const HOSTNAME = 'appview.example.org'
const NSID = 'app.bsky.actor'
const PREFERENCE = `${NSID}.defs#adultContentPref`

export async function startMemberOfTwo(engine: string) {
  const plc = await startPlcDouble()
  const double = await createJetstreamDouble()
  const account = await plc.create({ handle: 'member.test' })
  const started: SlipstreamProcess[] = []

  function start(): SlipstreamProcess {
    const server = startSlipstream({
      ENGINE: engine,
      HOSTNAME,
      SERVE_THREADS: '2',
      ALLOW_PRIVATE_HOSTS: 'on',
      JETSTREAM_HOSTS: double.url,
      PLC_URL: plc.url,
      DATA_DIR: freshDataDir(),
    })
    started.push(server)
    return server
  }

  async function ask(node: SlipstreamProcess, nsid: string, input?: object): Promise<unknown> {
    const aud = `did:web:${HOSTNAME}`
    const token = await signServiceJwt(account.keypair, { iss: account.did, aud, lxm: nsid })
    const answer = await fetch(`http://127.0.0.1:${await node.port()}/xrpc/${nsid}`, {
      method: input ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(input && { body: JSON.stringify(input) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${nsid}: ${answer.status} ${text}\n${node.output()}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  return {
    nodes: [start(), start()],
    start,
    /** Retries while it is refused, as on a machine too busy for the engine. */
    async prefer(node: SlipstreamProcess, enabled: boolean): Promise<void> {
      const preferences = [{ $type: PREFERENCE, enabled }]
      for (let isRefused = true; isRefused; ) {
        const error = await ask(node, `${NSID}.putPreferences`, { preferences }).catch((e) => e)
        isRefused = error instanceof Error && error.message.includes('503')
        if (error instanceof Error && !isRefused) throw error
      }
    },
    async preferred(node: SlipstreamProcess): Promise<boolean | undefined> {
      const answer = await ask(node, `${NSID}.getPreferences`)
      const { preferences } = answer as { preferences: { enabled: boolean }[] }
      return preferences[0]?.enabled
    },
    async stop(): Promise<void> {
      await Promise.all(started.map((server) => server.stop('SIGKILL')))
      await double.close()
      await plc.close()
    },
  }
}
