// The parts of features in the worlds of tests: none in a tree without them.

import { loadServeFeatures } from '../../src/http/feature.ts'
import { handlersOf, loadIngestFeatures } from '../../src/ingest/feature.ts'
import { loadToolsFeatures } from '../../src/tools/feature.ts'

export const requestHandlers = handlersOf(await loadIngestFeatures())
export const serveFeatures = await loadServeFeatures()
export const toolsFeatures = await loadToolsFeatures()
