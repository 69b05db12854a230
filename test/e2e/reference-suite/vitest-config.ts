// Runs the tests of a checkout of the reference (REFERENCE_SUITE_DIR) as they are: their imports of the AppView's
// sources lead to the published package, and those of @atproto/dev-env to network.ts.

import { existsSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const suite = join(process.env['REFERENCE_SUITE_DIR']!, 'packages/bsky')
const e2e = resolve(import.meta.dirname, '..')
// Its agents are dev-env's, and tests compare their errors' classes.
const devEnv = join(e2e, 'node_modules/@atproto/dev-env/index.ts')
const published = join(e2e, 'node_modules/@atproto/bsky/dist')

// As snapshots.ts needs it.
const WALK = 'Object.entries(obj).reduce('
const SORTED_WALK = 'Object.entries(obj).sort(([a], [b]) => (a < b ? -1 : 1)).reduce('

export default defineConfig({
  root: suite,
  oxc: false,
  plugins: [
    {
      name: 'reference-suite',
      enforce: 'pre',
      // The checkout's tsconfig extends packages that are not installed.
      transform(code, id) {
        if (!id.endsWith('.ts')) return null
        const plain = stripTypeScriptTypes(code, { mode: 'strip' })
        return id.endsWith('/tests/_util.ts') ? plain.replace(WALK, SORTED_WALK) : plain
      },
      async resolveId(source, importer) {
        if (!importer?.startsWith(suite)) return null
        if (source === '@atproto/dev-env') return join(import.meta.dirname, 'network.ts')
        if (source.startsWith('.')) {
          const path = resolve(importer, '..', source)
          const own = join(suite, 'src')
          if (path.startsWith(own))
            return { id: published + path.slice(own.length), external: true }
          return null
        }
        if (source.startsWith('node:')) return null
        const from = source.startsWith('@atproto/') ? devEnv : join(e2e, 'index.ts')
        return this.resolve(source, from, { skipSelf: true })
      },
    },
  ],
  server: { fs: { strict: false } },
  test: {
    include: ['tests/**/*.test.ts'],
    // Asks no AppView, and waits minutes for a Redis.
    exclude: ['tests/redis-cache.test.ts'],
    pool: 'forks',
    snapshotEnvironment: join(import.meta.dirname, 'snapshots.ts'),
    // Importing the network takes seconds.
    isolate: false,
    maxWorkers: Number(process.env['REFERENCE_SUITE_WORKERS'] ?? 1),
    testTimeout: 120_000,
    hookTimeout: 240_000,
    env: { LOG_ENABLED: 'false', REDIS_HOST: 'none' },
    ...(existsSync(suite) ? {} : { passWithNoTests: false }),
  },
})
