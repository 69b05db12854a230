// A real Cassandra cluster on loopback, for tests of the state that nodes share: node N listens on 127.X.0.N,
// with an X that is not in use. Its jars come from Maven and are kept between runs. Without Java or Maven the
// tests are skipped with a warning.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createConnection } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import cassandra from 'cassandra-driver'
import type { SmallDisk } from '../../../support/torture/small-disk.ts'

const VERSION = '5.0.8'
const PORT = 9042
const INTERNODE_PORT = 7000
const START_TIMEOUT_MS = 180_000
const HEAP_MB = 384
/** Acknowledged writes are on disk, unlike with Cassandra's default settings (docs/CLUSTER.md). */
export const SYNCED = [
  '-Dcassandra.config.allow_system_properties=true',
  '-Dcassandra.settings.commitlog_sync=batch',
  '-Dcassandra.settings.commitlog_sync_period=0ms',
]
/** The packages opened by Cassandra's own jvm17-server.options. */
const OPENED = [
  ...['java.base/java.io', 'java.base/java.lang', 'java.base/java.lang.module'],
  ...[
    'java.base/java.lang.reflect',
    'java.base/java.math',
    'java.base/java.net',
    'java.base/java.nio',
  ],
  ...[
    'java.base/java.util',
    'java.base/java.util.concurrent',
    'java.base/java.util.concurrent.atomic',
  ],
  ...[
    'java.base/jdk.internal.loader',
    'java.base/jdk.internal.math',
    'java.base/jdk.internal.misc',
  ],
  ...[
    'java.base/jdk.internal.module',
    'java.base/jdk.internal.ref',
    'java.base/jdk.internal.reflect',
  ],
  ...['java.base/jdk.internal.util.jar', 'java.base/sun.nio.ch', 'java.rmi/sun.rmi.registry'],
  ...['java.rmi/sun.rmi.server', 'java.rmi/sun.rmi.transport', 'java.rmi/sun.rmi.transport.tcp'],
  ...['java.sql/java.sql', 'java.management/sun.management'],
  ...[
    'java.management.rmi/com.sun.jmx.remote.internal.rmi',
    'jdk.management.jfr/jdk.management.jfr',
  ],
  ...['jdk.management/com.sun.management.internal', 'jdk.compiler/com.sun.tools.javac.file'],
  'jdk.attach/sun.tools.attach',
].flatMap((module) => [
  '--add-opens',
  `${module}=ALL-UNNAMED`,
  '--add-exports',
  `${module}=ALL-UNNAMED`,
])

export type CassandraNode = {
  readonly address: string
  readonly folder: string
  readonly process: ChildProcess
  readonly disk: SmallDisk | undefined
  kill(): Promise<void>
  /** Restarts the node with its data; resolves once the others see it. */
  start(): Promise<void>
}

type Options = {
  /** The disk for a node's data, if not beside the others’. */
  diskOf?: (n: number) => SmallDisk | undefined
}

export type CassandraCluster = {
  readonly nodes: readonly CassandraNode[]
  /** Returns the value for SLIPSTREAM_ENGINE. */
  address(keyspace: string): string
  stop(): Promise<void>
}

/** Returns why tests on Cassandra can't run; undefined if they can. */
export function whyNoCassandra(): string | undefined {
  for (const [command, argument] of [
    ['java', '-version'],
    ['mvn', '-version'],
  ] as const) {
    try {
      execFileSync(command, [argument], { stdio: 'ignore' })
    } catch {
      return `${command} is missing`
    }
  }
  return undefined
}

/** Starts the nodes one after the other: a joining node streams from the others. */
export async function startCassandra(
  count: number,
  { diskOf = () => undefined }: Options = {},
): Promise<CassandraCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-cassandra-'))
  const jars = await fetchJars()
  const network = await freeNetwork()
  const nodes: CassandraNode[] = []
  async function stop(): Promise<void> {
    await Promise.all(nodes.map(ended))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (let n = 1; n <= count; n++) {
      const disk = diskOf(n)
      const cluster = { folder: disk?.folder ?? join(folder, String(n)), disk, jars, network, n }
      const node = createNode(cluster, count)
      nodes.push(node)
      await until(node, 'start', () => isOpen(node.address))
    }
    for (const node of nodes) await until(node, 'see the others', () => seesOthers(node, count - 1))
  } catch (error) {
    await stop()
    throw error
  }
  const hosts = nodes.map(({ address }) => address).join()
  return { nodes, address: (keyspace) => `cql://${hosts}/${keyspace}`, stop }
}

type ClusterState = {
  folder: string
  disk: SmallDisk | undefined
  jars: string
  network: string
  n: number
}

function createNode(cluster: ClusterState, count: number): CassandraNode {
  const { folder, disk } = cluster
  const address = `${cluster.network}.${cluster.n}`
  const node = {
    address,
    folder,
    disk,
    process: startNode(cluster),
    kill: () => ended(node),
    async start() {
      node.process = startNode(cluster)
      await until(node, 'start', () => isOpen(address))
      await until(node, 'see the others', () => seesOthers(node, count - 1))
    },
  }
  return node
}

