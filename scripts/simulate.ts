// `npm run simulate -- [--rate 500] [--seed 7] [--accounts 300] …`: the simulated network alone, for
// a Slipstream (or anything else that reads Jetstream) started beside it.

import { readSimulationOptions, startSimulation } from './simulation.ts'

const REPORT_INTERVAL_MS = 10_000

const options = readSimulationOptions(process.argv.slice(2))
const simulation = await startSimulation(options)
const settings = Object.entries(simulation.env).map(([key, value]) => `${key}=${value}`)
const [someone] = simulation.network.repositories

console.log(`A network of ${options.accounts} accounts, ${options.rate} events a second (seed ${options.seed}).
Point a Slipstream at it:

  ${settings.join(' \\\n  ')} \\
  SLIPSTREAM_MEMBERS=${someone?.did} scripts/start

A token for ${someone?.handle}, or for anybody else of this network, good for an hour:

  curl -H 'Authorization: Bearer ${someone?.handle}' \\
    '${simulation.servers.origin}/xrpc/com.atproto.server.getServiceAuth?aud=did:web:localhost%253A3000&lxm=app.bsky.feed.getTimeline'
`)

const report = setInterval(
  () => console.log(`${simulation.emitted()} events so far`),
  REPORT_INTERVAL_MS,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    clearInterval(report)
    await simulation.stop()
    process.exit(0)
  })
}
