// `npm run simulate -- --readers N …`: runs the network, the servers that read it, their readers, and the
// board.

import { writeFileSync } from 'node:fs'
import { createRandom } from '../../test/support/random.ts'
import type { Simulation } from '../simulation.ts'
import { openBoard } from './board.ts'
import { Recorder, tableOf } from './figures.ts'
import { createHistory } from './history.ts'
import { startReaders } from './load.ts'
import type { ReaderOptions } from './options.ts'
import { startServers } from './servers.ts'
import { watch } from './watch.ts'

/** Runs until the time is over, or stopped. */
export async function runReaders(
  simulation: Simulation,
  options: ReaderOptions,
  seed: number,
): Promise<void> {
  const servers = await startServers(options.servers, simulation.env)
  const names = servers.map(({ name }) => name)
  const history = createHistory()
  const board = await openBoard(options.board, history.points)
  for (const { name, origin } of servers) console.log(`${name} is at ${origin}`)
  console.log(`The board is at ${board.address}`)
  const emittedBefore = simulation.emitted()
  const recorder = new Recorder(names)
  const figures = () => recorder.figures(options.readers, simulation.emitted() - emittedBefore)
  const parts = { simulation, servers, recorder, options, random: createRandom(seed) }
  const readers = startReaders(parts)
  const watching = watch(servers, recorder, (point) => {
    history.add(point)
    board.show({ ...figures(), point })
  })
  await over(options.seconds)
  await watching.stop()
  await readers.stop()
  const last = figures()
  console.log(tableOf(last))
  const report = { seed, options, figures: last, history: history.points() }
  if (options.report) writeFileSync(options.report, `${JSON.stringify(report, null, 2)}\n`)
  board.close()
  await Promise.all(servers.map((server) => server.stop()))
}

function over(seconds: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = seconds === undefined ? undefined : setTimeout(resolve, seconds * 1000)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearTimeout(timer)
        resolve()
      })
    }
  })
}