/** Finds an unused network, since another cluster may run on this machine. */
async function freeNetwork(): Promise<string> {
  for (;;) {
    const network = `127.${1 + Math.floor(Math.random() * 250)}.0`
    if (!(await isOpen(`${network}.1`, INTERNODE_PORT))) return network
  }
}

/** Fetches the jars unless they are cached. */
async function fetchJars(): Promise<string> {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const jars = join(base, 'slipstream', `cassandra-${VERSION}`)
  if (existsSync(jars)) return jars
  mkdirSync(join(base, 'slipstream'), { recursive: true })
  const work = mkdtempSync(join(base, 'slipstream', 'fetching-'))
  writeFileSync(
    join(work, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>slipstream</groupId><artifactId>cassandra-node</artifactId><version>1</version>
<dependencies><dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>${VERSION}</version></dependency></dependencies></project>`,
  )
  const goal = 'dependency:copy-dependencies'
  const options = ['-q', '-B', goal, '-DoutputDirectory=lib', '-DincludeScope=runtime']
  await promisify(execFile)('mvn', options, { cwd: work })
  if (!existsSync(jars)) renameSync(join(work, 'lib'), jars)
  rmSync(work, { recursive: true, force: true })
  return jars
}

function startNode({ folder: base, jars, network, n }: ClusterState): ChildProcess {
  const conf = join(base, 'conf')
  mkdirSync(conf, { recursive: true })
  writeFileSync(join(conf, 'cassandra.yaml'), settingsOf(base, network, n))
  writeFileSync(join(conf, 'logback.xml'), logging(base))
  const jamm = readdirSync(jars).find((name) => name.startsWith('jamm-'))!
  const child = spawn(
    'java',
    [
      ...[`-javaagent:${join(jars, jamm)}`, ...OPENED, '--add-modules=jdk.attach'],
      ...['-Djdk.attach.allowAttachSelf=true', `-Xms${HEAP_MB}m`, `-Xmx${HEAP_MB}m`, '-Xss256k'],
      ...['-XX:+UseSerialGC', '-XX:MaxDirectMemorySize=256m', '-XX:TieredStopAtLevel=1'],
      ...[`-Dcassandra.config=file://${conf}/cassandra.yaml`, `-Dcassandra.storagedir=${base}`],
      ...[`-Dcassandra.logdir=${base}`, `-Dlogback.configurationFile=${conf}/logback.xml`],
      ...SYNCED,
      ...['-Dcassandra-foreground=yes', '-Djava.net.preferIPv4Stack=true'],
      ...['-Dcassandra.ring_delay_ms=2000', '-Dcassandra.skip_wait_for_gossip_to_settle=0'],
      ...['-Dcassandra.consistent.rangemovement=false', `-Djava.io.tmpdir=${base}`],
      ...['-cp', `${conf}:${jars}/*`, 'org.apache.cassandra.service.CassandraDaemon'],
    ],
    { stdio: 'ignore' },
  )
  // Kills the node if this process exits without stopping it.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

function settingsOf(base: string, network: string, n: number): string {
  return `cluster_name: slipstream-test
num_tokens: 16
allocate_tokens_for_local_replication_factor: 3
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{seeds: "${network}.1:${INTERNODE_PORT}"}]
listen_address: ${network}.${n}
rpc_address: ${network}.${n}
storage_port: ${INTERNODE_PORT}
native_transport_port: ${PORT}
data_file_directories: [${base}/data]
commitlog_directory: ${base}/commitlog
saved_caches_directory: ${base}/saved_caches
hints_directory: ${base}/hints
cdc_raw_directory: ${base}/cdc
commitlog_sync: periodic
commitlog_sync_period: 10s
commitlog_segment_size: 8MiB
commitlog_total_space: 128MiB
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
concurrent_reads: 8
concurrent_writes: 16
concurrent_compactors: 1
auto_snapshot: false
`
}

function logging(base: string): string {
  return `<configuration><appender name="F" class="ch.qos.logback.core.FileAppender"><file>${base}/system.log</file>
<encoder><pattern>%-5level %date{ISO8601} %F:%L - %msg%n</pattern></encoder></appender>
<root level="INFO"><appender-ref ref="F"/></root></configuration>`
}

async function until(
  { address, process: node }: CassandraNode,
  what: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS
  while (!(await isDone())) {
    if (node.exitCode !== null) throw new Error(`Cassandra on ${address} ended: ${node.exitCode}`)
    if (Date.now() > giveUpAt) throw new Error(`Cassandra on ${address} did not ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/**
 * Checks that a node sees the others: a driver that connects earlier takes the listed nodes for the
 * whole cluster.
 */
async function seesOthers({ address }: CassandraNode, others: number): Promise<boolean> {
  const client = new cassandra.Client({
    contactPoints: [`${address}:${PORT}`],
    localDataCenter: 'datacenter1',
  })
  try {
    await client.connect()
    return client.hosts.length === others + 1
  } catch {
    return false
  } finally {
    await client.shutdown()
  }
}

function isOpen(address: string, port = PORT): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: address, port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Waits until the process is gone, before data may be wiped: a dying node still gossips. */
async function ended({ process: node }: CassandraNode): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return
  const exit = once(node, 'exit')
  node.kill('SIGKILL')
  await exit
}
