// The way from one serving thread to the engine: opened when it is first needed, and again where that failed.

import { connectEngine, type Engine, type EngineSettings } from '../../data/engine/connect.ts'
import { createCqlPrivateChanges } from '../../data/engine/cql-private-changes.ts'
import { checkedPlace } from '../../data/engine/schema.ts'
import type { SharedPlace } from './shared-state.ts'

export function createEnginePlace(settings: EngineSettings): {
  place: () => Promise<SharedPlace>
  close(): Promise<void>
} {
  let engine: Engine | undefined
  let isClosed = false
  let opening: Promise<SharedPlace> | undefined

  async function open(): Promise<SharedPlace> {
    engine ??= await connectEngine(settings)
    if (isClosed) await engine.close()
    return { id: await checkedPlace(engine), changes: createCqlPrivateChanges(engine) }
  }

  return {
    place() {
      opening ??= open().catch((error) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async close() {
      isClosed = true
      await engine?.close()
    },
  }
}
