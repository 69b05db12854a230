// Leases of buckets on a CQL engine. Twice a second, a node beats, reads all leases and beats, takes what it
// lacks of its share, and gives back any surplus. It may rely on its leases for two seconds after its last
// beat; other nodes take them only after three. A node that was away for longer has lost all its leases and
// takes new ones with a new epoch.

import { randomBytes } from 'node:crypto'
import { batchesOf } from '../../../base/util/batches.ts'
import { createBeatWatch, planLeases } from './lease-plan.ts'
import { type Lease, type LeaseTable, MAX_LEASES_AT_ONCE } from './lease-table.ts'
import type { Leases } from './leases.ts'

type Options = {
  /** @throws EngineUnavailableError */
  table: () => Promise<LeaseTable>
  /**
   * The node's name for the operator; each start adds a new suffix, since a restarted node is a new
   * one.
   */
  name: string
  /** Called with the held buckets after each look; not while the engine is unreachable. */
  onLooked?: (held: Iterable<number>) => void
  log: { info(fields: object, text: string): void; warn(fields: object, text: string): void }
}

const ROUND_MS = 500
const RELIED_ON_MS = 2_000
const RELEASE_MS = 3_000

export function createCqlLeases(options: Options): Leases {
  const leases = new CqlLeases(options)
  void leases.renew()
  return leases
}

class CqlLeases implements Leases {
  readonly #table: Options['table']
  readonly #log: Options['log']
  readonly #onLooked: NonNullable<Options['onLooked']>
  readonly #node: string
  readonly #watch = createBeatWatch()
  /** The buckets this node holds, with their epochs; valid only while proven. */
  readonly #mine = new Map<number, number>()
  readonly #counts = { gained: 0, lost: 0 }
  #beats = 0
  #provenAt = -Infinity
  #isAway = false
  #isOver = false
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ table, name, log, onLooked = () => undefined }: Options) {
    this.#onLooked = onLooked
    this.#table = table
    this.#log = log
    this.#node = `${name}#${randomBytes(4).toString('hex')}`
  }

  async epochOf(bucket: number): Promise<number | undefined> {
    if (!this.#isProven() && !this.#isOver) await this.#look()
    return this.#isProven() ? this.#mine.get(bucket) : undefined
  }

  counts(): ReturnType<Leases['counts']> {
    return { ...this.#counts, held: this.#isProven() ? this.#mine.size : 0 }
  }

  async release(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#drop([...this.#mine.keys()])
    const late = new Promise<void>((resolve) => setTimeout(resolve, RELEASE_MS).unref())
    const given = this.#giveAllBack().catch((error: Error) =>
      this.#log.warn({ reason: error.message }, 'leases could not be released: they will expire'),
    )
    await Promise.race([given, late])
  }

  async renew(): Promise<void> {
    await this.#look()
    if (this.#isOver) return
    this.#timer = setTimeout(() => void this.renew(), ROUND_MS)
    this.#timer.unref()
  }

  #isProven(): boolean {
    return !this.#isOver && performance.now() - this.#provenAt < RELIED_ON_MS
  }

  #drop(buckets: Iterable<number>): void {
    for (const bucket of buckets) this.#counts.lost += Number(this.#mine.delete(bucket))
  }

  /** Never rejects; concurrent callers share one round. */
  #look(): Promise<void> {
    this.#running ??= this.#round()
      .then(() => {
        this.#isAway = false
      })
      .catch((error: Error) => {
        const isNews = !this.#isAway && !this.#isOver
        if (isNews) this.#log.warn({ reason: error.message }, 'leases can’t be renewed')
        this.#isAway = true
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async #round(): Promise<void> {
    const from = performance.now()
    if (!this.#isProven()) this.#drop([...this.#mine.keys()])
    const rows = await this.#table()
    await rows.beat(this.#node, ++this.#beats)
    const [leases, beats] = await Promise.all([rows.leases(), rows.beats()])
    const requested = { from, to: performance.now() }
    this.#drop(this.#lost(leases))
    this.#provenAt = from
    const nodes = leases.flatMap((lease) => lease.node ?? [])
    const living = this.#watch.look({ nodes, beats, requested })
    const plan = planLeases({ node: this.#node, mine: this.#mine, leases, living })
    if (this.#isOver) return
    await this.#follow(rows, plan)
    this.#onLooked(this.#mine.keys())
  }

  /** Held buckets that another node has taken. */
  #lost(leases: readonly Lease[]): number[] {
    const own = leases.filter((lease) => lease.node === this.#node)
    const epochs = new Map(own.map(({ bucket, epoch }) => [bucket, epoch]))
    return [...this.#mine.keys()].filter((bucket) => epochs.get(bucket) !== this.#mine.get(bucket))
  }

  async #follow(rows: LeaseTable, plan: ReturnType<typeof planLeases>): Promise<void> {
    this.#drop(plan.give.map(({ bucket }) => bucket))
    for (const some of batchesOf(plan.give, MAX_LEASES_AT_ONCE)) await rows.give(some)
    for (const some of batchesOf(plan.take, MAX_LEASES_AT_ONCE)) {
      if (this.#isOver || !(await rows.take(this.#node, some, Date.now()))) break
      for (const { bucket, epoch } of some) this.#mine.set(bucket, epoch + 1)
      this.#counts.gained += some.length
    }
    const [taken, givenBack] = [plan.take.length, plan.give.length]
    if (taken + givenBack === 0) return
    const change = { node: this.#node, held: this.#mine.size, taken, givenBack }
    this.#log.info(change, 'the nodes reassign their buckets')
  }

  async #giveAllBack(): Promise<void> {
    await this.#running
    const rows = await this.#table()
    const own = (await rows.leases()).filter((lease) => lease.node === this.#node)
    for (const some of batchesOf(own, MAX_LEASES_AT_ONCE)) await rows.give(some)
    await rows.leave(this.#node)
  }
}
