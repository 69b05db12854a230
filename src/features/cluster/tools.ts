// The command line's part: the engine, and a node's way to it and back.

import type { ToolsFeature } from '../../tools/feature.ts'
import { addEngine } from './commands/engine.ts'
import { addMoveEngine } from './commands/move-engine.ts'

export const tools: ToolsFeature = {
  commands(program, context) {
    addEngine(program, context)
    addMoveEngine(program, context)
  },
  checks: [
    {
      area: 'engine',
      run: async (doctor) => (await import('./doctor/engine.ts')).checkEngine(doctor),
    },
  ],
}
