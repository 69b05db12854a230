// `npm run simulate -- [--rate 500] [--seed 7] [--accounts 300] …`: the simulated network alone, for a
// separately started Slipstream or any other Jetstream client. `--readers 200` adds servers and readers that
// use them (readers/options.ts has the remaining options).

import { readArguments } from '../src/tools/script-usage.ts'
import { readReaderOptions } from './readers/options.ts'
import { runReaders } from './readers/run.ts'
import { readSimulationOptions, simulationFlags, startSimulation } from './simulation.ts'

const REPORT_INTERVAL_MS = 10_000
const USAGE = `npm run simulate -- [options]
A simulated network behind a Jetstream, for your own Slipstream. Options and their defaults:
  ${simulationFlags()}

With --readers also servers and simulated readers; each --server is a Slipstream started with these
settings, the official AppView in front of one, or a server that already runs:
  --readers 200 --mix scroll=40,thread=25,like=15,follow=2 --poll 30 --seconds 60 --board 8080 --report report.json
  --server slipstream --server lossless:REASONABLE_LIMIT=0 --server theirs=official --server other=http://127.0.0.1:4000`

const { readers, options } = readArguments(USAGE, (args) => {
  const { readers, rest } = readReaderOptions(args)
  return { readers, options: readSimulationOptions(rest) }
})
const simulation = await startSimulation(options)
if (readers) {
  await runReaders(simulation, readers, options.seed)
  await simulation.stop()
  process.exit(0)
}
presentNetwork()

function presentNetwork(): void {
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
}
